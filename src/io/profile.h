// SPDX-License-Identifier: Apache-2.0
// The 128 bytes that follow every header, and how much the other parts of a file take under that profile.
#pragma once

#include "io/header.h"
#include "io/pack.h"

namespace ringfort::io {

inline constexpr std::size_t kProfileBytes = 128;
inline constexpr std::uint64_t kCiphertextLimit = std::uint64_t{64} << 20;  // of one encrypted word

void encode_profile(const Profile& profile, ByteWriter& file);  // its last four bytes: crc32c of those before

// Checks every field, validates the parameters, and compares the digest with the header's.
// Codes: io_truncated, io_checksum, io_range, io_digest, io_flags, insecure_parameters.
[[nodiscard]] Result<Profile> decode_profile(const Header& header, ByteReader& file);

// The key id is the start of a digest of the public parts, so nobody can make other parts for it. `others`: the digest
// of all parts but the sealing key; zero in sets of version 2, whose id is of the sealing key alone.
[[nodiscard]] std::array<u8, 16> identity_of(std::span<const u8, 32> box_public, const Digest& others) noexcept;

// Codes: invalid_argument, insecure_parameters, io_limit.
[[nodiscard]] Result<Done> check_profile(const Profile& profile);

// Refuses parameters below 128 bits that the caller of a loader did not allow (insecure_parameters); `where` is their
// file.
[[nodiscard]] Result<Done> check_allowed(const Profile& profile, bool allow_insecure, const std::string& where);

// bits encrypted for a word
[[nodiscard]] inline std::uint32_t planes(const Profile& profile) noexcept { return profile.hash_bits; }
[[nodiscard]] inline u32 insecure_flag(const Profile& profile) noexcept {
  return profile.parameters.insecure_reason.empty() ? 0 : static_cast<u32>(kFlagInsecure);
}

// Result of a call that reports by Error or bad_alloc.
template <class Call>
auto caught(Call call) -> Result<decltype(call())> {
  try {
    return call();
  } catch (const Error& error) { return Failure{error.code(), error.problem(), error.fix()}; }
}

}  // namespace ringfort::io
