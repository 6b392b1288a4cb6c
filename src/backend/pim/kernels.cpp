// SPDX-License-Identifier: Apache-2.0
// Embeds the programs of the DPUs in the library (kernels.h).
#include "backend/pim/kernels.h"

#include <cstring>

extern "C" {
DPU_INCBIN(ringfort_dpu_elementwise, "elementwise.dpu")
DPU_INCBIN(ringfort_dpu_ntt, "ntt.dpu")
DPU_INCBIN(ringfort_dpu_tensor, "tensor.dpu")
DPU_INCBIN(ringfort_dpu_automorphism, "automorphism.dpu")
DPU_INCBIN(ringfort_dpu_decompose, "decompose.dpu")
DPU_INCBIN(ringfort_dpu_inner_product, "inner_product.dpu")
DPU_INCBIN(ringfort_dpu_convert, "convert.dpu")
DPU_INCBIN(ringfort_dpu_expand, "expand.dpu")
DPU_INCBIN(ringfort_dpu_elementwise64, "elementwise64.dpu")
DPU_INCBIN(ringfort_dpu_ntt64, "ntt64.dpu")
DPU_INCBIN(ringfort_dpu_tensor64, "tensor64.dpu")
DPU_INCBIN(ringfort_dpu_automorphism64, "automorphism64.dpu")
DPU_INCBIN(ringfort_dpu_decompose64, "decompose64.dpu")
DPU_INCBIN(ringfort_dpu_inner_product64, "inner_product64.dpu")
DPU_INCBIN(ringfort_dpu_convert64, "convert64.dpu")
DPU_INCBIN(ringfort_dpu_expand64, "expand64.dpu")
}

namespace ringfort::pim_host {

dpu_incbin_t& program_of(Kernel kernel) noexcept {
  dpu_incbin_t* const programs[kKernels] = {&ringfort_dpu_elementwise,   &ringfort_dpu_ntt,
                                            &ringfort_dpu_tensor,        &ringfort_dpu_automorphism,
                                            &ringfort_dpu_decompose,     &ringfort_dpu_inner_product,
                                            &ringfort_dpu_convert,       &ringfort_dpu_expand,
                                            &ringfort_dpu_elementwise64, &ringfort_dpu_ntt64,
                                            &ringfort_dpu_tensor64,      &ringfort_dpu_automorphism64,
                                            &ringfort_dpu_decompose64,   &ringfort_dpu_inner_product64,
                                            &ringfort_dpu_convert64,     &ringfort_dpu_expand64};
  return *programs[static_cast<std::size_t>(kernel)];
}

bool has_instructions() noexcept {
  constexpr unsigned char kElf[] = {0x7f, 'E', 'L', 'F'};
  const dpu_incbin_t& program = program_of(Kernel::elementwise);
  return program.size > sizeof kElf && std::memcmp(program.buffer, kElf, sizeof kElf) == 0;
}

}  // namespace ringfort::pim_host
