// SPDX-License-Identifier: Apache-2.0
// Compression of saved objects, by zlib and zstd. A build without one of them refuses its mode.
#pragma once

#include <functional>
#include <span>

#include "bytes.h"
#include "seal/serialization.h"

namespace seal::detail {

// Returns the largest number of bytes that `size` bytes give. Throws std::invalid_argument for a mode that the build
// does not support, as all functions here do.
[[nodiscard]] std::size_t compressed_bound(compr_mode_type mode, std::size_t size);
// Overwrites its copies of the bytes.
[[nodiscard]] WipedVector<char> compressed(compr_mode_type mode, std::span<const char> bytes);

// Writes the next bytes to a buffer, and returns their number, which is below its size only at the end. The caller
// keeps the compressed bytes. Throws std::logic_error for bytes that are not compressed, and for more bytes after their
// end.
using Inflating = std::function<std::size_t(std::span<char>)>;
[[nodiscard]] Inflating inflating(compr_mode_type mode, std::span<const char> bytes);

}  // namespace seal::detail
