// SPDX-License-Identifier: Apache-2.0
// The hash BLAKE2Xb with output of any length below 2^32 - 1 bytes [Aumasson16]. SEAL's seeds need it; libsodium has
// BLAKE2b, but without the parameters that BLAKE2X sets.
#pragma once

#include <cstdint>
#include <span>

namespace seal::detail {

// Writes the hash of `input` under a key of at most 64 bytes. The copies of the key are overwritten.
void blake2xb(std::span<std::uint8_t> out, std::span<const std::uint8_t> input, std::span<const std::uint8_t> key);

}  // namespace seal::detail
