// SPDX-License-Identifier: Apache-2.0
// Transfers between WRAM and MRAM by the DMA engine. The number of bytes is a multiple of 8, from 8 to 2048. Both
// addresses are multiples of 8. If a program breaks one of these rules, the hardware ignores the excess bits. The
// simulator does the same, unless the profile has dma=checked: then the program stops with a fault. hw/pim/README.md
// explains the terms.
#pragma once

#include <attributes.h>
#include <dpu_isa.h>
#include <stdint.h>

extern __mram_ptr uint8_t __sys_used_mram_end[];
#define DPU_MRAM_HEAP_POINTER ((__mram_ptr void*)(&__sys_used_mram_end[0]))

__rf_inline void mram_read(const __mram_ptr void* from, void* to, unsigned int nb_of_bytes) {
  if (__builtin_constant_p(nb_of_bytes)) {
    __asm__ volatile(".insn r4 %0, 0, %1, x0, %2, %3, %4" ::"i"(kDpuDma), "i"(kDpuReadConstant), "r"(to), "r"(from),
                     "r"(nb_of_bytes)
                     : "memory");
  } else {
    __asm__ volatile(".insn r4 %0, 0, %1, x0, %2, %3, %4" ::"i"(kDpuDma), "i"(kDpuReadVariable), "r"(to), "r"(from),
                     "r"(nb_of_bytes)
                     : "memory");
  }
}

__rf_inline void mram_write(const void* from, __mram_ptr void* to, unsigned int nb_of_bytes) {
  if (__builtin_constant_p(nb_of_bytes)) {
    __asm__ volatile(".insn r4 %0, 0, %1, x0, %2, %3, %4" ::"i"(kDpuDma), "i"(kDpuWriteConstant), "r"(from), "r"(to),
                     "r"(nb_of_bytes)
                     : "memory");
  } else {
    __asm__ volatile(".insn r4 %0, 0, %1, x0, %2, %3, %4" ::"i"(kDpuDma), "i"(kDpuWriteVariable), "r"(from), "r"(to),
                     "r"(nb_of_bytes)
                     : "memory");
  }
}
