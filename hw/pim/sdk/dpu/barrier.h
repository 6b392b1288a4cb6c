// SPDX-License-Identifier: Apache-2.0
// Barriers: the last of `count` tasklets wakes the others. A barrier is reusable immediately.
#pragma once

#include <mutex.h>
#include <stdint.h>

typedef struct barrier_t {
  uint32_t waiting;  // one bit per sleeping tasklet
  uint8_t missing;
  uint8_t count;
  mutex_id_t lock;
} barrier_t;

#define BARRIER_INIT(name, number) \
  ATOMIC_BIT_INIT(name##_lock);    \
  barrier_t name = {.waiting = 0, .missing = (number), .count = (number), .lock = &name##_lock};

void barrier_wait(barrier_t* barrier);
