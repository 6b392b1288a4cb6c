// SPDX-License-Identifier: Apache-2.0
// Class Keys: public functions, generation of keys, and sealed boxes. A sealed box has the format of libsodium's
// crypto_box_seal. The library's entropy source gives its one-time key, so that tests can choose the key.
#include "io/keys.h"

#include <sodium.h>

#include "io/file.h"
#include "math/random.h"

namespace ringfort::io {

Keys::Keys(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Keys::Keys(Keys&&) noexcept = default;
Keys& Keys::operator=(Keys&&) noexcept = default;
Keys::~Keys() = default;

Keys Keys::generate(Profile profile, const rgsw::Context& context) {
  check_profile(profile).take();
  auto state = std::make_unique<State>(profile, context);
  const rgsw::KeyGenerator generator(context);
  state->secret = rgsw::SecretKey(generator.secret_key().state());
  if (profile.parameters.public_key_allowed) state->public_key = generator.create_public_key();
  state->word_key = std::move(fresh_secret_seed().bytes());
  const SecretSeed box_seed = fresh_secret_seed();
  state->box_secret = Secret<u8>(crypto_box_SECRETKEYBYTES);
  crypto_box_seed_keypair(state->box_public.data(), state->box_secret.data(), box_seed.bytes().data());
  // The identity is derived from all public parts. Therefore a secret set and its public set have the same identity.
  state->others = digest_of_others(*state);
  state->profile.key_id = identity_of(state->box_public, state->others);
  return Keys(std::move(state));
}

namespace {

// Returns the size of a key file of this type, which must be within the limit. Throws for any other file before it
// allocates memory or reads more than the header.
u64 size_of_keys(const File& file, FileType type, u64 limit_bytes) {
  const Header header = read_header(file).take();
  if (header.type != type) wrong_type(header.type, type).raise();
  const u64 bytes = file.size().take();
  if (bytes > limit_bytes)
    throw Error(Code::io_limit, file.path() + " is larger than the limit for keys",
                "raise the limit if this is expected");
  return bytes;
}

}  // namespace

Keys Keys::load_secret(const std::string& path, std::string_view passphrase, bool allow_insecure,
                       std::uint64_t limit_bytes, const Limits& limits, const Progress& progress) {
  const auto file = File::open_existing(path, false, Links::follow).take();
  Secret<u8> content(static_cast<std::size_t>(size_of_keys(file, FileType::secret_keys, limit_bytes)));
  file.read_at(0, content.span()).take();
  Keys keys(decode_secret_keys(content.span(), passphrase, limits, progress).take());
  check_allowed(keys.profile(), allow_insecure, path).take();
  return keys;
}

Keys Keys::load_public(const std::string& path, bool allow_insecure, std::uint64_t limit_bytes) {
  const auto file = File::open_existing(path, false, Links::follow).take();
  std::vector<u8> content(static_cast<std::size_t>(size_of_keys(file, FileType::public_keys, limit_bytes)));
  file.read_at(0, content).take();
  Keys keys(decode_public_keys(content).take());
  check_allowed(keys.profile(), allow_insecure, path).take();
  return keys;
}

const Keys::State& Keys::state() const {
  if (!state_)
    throw Error(Code::invalid_argument, "these keys were moved from", "use the object that they were moved to");
  return *state_;
}

void Keys::save_secret(const std::string& path, std::string_view passphrase, unsigned strength,
                       const Progress& progress) const {
  if (!state().secret)
    throw Error(Code::key_missing, "this is a public key set, which has no secret to save",
                "use the set that keygen made");
  write_file(path, encode_secret_keys(state(), passphrase, strength, progress).span(), true).take();
}

void Keys::save_public(const std::string& path) const {
  if (state().profile.parameters.public_key_allowed && !state().public_key) {
    throw Error(Code::key_missing, "this set was loaded from a secret file, which does not hold the public key",
                "copy the public file that keygen made");
  }
  write_file(path, encode_public_keys(state())).take();
}

const Profile& Keys::profile() const { return state().profile; }
const rgsw::Context& Keys::context() const { return state().context; }
const rgsw::SecretKey* Keys::secret_key() const { return state().secret ? &*state().secret : nullptr; }
const rgsw::PublicKey* Keys::public_key() const { return state().public_key ? &*state().public_key : nullptr; }
std::array<std::uint8_t, 16> Keys::fingerprint() const {
  const bool is_complete = !state().profile.parameters.public_key_allowed || state().public_key;
  if (state().others == Digest{} && !is_complete) {
    throw Error(Code::key_missing, "a secret file of version 2 does not name its public key",
                "give the public file that was made with it");
  }
  return fingerprint_of(state());
}
std::span<const std::uint8_t> Keys::word_key() const { return state().word_key.span(); }
std::span<const std::uint8_t, 32> Keys::box_public() const { return state().box_public; }

std::array<u8, 16> fingerprint_of(const Keys::State& keys) {
  std::vector<u8> named;
  ByteWriter out(named);
  out.put_text("ringfort finger1", 16);
  encode_profile(keys.profile, out);
  out.put_bytes(keys.box_public);
  out.put_bytes(keys.others == Digest{} ? digest_of_others(keys) : keys.others);
  const Digest whole = blake2b_256(named);
  std::array<u8, 16> fingerprint{};
  std::copy_n(whole.begin(), fingerprint.size(), fingerprint.begin());
  return fingerprint;
}

std::vector<u8> seal_to(std::span<const u8, 32> box_public, std::span<const u8> content) {
  std::vector<u8> sealed(content.size() + kSealBytes);
  const SecretSeed seed = fresh_secret_seed();
  Secret<u8> once(crypto_box_SECRETKEYBYTES);
  crypto_box_seed_keypair(sealed.data(), once.data(), seed.bytes().data());
  std::array<u8, 64> both{};
  std::copy_n(sealed.begin(), 32, both.begin());
  std::copy(box_public.begin(), box_public.end(), both.begin() + 32);
  std::array<u8, crypto_box_NONCEBYTES> nonce{};
  crypto_generichash(nonce.data(), nonce.size(), both.data(), both.size(), nullptr, 0);
  if (crypto_box_easy(sealed.data() + 32, content.data(), content.size(), nonce.data(), box_public.data(),
                      once.data()) != 0) {
    throw Error(Code::io_range, "the owner's sealing key is not a valid X25519 key", "copy the public keys again");
  }
  return sealed;
}

Result<std::vector<u8>> open_sealed(const Keys::State& keys, std::span<const u8> sealed) {
  if (keys.box_secret.size() == 0) {
    return Failure{Code::key_missing, "names of documents are sealed to the owner", "give the secret keys"};
  }
  if (sealed.size() < kSealBytes)
    return Failure{Code::io_truncated, "a sealed record is shorter than a seal", "the file is damaged"};
  std::vector<u8> content(sealed.size() - kSealBytes);
  if (crypto_box_seal_open(content.data(), sealed.data(), sealed.size(), keys.box_public.data(),
                           keys.box_secret.data()) != 0) {
    return Failure{Code::io_checksum, "a sealed record does not open with these keys",
                   "use the keys that the index was made with"};
  }
  return content;
}

}  // namespace ringfort::io
