// SPDX-License-Identifier: Apache-2.0
// Mutexes, each on one of the hardware's atomic bits. MUTEX_INIT(name) defines the constant `name`, which is the
// argument of the functions. An atomic bit that __atomic_bit declares is a mutex, too. Its address is its mutex_id_t.
// hw/pim/README.md explains the terms.
#pragma once

#include <atomic_bit.h>
#include <stdbool.h>
#include <stdint.h>
#include <sysdef.h>

typedef uint8_t* mutex_id_t;

#define MUTEX_GET(name) name
#define MUTEX_INIT(name)                    \
  ATOMIC_BIT_INIT(__rf_join(mutex_, name)); \
  const mutex_id_t MUTEX_GET(name) = &ATOMIC_BIT_GET(__rf_join(mutex_, name))

__rf_inline void mutex_lock(mutex_id_t mutex) { rf_acquire((uint32_t)mutex); }
__rf_inline bool mutex_trylock(mutex_id_t mutex) { return rf_try_acquire((uint32_t)mutex) != 0; }
__rf_inline void mutex_unlock(mutex_id_t mutex) { rf_release((uint32_t)mutex); }
