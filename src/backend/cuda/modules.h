// SPDX-License-Identifier: Apache-2.0
// The kernels as PTX, NVIDIA's portable assembly language. Each family of kernels is one module, a file that the driver
// loads as a whole (cmake/RingfortPtx.cmake). backend/device/kernels/catalog.cmake has the names of the kernels.
#pragma once

#include <span>
#include <string_view>

namespace ringfort::cuda {

// Returns the texts of the modules. The list is empty if the library was built without a compiler for PTX.
[[nodiscard]] std::span<const char* const> modules() noexcept;

// Returns the bytes that NVIDIA's driver loads for each module, in the order of modules(). If the library was built for
// certain chips (RINGFORT_CHIPS), these bytes are a file with the text and with machine code. If not, they are the
// text.
[[nodiscard]] std::span<const char* const> images() noexcept;

// Tells whether a module has a kernel of this name.
[[nodiscard]] bool has_kernel(std::string_view module, std::string_view kernel) noexcept;

}  // namespace ringfort::cuda
