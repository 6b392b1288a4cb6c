// SPDX-License-Identifier: Apache-2.0
// Secret keys:  strength u32 | salt 16 | nonce 24 | body | tag 16 (zeros without a passphrase)
//   body: n ternary coefficients of two bits (value + 1) | key of words 32 | X25519 secret 32
//   with a passphrase: XChaCha20-Poly1305 under Argon2id(passphrase, salt), header and profile authenticated with it.
// Public keys:  key of words 32 | X25519 public 32 | seed 32 | n packed residues (the last two only where the preset has a public key)
#include <sodium.h>

#include <algorithm>

#include "io/keys.h"
#include "math/random.h"
#include "scheme/rgsw/wire.h"

namespace ringfort::io {

namespace {

constexpr std::size_t kSaltBytes = crypto_pwhash_SALTBYTES;
constexpr std::size_t kNonceBytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kTagBytes = crypto_aead_xchacha20poly1305_ietf_ABYTES;
constexpr std::size_t kPrefixBytes = kHeaderBytes + kProfileBytes;
constexpr std::size_t kLockBytes = 4 + kSaltBytes + kNonceBytes;

struct Cost {
  unsigned long long operations;
  std::size_t memory_bytes;
};
// A strength names its cost, so that a hostile file cannot ask for memory of its choice.
constexpr std::array<Cost, 3> kCosts = {{{crypto_pwhash_OPSLIMIT_INTERACTIVE, crypto_pwhash_MEMLIMIT_INTERACTIVE},
                                         {crypto_pwhash_OPSLIMIT_MODERATE, crypto_pwhash_MEMLIMIT_MODERATE},
                                         {crypto_pwhash_OPSLIMIT_SENSITIVE, crypto_pwhash_MEMLIMIT_SENSITIVE}}};

std::size_t ternary_bytes(u32 n) { return (n + 3) / 4; }
std::size_t body_bytes(const Profile& profile) { return ternary_bytes(profile.parameters.n) + 64; }

Result<Secret<u8>> stretch(std::string_view passphrase, std::span<const u8> salt, u32 strength) {
  Secret<u8> key(crypto_aead_xchacha20poly1305_ietf_KEYBYTES);
  const Cost cost = kCosts[strength];
  if (crypto_pwhash(key.data(), key.size(), passphrase.data(), passphrase.size(), salt.data(), cost.operations, cost.memory_bytes,
                    crypto_pwhash_ALG_ARGON2ID13) != 0) {
    return Failure{Code::out_of_memory, "the passphrase needs " + std::to_string(cost.memory_bytes >> 20) + " MiB of memory",
                   "free memory, or save the keys with a lower strength"};
  }
  return key;
}

void write_body(const Keys::State& keys, std::span<u8> body) {
  const auto coefficients = rgsw::secret_coefficients(*keys.secret);
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    body[i / 4] = static_cast<u8>(body[i / 4] | (static_cast<u8>(coefficients[i] + 1) << (2 * (i % 4))));
  }
  const auto rest = body.subspan(ternary_bytes(keys.profile.parameters.n));
  std::copy_n(keys.word_key.data(), 32, rest.begin());
  std::copy_n(keys.box_secret.data(), 32, rest.begin() + 32);
}

Result<Done> read_body(Keys::State& keys, std::span<const u8> body) {
  const u32 n = keys.profile.parameters.n;
  Secret<i8> coefficients(n);
  for (u32 i = 0; i < n; ++i) coefficients.span()[i] = static_cast<i8>(((body[i / 4] >> (2 * (i % 4))) & 3) - 1);
  auto key = rgsw::import_secret_key(keys.context, coefficients.span());
  if (!key.ok()) return key.failure();
  keys.secret.emplace(std::move(key).take());
  ByteReader rest(body.subspan(ternary_bytes(n)));
  rest.take_bytes(keys.word_key.span());
  keys.box_secret = Secret<u8>(32);
  rest.take_bytes(keys.box_secret.span());
  if (crypto_scalarmult_base(keys.box_public.data(), keys.box_secret.data()) != 0) {
    return Failure{Code::io_range, "the X25519 secret is not a valid key", "the file is damaged"};
  }
  const Digest identity = blake2b_256(keys.box_public);
  if (!std::equal(keys.profile.key_id.begin(), keys.profile.key_id.end(), identity.begin())) {
    return Failure{Code::io_digest, "the secret does not belong to the key id of its file", "the file is damaged"};
  }
  return Done{};
}

std::unique_ptr<Keys::State> empty_state(const Profile& profile) {
  return std::make_unique<Keys::State>(profile, rgsw::Context(profile.parameters));
}

Failure no_passphrase(bool given) {
  return {Code::passphrase, given ? "the passphrase does not open these keys" : "these keys are sealed by a passphrase",
          given ? "try again; without it the keys are lost" : "give it"};
}

}  // namespace

Secret<u8> encode_secret_keys(const Keys::State& keys, std::string_view passphrase, unsigned strength) {
  if (strength >= kCosts.size()) throw Error(Code::invalid_argument, "strength " + std::to_string(strength), "choose 0, 1 or 2");
  const bool sealed = !passphrase.empty();
  const std::size_t body = body_bytes(keys.profile);
  std::vector<u8> prefix(kHeaderBytes);
  ByteWriter out(prefix);
  encode_profile(keys.profile, out);
  const auto header = encode_header({FileType::secret_keys, insecure_flag(keys.profile) | (sealed ? kFlagPassphrase : 0U),
                                     digest(keys.profile), kProfileBytes + kLockBytes + body + kTagBytes});
  std::copy(header.begin(), header.end(), prefix.begin());

  Secret<u8> file(kPrefixBytes + kLockBytes + body + kTagBytes + kTrailerBytes);
  const auto bytes = file.span();
  std::copy(prefix.begin(), prefix.end(), bytes.begin());
  Secret<u8> plain(body);
  write_body(keys, plain.span());
  const auto content = bytes.subspan(kPrefixBytes + kLockBytes, body + kTagBytes);
  if (sealed) {
    bytes[kPrefixBytes] = static_cast<u8>(strength);
    const auto salt = bytes.subspan(kPrefixBytes + 4, kSaltBytes);
    const auto nonce = bytes.subspan(kPrefixBytes + 4 + kSaltBytes, kNonceBytes);
    std::copy_n(fresh_public_seed().bytes.begin(), kSaltBytes, salt.begin());
    std::copy_n(fresh_public_seed().bytes.begin(), kNonceBytes, nonce.begin());
    const auto key = stretch(passphrase, salt, strength).take();
    crypto_aead_xchacha20poly1305_ietf_encrypt(content.data(), nullptr, plain.data(), body, prefix.data(), prefix.size(), nullptr,
                                               nonce.data(), key.data());
  } else {
    std::copy_n(plain.data(), body, content.begin());
  }
  const auto trailer = blake2b_256(bytes.first(bytes.size() - kTrailerBytes));
  std::copy(trailer.begin(), trailer.end(), bytes.last(kTrailerBytes).begin());
  return file;
}

Result<std::unique_ptr<Keys::State>> decode_secret_keys(std::span<const u8> bytes, std::string_view passphrase) {
  auto object = open_object(bytes, FileType::secret_keys,
                            [](const Header&, const Profile& profile) { return kLockBytes + body_bytes(profile) + kTagBytes; });
  if (!object.ok()) return object.failure();
  const Profile& profile = object.value().profile;
  ByteReader in(object.value().fields);
  const u32 strength = in.take_u32();
  const auto salt = in.view(kSaltBytes);
  const auto nonce = in.view(kNonceBytes);
  const auto content = in.view(body_bytes(profile) + kTagBytes);
  if (!in.at_end() || strength >= kCosts.size()) return Failure{Code::io_range, "the envelope's strength is unknown", "update ringfort"};
  Secret<u8> plain(body_bytes(profile));
  if ((object.value().header.flags & kFlagPassphrase) != 0) {
    if (passphrase.empty()) return no_passphrase(false);
    auto key = stretch(passphrase, salt, strength);
    if (!key.ok()) return key.failure();
    const auto prefix = bytes.first(kPrefixBytes);
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(plain.data(), nullptr, nullptr, content.data(), content.size(), prefix.data(),
                                                   prefix.size(), nonce.data(), key.value().data()) != 0) {
      return no_passphrase(true);
    }
  } else {
    const auto envelope = object.value().fields.first(kLockBytes), tag = content.last(kTagBytes);
    const auto zero = [](u8 byte) { return byte == 0; };
    if (!std::all_of(envelope.begin(), envelope.end(), zero) || !std::all_of(tag.begin(), tag.end(), zero)) {
      return Failure{Code::io_range, "an envelope without a passphrase is not zero", "the file is damaged"};
    }
    std::copy_n(content.begin(), plain.size(), plain.data());
  }
  auto state = caught([&] { return empty_state(profile); });
  if (!state.ok()) return state.failure();
  auto done = read_body(*state.value(), plain.span());
  if (!done.ok()) return done.failure();
  return state;
}

std::vector<u8> encode_public_keys(const Keys::State& keys) {
  return make_object(FileType::public_keys, 0, keys.profile, [&](ByteWriter& out) {
    out.put_bytes(keys.word_key.span());
    out.put_bytes(keys.box_public);
    if (!keys.public_key) return;
    out.put_bytes(rgsw::public_seed(*keys.public_key).bytes);
    const auto residues = rgsw::public_residues(*keys.public_key);
    const u32 width = static_cast<u32>(rgsw::exported_bits(keys.profile.parameters));
    std::vector<u8> packed(packed_bytes(residues.size(), width));
    pack_residues(residues, width, packed);
    out.put_bytes(packed);
  });
}

Result<std::unique_ptr<Keys::State>> decode_public_keys(std::span<const u8> bytes) {
  const auto width_of = [](const Profile& profile) { return static_cast<u32>(rgsw::exported_bits(profile.parameters)); };
  auto object = open_object(bytes, FileType::public_keys, [&](const Header&, const Profile& profile) {
    const auto& p = profile.parameters;
    return u64{64} + (p.public_key_allowed ? 32 + packed_bytes(p.n, width_of(profile)) : 0);
  });
  if (!object.ok()) return object.failure();
  const Profile& profile = object.value().profile;
  const u32 n = profile.parameters.n;
  auto made = caught([&] { return empty_state(profile); });
  if (!made.ok()) return made.failure();
  auto& state = *made.value();
  ByteReader in(object.value().fields);
  in.take_bytes(state.word_key.span());
  in.take_bytes(state.box_public);
  const Digest identity = blake2b_256(state.box_public);
  if (!in.ok() || !std::equal(profile.key_id.begin(), profile.key_id.end(), identity.begin())) {
    return Failure{Code::io_digest, "the sealing key does not belong to the key id of its file", "the file is damaged"};
  }
  if (!profile.parameters.public_key_allowed) return made;
  PublicSeed seed;
  in.take_bytes(seed.bytes);
  std::vector<u64> residues(n);
  if (!unpack_residues(in.view(packed_bytes(n, width_of(profile))), width_of(profile), profile.parameters.q, residues)) {
    return Failure{Code::io_range, "the public key has a residue that is not below the modulus", "the file is damaged"};
  }
  auto key = rgsw::import_public_key(state.context, seed, residues);
  if (!key.ok()) return key.failure();
  state.public_key.emplace(std::move(key).take());
  return made;
}

}  // namespace ringfort::io
