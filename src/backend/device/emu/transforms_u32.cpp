// SPDX-License-Identifier: Apache-2.0
#include "backend/device/emu/families.h"
#include "backend/device/emu/team.h"
#include "backend/device/kernels/ntt.h"

namespace ringfort::emu {

std::span<const EmuKernel> transforms_u32() noexcept {
  using namespace device;
  static constexpr EmuKernel kKernels[] = {
      {"ntt_u32_lazy", run_kernel<ForwardNtt<u32, Lazy<u32>>>},
      {"ntt_u32_strict", run_kernel<ForwardNtt<u32, Strict<u32>>>},
      {"ntt_quotient_u32_lazy", run_kernel<ForwardNtt<u32, Lazy<u32>, Keep<u32>, Quotient<u32>>>},
      {"ntt_quotient_u32_strict", run_kernel<ForwardNtt<u32, Strict<u32>, Keep<u32>, Quotient<u32>>>},
      {"ntt_times_u32_lazy", run_kernel<ForwardNtt<u32, Lazy<u32>, Keep<u32>, Times<u32>>>},
      {"ntt_times_u32_strict", run_kernel<ForwardNtt<u32, Strict<u32>, Keep<u32>, Times<u32>>>},
      {"intt_u32_lazy", run_kernel<InverseNtt<u32, Lazy<u32>>>},
      {"intt_u32_strict", run_kernel<InverseNtt<u32, Strict<u32>>>},
  };
  return kKernels;
}

}  // namespace ringfort::emu
