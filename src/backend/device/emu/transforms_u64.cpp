// SPDX-License-Identifier: Apache-2.0
#include "backend/device/emu/families.h"
#include "backend/device/emu/team.h"
#include "backend/device/kernels/ntt.h"

namespace ringfort::emu {

std::span<const EmuKernel> transforms_u64() noexcept {
  using namespace device;
  static constexpr EmuKernel kKernels[] = {
      {"ntt_u64_lazy", run_kernel<ForwardNtt<u64, Lazy<u64>>>},
      {"ntt_quotient_u64_lazy", run_kernel<ForwardNtt<u64, Lazy<u64>, Keep<u64>, Quotient<u64>>>},
      {"ntt_times_u64_lazy", run_kernel<ForwardNtt<u64, Lazy<u64>, Keep<u64>, Times<u64>>>},
      {"intt_u64_lazy", run_kernel<InverseNtt<u64, Lazy<u64>>>},
  };
  return kKernels;
}

}  // namespace ringfort::emu
