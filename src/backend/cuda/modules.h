// SPDX-License-Identifier: Apache-2.0
// The kernels in PTX, one text for each family of kernels (cmake/RingfortPtx.cmake). Kernels have the names in
// backend/device/kernels/catalog.cmake.
#pragma once

#include <span>
#include <string_view>

namespace ringfort::cuda {

// Returns an empty list if the library was built without a compiler for PTX.
[[nodiscard]] std::span<const char* const> modules() noexcept;

// Returns for each of modules() the bytes that NVIDIA's driver loads. If the library was built for certain chips
// (RINGFORT_CHIPS), these are a file with the text and with machine code; otherwise they are the text.
[[nodiscard]] std::span<const char* const> images() noexcept;

// Tells whether a module has a kernel of this name.
[[nodiscard]] bool has_kernel(std::string_view module, std::string_view kernel) noexcept;

}  // namespace ringfort::cuda
