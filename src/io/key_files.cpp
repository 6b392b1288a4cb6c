// SPDX-License-Identifier: Apache-2.0
// Reads and writes files of key sets of the word search. Their fields are, in order (a number without a type is a
// length in bytes):
//   secret keys  an envelope (io/envelope.h), which also authenticates header and profile. Its body: n coefficients -1,
//                0 or 1 in two bits each (value + 1) | word key 32 | X25519 secret 32 | from version 3: digest of the
//                other public parts 32
//   public keys  word key 32 | X25519 public 32 | if the preset has a public key: seed 32 | n packed residues
// The word key is the key of the hash that encodes words. Titles and bodies of documents are sealed to the X25519 key.
// The seed and the residues are the public key, under which senders encrypt words. The *other* public parts are the
// word key, the seed and the residues.
#include <sodium.h>

#include <algorithm>

#include "io/envelope.h"
#include "io/keys.h"
#include "math/random.h"
#include "scheme/rgsw/wire.h"

namespace ringfort::io {

namespace {

constexpr std::size_t kPrefixBytes = kHeaderBytes + kProfileBytes;

std::size_t body_bytes(const Profile& profile, u16 version) {
  return ternary_bytes(profile.parameters.n) + (version > kFirstVersion ? 96 : 64);
}

u32 width_of(const Profile& profile) { return static_cast<u32>(rgsw::exported_bits(profile.parameters)); }

void put_public_key(const Keys::State& keys, ByteWriter& out) {
  if (!keys.public_key) return;
  out.put_bytes(rgsw::public_seed(*keys.public_key).bytes);
  const auto residues = rgsw::public_residues(*keys.public_key);
  std::vector<u8> packed(packed_bytes(residues.size(), width_of(keys.profile)));
  pack_residues(residues, width_of(keys.profile), packed);
  out.put_bytes(packed);
}

void write_body(const Keys::State& keys, std::span<u8> body) {
  put_ternary(rgsw::secret_coefficients(*keys.secret), body);
  const auto rest = body.subspan(ternary_bytes(keys.profile.parameters.n));
  std::copy_n(keys.word_key.data(), 32, rest.begin());
  std::copy_n(keys.box_secret.data(), 32, rest.begin() + 32);
  if (keys.version() > kFirstVersion) std::copy(keys.others.begin(), keys.others.end(), rest.begin() + 64);
}

Result<Done> read_body(Keys::State& keys, std::span<const u8> body, u16 version) {
  const u32 n = keys.profile.parameters.n;
  const Secret<i8> coefficients = take_ternary(body, n);
  auto key = rgsw::import_secret_key(keys.context, coefficients.span());
  if (!key.ok()) return key.failure();
  keys.secret.emplace(std::move(key).take());
  ByteReader rest(body.subspan(ternary_bytes(n)));
  rest.take_bytes(keys.word_key.span());
  keys.box_secret = Secret<u8>(32);
  rest.take_bytes(keys.box_secret.span());
  if (version > kFirstVersion) rest.take_bytes(keys.others);
  if (crypto_scalarmult_base(keys.box_public.data(), keys.box_secret.data()) != 0) {
    return Failure{Code::io_range, "the X25519 secret is not a valid key", "the file is damaged"};
  }
  if (identity_of(keys.box_public, keys.others) != keys.profile.key_id) {
    return Failure{Code::io_digest, "the secret does not belong to the key id of its file", "the file is damaged"};
  }
  return Done{};
}

std::unique_ptr<Keys::State> empty_state(const Profile& profile) {
  return std::make_unique<Keys::State>(profile, rgsw::Context(profile.parameters));
}

Result<Done> read_public_key(Keys::State& keys, ByteReader& in) {
  const Profile& profile = keys.profile;
  PublicSeed seed;
  in.take_bytes(seed.bytes);
  std::vector<u64> residues(profile.parameters.n);
  if (!unpack_residues(in.view(packed_bytes(residues.size(), width_of(profile))), width_of(profile),
                       profile.parameters.q, residues)) {
    return Failure{Code::io_range, "the public key has a residue that is not below the modulus", "the file is damaged"};
  }
  auto key = rgsw::import_public_key(keys.context, seed, residues);
  if (!key.ok()) return key.failure();
  keys.public_key.emplace(std::move(key).take());
  return Done{};
}

}  // namespace

Digest digest_of_others(const Keys::State& keys) {
  std::vector<u8> encoded;
  // Reserves all memory at once; this memory is wiped later.
  encoded.reserve(64 + packed_bytes(keys.profile.parameters.n, width_of(keys.profile)));
  ByteWriter out(encoded);
  out.put_bytes(keys.word_key.span());
  put_public_key(keys, out);
  const Digest digest = blake2b_256(encoded);
  wipe(encoded.data(), encoded.size());
  return digest;
}

Secret<u8> encode_secret_keys(const Keys::State& keys, std::string_view passphrase, unsigned strength,
                              const Progress& progress) {
  const bool sealed = !passphrase.empty();
  const std::size_t body = body_bytes(keys.profile, keys.version());
  std::vector<u8> prefix(kHeaderBytes);
  ByteWriter out(prefix);
  encode_profile(keys.profile, out);
  const auto header =
      encode_header({FileType::secret_keys, insecure_flag(keys.profile) | (sealed ? kFlagPassphrase : 0U),
                     digest(keys.profile), kProfileBytes + body + kEnvelopeBytes, keys.version()});
  std::copy(header.begin(), header.end(), prefix.begin());

  Secret<u8> file(kPrefixBytes + body + kEnvelopeBytes + kTrailerBytes);
  const auto bytes = file.span();
  std::copy(prefix.begin(), prefix.end(), bytes.begin());
  Secret<u8> plain(body);
  write_body(keys, plain.span());
  seal_envelope(bytes.subspan(kPrefixBytes, body + kEnvelopeBytes), plain.span(),
                {prefix, passphrase, strength, &progress});
  const auto trailer = blake2b_256(bytes.first(bytes.size() - kTrailerBytes));
  std::copy(trailer.begin(), trailer.end(), bytes.last(kTrailerBytes).begin());
  return file;
}

Result<std::unique_ptr<Keys::State>> decode_secret_keys(std::span<const u8> bytes, std::string_view passphrase,
                                                        const Limits& limits, const Progress& progress) {
  auto object = open_object(bytes, FileType::secret_keys, [](const Header& header, const Profile& profile) {
    return body_bytes(profile, header.version) + kEnvelopeBytes;
  });
  if (!object.ok()) return object.failure();
  const Profile& profile = object.value().profile;
  const bool sealed = (object.value().header.flags & kFlagPassphrase) != 0;
  auto plain =
      open_envelope(object.value().fields, {sealed, bytes.first(kPrefixBytes), limits.strength, &progress}, passphrase);
  if (!plain.ok()) return plain.failure();
  auto state = caught([&] { return empty_state(profile); });
  if (!state.ok()) return state.failure();
  auto done = read_body(*state.value(), plain.value().span(), object.value().header.version);
  if (!done.ok()) return done.failure();
  return state;
}

std::vector<u8> encode_public_keys(const Keys::State& keys) {
  return make_object(
      FileType::public_keys, keys.profile,
      [&](ByteWriter& out) {
        out.put_bytes(keys.word_key.span());
        out.put_bytes(keys.box_public);
        put_public_key(keys, out);
      },
      keys.version());
}

Result<std::unique_ptr<Keys::State>> decode_public_keys(std::span<const u8> bytes) {
  auto object = open_object(bytes, FileType::public_keys, [](const Header&, const Profile& profile) {
    const auto& p = profile.parameters;
    return u64{64} + (p.public_key_allowed ? 32 + packed_bytes(p.n, width_of(profile)) : 0);
  });
  if (!object.ok()) return object.failure();
  const Profile& profile = object.value().profile;
  auto keys = caught([&] { return empty_state(profile); });
  if (!keys.ok()) return keys.failure();
  auto& state = *keys.value();
  ByteReader in(object.value().fields);
  in.take_bytes(state.word_key.span());
  in.take_bytes(state.box_public);
  auto read = profile.parameters.public_key_allowed ? read_public_key(state, in) : Result<Done>(Done{});
  if (!read.ok()) return read.failure();
  if (object.value().header.version > kFirstVersion) state.others = digest_of_others(state);
  if (!in.at_end() || identity_of(state.box_public, state.others) != profile.key_id) {
    return Failure{Code::io_digest, "the public keys do not belong to the key id of their file",
                   "the file was changed or damaged: copy it from its owner again"};
  }
  return keys;
}

}  // namespace ringfort::io
