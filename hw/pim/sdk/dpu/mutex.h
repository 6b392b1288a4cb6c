// SPDX-License-Identifier: Apache-2.0
// Mutexes on the hardware's atomic bits. Acquire spins; each try takes one issue slot.
#pragma once

#include <attributes.h>
#include <dpu_isa.h>
#include <stdbool.h>
#include <stdint.h>

typedef uint8_t* mutex_id_t;

#define ATOMIC_BIT_GET(name) (&name)
#define ATOMIC_BIT_INIT(name) __atomic_bit uint8_t name
#define MUTEX_GET(name) (&name)
#define MUTEX_INIT(name) ATOMIC_BIT_INIT(name)

__rf_inline void mutex_lock(mutex_id_t mutex) {
  __asm__ volatile(".insn r %0, %1, %2, x0, %3, x0" ::"i"(kDpuSystem), "i"(kDpuThread), "i"(kDpuAcquire), "r"(mutex)
                   : "memory");
}

__rf_inline bool mutex_trylock(mutex_id_t mutex) {
  uint32_t taken;
  __asm__ volatile(".insn r %1, %2, %3, %0, %4, x0"
                   : "=r"(taken)
                   : "i"(kDpuSystem), "i"(kDpuThread), "i"(kDpuTryAcquire), "r"(mutex)
                   : "memory");
  return taken != 0;
}

__rf_inline void mutex_unlock(mutex_id_t mutex) {
  __asm__ volatile(".insn r %0, %1, %2, x0, %3, x0" ::"i"(kDpuSystem), "i"(kDpuThread), "i"(kDpuRelease), "r"(mutex)
                   : "memory");
}
