// SPDX-License-Identifier: Apache-2.0
// Any number of mutexes on a few atomic bits. Mutex i uses bit i modulo the size of the pool. Two mutexes that share a
// bit exclude each other. Therefore a tasklet may wait although its mutex is free. hw/pim/README.md explains the terms.
#pragma once

#include <mutex.h>

struct mutex_pool {
  uint8_t* hw_mutexes;
  uint8_t hw_mutexes_mask;
};

// nb_mutexes is a power of two.
#define MUTEX_POOL_INIT(name, nb_mutexes)                                      \
  _Static_assert((nb_mutexes) > 0 && ((nb_mutexes) & ((nb_mutexes) - 1)) == 0, \
                 "the number of mutexes of a pool is a power of two");         \
  uint8_t __atomic_bit __rf_join(hw_mutexes_, name)[nb_mutexes];               \
  struct mutex_pool name = {.hw_mutexes = __rf_join(hw_mutexes_, name), .hw_mutexes_mask = (nb_mutexes) - 1};

__rf_inline void mutex_pool_lock(struct mutex_pool* pool, uint16_t id) {
  mutex_lock(&pool->hw_mutexes[id & pool->hw_mutexes_mask]);
}
__rf_inline void mutex_pool_unlock(struct mutex_pool* pool, uint16_t id) {
  mutex_unlock(&pool->hw_mutexes[id & pool->hw_mutexes_mask]);
}
