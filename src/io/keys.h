// SPDX-License-Identifier: Apache-2.0
// Key sets of the word search in memory, and their two types of files. The functions also seal titles and bodies of
// documents to the owner, who alone can open them (libsodium's sealed boxes, X25519).
#pragma once

#include <optional>

#include "io/object.h"

namespace ringfort::io {

struct Keys::State {
  explicit State(const Profile& p, const rgsw::Context& c) : profile(p), context(c), word_key(32) {}
  Profile profile;
  rgsw::Context context;
  std::optional<rgsw::SecretKey> secret;
  std::optional<rgsw::PublicKey> public_key;
  Secret<u8> word_key;
  Secret<u8> box_secret;  // empty in a public set
  std::array<u8, 32> box_public{};
  Digest others{};  // digest of the word key and the public key; zero in sets of version 2
  [[nodiscard]] u16 version() const noexcept {
    return others == Digest{} ? kFirstVersion : newest_version(FileType::public_keys);
  }
};

// Returns the digest of the word key and the public key. A file of secret keys contains this digest in place of the
// public key.
[[nodiscard]] Digest digest_of_others(const Keys::State& keys);

// Returns a digest of the profile and of all public keys. The owner and a sender compare it.
[[nodiscard]] std::array<u8, 16> fingerprint_of(const Keys::State& keys);

// Decoders and encoders. The decoders can fail with the codes of open_object(), and with passphrase, io_limit and
// out_of_memory.
[[nodiscard]] Result<std::unique_ptr<Keys::State>> decode_secret_keys(std::span<const u8> bytes,
                                                                      std::string_view passphrase,
                                                                      const Limits& limits = {},
                                                                      const Progress& progress = {});
[[nodiscard]] Result<std::unique_ptr<Keys::State>> decode_public_keys(std::span<const u8> bytes);
[[nodiscard]] Secret<u8> encode_secret_keys(const Keys::State& keys, std::string_view passphrase, unsigned strength,
                                            const Progress& progress = {});
[[nodiscard]] std::vector<u8> encode_public_keys(const Keys::State& keys);

inline constexpr std::size_t kSealBytes = 48;
[[nodiscard]] std::vector<u8> seal_to(std::span<const u8, 32> box_public, std::span<const u8> content);
[[nodiscard]] Result<std::vector<u8>> open_sealed(const Keys::State& keys, std::span<const u8> sealed);

}  // namespace ringfort::io
