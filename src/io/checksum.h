// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78, as in RFC 3720 appendix B.4) against accidental damage, and
// 256-bit BLAKE2b for digests of parameters and for the digest at the end of a file. Neither authenticates.
#pragma once

#include <array>
#include <span>

#include "math/types.h"

namespace ringfort::io {

using Digest = std::array<u8, 32>;

// Satisfies crc32c(b, crc32c(a)) == crc32c(a then b).
[[nodiscard]] u32 crc32c(std::span<const u8> bytes, u32 seed = 0) noexcept;

[[nodiscard]] Digest blake2b_256(std::span<const u8> bytes) noexcept;

}  // namespace ringfort::io
