// SPDX-License-Identifier: Apache-2.0
// Virtual mutexes. Each virtual mutex has its own bit in WRAM. A mutex from a small pool of hardware mutexes protects
// the bit while it is tested and set. hw/pim/README.md explains the terms.
#pragma once

#include <mutex_pool.h>

struct vmutex {
  uint8_t* bits;
  struct mutex_pool* pool;
};

// nb_mutexes and nb_hw_mutexes are powers of two.
#define VMUTEX_INIT(name, nb_mutexes, nb_hw_mutexes) \
  MUTEX_POOL_INIT(name##_pool, nb_hw_mutexes)        \
  uint8_t name##_taken[((nb_mutexes) + 7) / 8];      \
  struct vmutex name = {.bits = name##_taken, .pool = &name##_pool};

// Takes or releases a bit. Returns true if the bit was free. Eight bits share a byte. Therefore the number of the byte
// selects the mutex of the pool.
__rf_inline bool vmutex_change(struct vmutex* vmutex, uint16_t id, bool take) {
  volatile uint8_t* byte = vmutex->bits + (id >> 3);
  const uint8_t bit = (uint8_t)(1u << (id & 7));
  mutex_pool_lock(vmutex->pool, id >> 3);
  const bool free = (*byte & bit) == 0;
  *byte = take ? *byte | bit : *byte & (uint8_t)~bit;
  mutex_pool_unlock(vmutex->pool, id >> 3);
  return free;
}

__rf_inline void vmutex_lock(struct vmutex* vmutex, uint16_t id) {
  while (!vmutex_change(vmutex, id, true)) {}
}
__rf_inline void vmutex_unlock(struct vmutex* vmutex, uint16_t id) { vmutex_change(vmutex, id, false); }
