// SPDX-License-Identifier: Apache-2.0
// Checksums. CRC-32C protects against accidental damage. It is the Castagnoli code with the reflected polynomial
// 0x82F63B78, as in RFC 3720 appendix B.4. BLAKE2b with 256 bits gives the digest of parameters, and the digest at the
// end of a file. Neither of the two protects against deliberate changes.
#pragma once

#include <array>
#include <span>

#include "math/types.h"

namespace ringfort::io {

using Digest = std::array<u8, 32>;

// The seed continues a checksum: crc32c(b, crc32c(a)) is the checksum of a followed by b.
[[nodiscard]] u32 crc32c(std::span<const u8> bytes, u32 seed = 0) noexcept;

[[nodiscard]] Digest blake2b_256(std::span<const u8> bytes) noexcept;

}  // namespace ringfort::io
