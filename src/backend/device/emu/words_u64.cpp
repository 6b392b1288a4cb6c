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

std::span<const EmuKernel> words_u64() noexcept {
  using namespace device;
  static constexpr EmuKernel kKernels[] = {
      {"add_u64", run_kernel<Map<u64, Sum<u64>>>},
      {"subtract_u64", run_kernel<Map<u64, Difference<u64>>>},
      {"negate_u64", run_kernel<Map<u64, Negative<u64>>>},
      {"multiply_u64_lazy", run_kernel<Map<u64, Product<u64, Lazy<u64>>>>},
      {"multiply_add_u64_lazy", run_kernel<Map<u64, SumOfProduct<u64, Lazy<u64>>>>},
      {"multiply_scalar_u64", run_kernel<Scale<u64>>},
      {"lift_u64_lazy", run_kernel<Lift<u64, Lazy<u64>>>},
      {"decompose_u64", run_kernel<Decompose<u64>>},
      {"automorphism_coefficients_u64", run_kernel<AutomorphismOfCoefficients<u64>>},
      {"automorphism_evaluations_u64", run_kernel<AutomorphismOfEvaluations<u64>>},
      {"base_convert_u64_lazy", run_kernel<Convert<u64, Lazy<u64>>>},
      {"expand_uniform_u64_lazy", run_kernel<Expand<u64, Lazy<u64>>>},
      {"inner_product_u64_lazy", run_kernel<InnerProduct<u64, Lazy<u64>>>},
      {"tensor_u64_lazy", run_kernel<Tensor<u64, Lazy<u64>>>},
      {"divide_u64", run_kernel<Divide<u64>>},
  };
  return kKernels;
}

}  // namespace ringfort::emu
