// SPDX-License-Identifier: Apache-2.0
// The kernels for OpenCL in SPIR-V, a portable binary format. Each family of kernels is one module, a file that the
// driver loads as a whole (cmake/RingfortSpirv.cmake). backend/device/kernels/catalog.cmake has the names of the
// kernels.
#pragma once

#include <span>
#include <string_view>

namespace ringfort::opencl {

// These functions return the modules, or an empty list if the library was built without a compiler for SPIR-V. SPIR is
// an older format, for drivers that do not read SPIR-V. The two lists have the modules in the same order.
[[nodiscard]] std::span<const std::string_view> spirv_modules() noexcept;
[[nodiscard]] std::span<const std::string_view> spir_modules() noexcept;

// Tells whether a module of SPIR-V has a kernel of this name.
[[nodiscard]] bool has_kernel(std::string_view spirv, std::string_view kernel) noexcept;
// Tells whether the kernels of the module exchange registers in sub-groups. SPIR-V modules with such exchanges have
// version 1.3. All other modules have version 1.2 (cmake/RingfortSpirv.cmake).
[[nodiscard]] bool needs_shuffles(std::string_view spirv) noexcept;

}  // namespace ringfort::opencl
