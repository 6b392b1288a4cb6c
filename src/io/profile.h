// SPDX-License-Identifier: Apache-2.0
// The profile: 128 bytes after the header of every file of the search, and the sizes that follow from it.
#pragma once

#include "io/header.h"
#include "io/pack.h"

namespace ringfort::io {

inline constexpr std::size_t kProfileBytes = 128;
inline constexpr std::uint64_t kCiphertextLimit = std::uint64_t{64} << 20;  // largest encrypted word

void encode_profile(const Profile& profile, ByteWriter& file);  // the last four bytes: crc32c of the bytes before

// Checks every field, validates the parameters, and compares the digest with the header's.
// Codes: io_truncated, io_checksum, io_range, io_digest, io_flags, insecure_parameters.
[[nodiscard]] Result<Profile> decode_profile(const Header& header, ByteReader& file);

// Returns the key id: the first bytes of a digest of the public parts. Different public parts have different ids.
// `others` is the digest of all parts but the sealing key. It is zero in sets of version 2, whose id covers only the
// sealing key.
[[nodiscard]] std::array<u8, 16> identity_of(std::span<const u8, 32> box_public, const Digest& others) noexcept;

// Checks the parameters and the size of a word. Codes: invalid_argument, insecure_parameters, io_limit.
[[nodiscard]] Result<Done> check_profile(const Profile& profile);

// Fails with insecure_parameters for parameters below 128 bits, unless the caller allows such parameters. `where` is
// the file of the parameters.
[[nodiscard]] Result<Done> check_allowed(const Profile& profile, bool allow_insecure, const std::string& where);

// Returns the number of encrypted bits of a word.
[[nodiscard]] inline std::uint32_t planes(const Profile& profile) noexcept { return profile.hash_bits; }
[[nodiscard]] inline u32 insecure_flag(const Profile& profile) noexcept {
  return profile.parameters.insecure_reason.empty() ? 0 : static_cast<u32>(kFlagInsecure);
}

// Returns the result of a call, or the failure of the Error that it throws.
template <class Call>
auto caught(Call call) -> Result<decltype(call())> {
  try {
    return call();
  } catch (const Error& error) { return Failure{error.code(), error.problem(), error.fix()}; }
}

}  // namespace ringfort::io
