// SPDX-License-Identifier: Apache-2.0
// printf of DPU programs. It passes the addresses of the format and of the arguments to the simulator. The simulator
// formats the text. hw/pim/README.md explains the terms.
#include <dpu_isa.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

int printf(const char* restrict format, ...) {
  va_list arguments;
  va_start(arguments, format);
  register uint32_t a0 __asm__("a0") = (uint32_t)format;
  register uint32_t a1 __asm__("a1") = (uint32_t)arguments;
  __asm__ volatile(".insn r %0, %1, %2, x0, x0, x0" ::"i"(kDpuSystem), "i"(kDpuHost), "i"(kDpuPrint), "r"(a0), "r"(a1)
                   : "memory");
  va_end(arguments);
  return 0;
}
