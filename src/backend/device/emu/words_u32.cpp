// SPDX-License-Identifier: Apache-2.0
#include "backend/device/emu/families.h"
#include "backend/device/emu/team.h"
#include "backend/device/kernels/automorphism.h"
#include "backend/device/kernels/convert.h"
#include "backend/device/kernels/expand.h"
#include "backend/device/kernels/integers.h"
#include "backend/device/kernels/map.h"
#include "backend/device/kernels/sums.h"

namespace ringfort::emu {

std::span<const EmuKernel> words_u32() noexcept {
  using namespace device;
  static constexpr EmuKernel kKernels[] = {
      {"add_u32", run_kernel<Map<u32, Sum<u32>>>},
      {"subtract_u32", run_kernel<Map<u32, Difference<u32>>>},
      {"negate_u32", run_kernel<Map<u32, Negative<u32>>>},
      {"multiply_u32_lazy", run_kernel<Map<u32, Product<u32, Lazy<u32>>>>},
      {"multiply_u32_strict", run_kernel<Map<u32, Product<u32, Strict<u32>>>>},
      {"multiply_add_u32_lazy", run_kernel<Map<u32, SumOfProduct<u32, Lazy<u32>>>>},
      {"multiply_add_u32_strict", run_kernel<Map<u32, SumOfProduct<u32, Strict<u32>>>>},
      {"multiply_scalar_u32", run_kernel<Scale<u32>>},
      {"lift_u32_lazy", run_kernel<Lift<u32, Lazy<u32>>>},
      {"lift_u32_strict", run_kernel<Lift<u32, Strict<u32>>>},
      {"decompose_u32", run_kernel<Decompose<u32>>},
      {"automorphism_coefficients_u32", run_kernel<AutomorphismOfCoefficients<u32>>},
      {"automorphism_evaluations_u32", run_kernel<AutomorphismOfEvaluations<u32>>},
      {"base_convert_u32_lazy", run_kernel<Convert<u32, Lazy<u32>>>},
      {"base_convert_u32_strict", run_kernel<Convert<u32, Strict<u32>>>},
      {"expand_uniform_u32_lazy", run_kernel<Expand<u32, Lazy<u32>>>},
      {"expand_uniform_u32_strict", run_kernel<Expand<u32, Strict<u32>>>},
      {"inner_product_u32_lazy", run_kernel<InnerProduct<u32, Lazy<u32>>>},
      {"inner_product_u32_strict", run_kernel<InnerProduct<u32, Strict<u32>>>},
      {"tensor_u32_lazy", run_kernel<Tensor<u32, Lazy<u32>>>},
      {"tensor_u32_strict", run_kernel<Tensor<u32, Strict<u32>>>},
      {"divide_u32", run_kernel<Divide<u32>>},
  };
  return kKernels;
}

}  // namespace ringfort::emu
