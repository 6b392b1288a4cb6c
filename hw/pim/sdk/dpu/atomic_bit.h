// SPDX-License-Identifier: Apache-2.0
// The hardware's atomic bits. Each bit has an address in a separate address space. An instruction uses only the lowest
// eight bits of this address. An acquire tries until it succeeds, and each try takes one issue slot. hw/pim/README.md
// explains the terms.
#pragma once

#include <attributes.h>
#include <dpu_isa.h>
#include <stdint.h>

#define __rf_joined(a, b) a##b
#define __rf_join(a, b) __rf_joined(a, b)
#define __rf_text_of(...) #__VA_ARGS__
#define __rf_text(...) __rf_text_of(__VA_ARGS__)

#define ATOMIC_BIT_GET(name) __rf_join(__atomic_bit_, name)
#define ATOMIC_BIT_INIT(name) uint8_t __atomic_bit ATOMIC_BIT_GET(name)
#define ATOMIC_BIT_EXTERN(name) extern ATOMIC_BIT_INIT(name)

extern uint8_t __atomic_start_addr;
#define ATOMIC_BIT_INDEX(name) (&ATOMIC_BIT_GET(name) - &__atomic_start_addr)

#define ATOMIC_BIT_ACQUIRE(name) rf_acquire((uint32_t)&ATOMIC_BIT_GET(name))
#define ATOMIC_BIT_RELEASE(name) rf_release((uint32_t)&ATOMIC_BIT_GET(name))
#define __ATOMIC_BIT_ACQUIRE(base, bit) rf_acquire((uint32_t)(base) + (uint32_t)(bit))
#define __ATOMIC_BIT_RELEASE(base, bit) rf_release((uint32_t)(base) + (uint32_t)(bit))

__rf_inline void rf_acquire(uint32_t bit) {
  __asm__ volatile(".insn r %0, %1, %2, x0, %3, x0" ::"i"(kDpuSystem), "i"(kDpuThread), "i"(kDpuAcquire), "r"(bit)
                   : "memory");
}

__rf_inline uint32_t rf_try_acquire(uint32_t bit) {
  uint32_t taken;
  __asm__ volatile(".insn r %1, %2, %3, %0, %4, x0"
                   : "=r"(taken)
                   : "i"(kDpuSystem), "i"(kDpuThread), "i"(kDpuTryAcquire), "r"(bit)
                   : "memory");
  return taken;
}

__rf_inline void rf_release(uint32_t bit) {
  __asm__ volatile(".insn r %0, %1, %2, x0, %3, x0" ::"i"(kDpuSystem), "i"(kDpuThread), "i"(kDpuRelease), "r"(bit)
                   : "memory");
}

// Defines a record of four bytes. Its last byte is the index of an atomic bit. The assembler computes this index,
// because a C initialiser cannot.
#define __rf_locked_record(name, bit, first, second, third) \
  __asm__(".pushsection .data." __rf_text(name) ",\"aw\",@progbits\n.globl " __rf_text(name)              \
          "\n.type " __rf_text(name) ",@object\n.size " __rf_text(name) ", 4\n.balign 4\n" __rf_text(name) \
          ":\n.byte " __rf_text(first) "\n.byte " __rf_text(second) "\n.byte " __rf_text(third)           \
          "\n.byte " __rf_text(ATOMIC_BIT_GET(bit)) " - __atomic_start_addr\n.popsection\n")
