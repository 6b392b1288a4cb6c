// SPDX-License-Identifier: Apache-2.0
// The profile is the 128 bytes after the header of every file of the word search. It has the parameters of the
// encryption and of the hash that encodes words, and the id of the key set. Some functions here compute the sizes that
// follow from a profile.
#pragma once

#include "io/header.h"
#include "io/pack.h"

namespace ringfort::io {

inline constexpr std::size_t kProfileBytes = 128;
inline constexpr std::uint64_t kCiphertextLimit = std::uint64_t{64} << 20;  // largest encrypted word in bytes

void encode_profile(const Profile& profile, ByteWriter& file);  // ends with the crc32c of its earlier bytes

// Checks every field, validates the parameters, and compares the digest of the profile with the digest in the header.
// Fails with io_truncated, io_checksum, io_range, io_limit, io_digest, io_flags and insecure_parameters.
[[nodiscard]] Result<Profile> decode_profile(const Header& header, ByteReader& file);

// Returns the key id, which is the first bytes of a digest of the public parts. Different public parts have different
// ids. `others` is the digest of all public parts except the sealing key. `others` is zero in sets of version 2, whose
// id covers only the sealing key `box_public`.
[[nodiscard]] std::array<u8, 16> identity_of(std::span<const u8, 32> box_public, const Digest& others) noexcept;

// Checks the parameters and the size of an encrypted word. Fails with invalid_argument, insecure_parameters and
// io_limit.
[[nodiscard]] Result<Done> check_profile(const Profile& profile);

// Fails with insecure_parameters if the parameters give less than 128 bits and the caller does not allow them. `where`
// is the file of the parameters.
[[nodiscard]] Result<Done> check_allowed(const Profile& profile, bool allow_insecure, const std::string& where);

// Returns the number of encrypted bits of a word.
[[nodiscard]] inline std::uint32_t planes(const Profile& profile) noexcept { return profile.hash_bits; }
[[nodiscard]] inline u32 insecure_flag(const Profile& profile) noexcept {
  return profile.parameters.insecure_reason.empty() ? 0 : static_cast<u32>(kFlagInsecure);
}

// Returns the result of a call. If the call throws an Error, returns its failure.
template <class Call>
auto caught(Call call) -> Result<decltype(call())> {
  try {
    return call();
  } catch (const Error& error) { return Failure{error.code(), error.problem(), error.fix()}; }
}

}  // namespace ringfort::io
