// SPDX-License-Identifier: Apache-2.0
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
}

namespace ringfort::pim_host {

dpu_incbin_t& program_of(Kernel kernel) noexcept {
  dpu_incbin_t* const programs[] = {&ringfort_dpu_elementwise,  &ringfort_dpu_ntt,       &ringfort_dpu_tensor,
                                    &ringfort_dpu_automorphism, &ringfort_dpu_decompose, &ringfort_dpu_inner_product,
                                    &ringfort_dpu_convert,      &ringfort_dpu_expand};
  return *programs[static_cast<std::size_t>(kernel)];
}

bool has_instructions() noexcept {
  constexpr unsigned char kElf[] = {0x7f, 'E', 'L', 'F'};
  const dpu_incbin_t& program = program_of(Kernel::elementwise);
  return program.size > sizeof kElf && std::memcmp(program.buffer, kElf, sizeof kElf) == 0;
}

}  // namespace ringfort::pim_host
