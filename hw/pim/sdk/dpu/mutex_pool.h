// SPDX-License-Identifier: Apache-2.0
// Any number of mutexes on a few atomic bits: mutex i uses bit i modulo the pool's size, so two mutexes may share a
// bit.
#pragma once

#include <mutex.h>

typedef struct mutex_pool_t {
  mutex_id_t first;
  uint16_t mask;
} mutex_pool_t;

// nb_mutexes: a power of two.
#define MUTEX_POOL_INIT(name, nb_mutexes)                                                                 \
  _Static_assert(((nb_mutexes) & ((nb_mutexes) - 1)) == 0, "a mutex pool has a power of two of mutexes"); \
  __atomic_bit uint8_t name##_bits[nb_mutexes];                                                           \
  mutex_pool_t name = {.first = name##_bits, .mask = (nb_mutexes) - 1};

__rf_inline void mutex_pool_lock(const mutex_pool_t* pool, uint16_t id) { mutex_lock(pool->first + (id & pool->mask)); }
__rf_inline void mutex_pool_unlock(const mutex_pool_t* pool, uint16_t id) {
  mutex_unlock(pool->first + (id & pool->mask));
}
