// SPDX-License-Identifier: Apache-2.0
// Counting semaphores: sem_take() sleeps while the count is zero or less, sem_give() wakes the first sleeper.
#pragma once

#include <mutex.h>
#include <stdint.h>

typedef struct sem_t {
  int32_t count;
  uint8_t first;  // a ring of sleeping tasklets, FIFO
  uint8_t sleeping;
  uint8_t sleepers[24];
  mutex_id_t lock;
} sem_t;

#define SEMAPHORE_INIT(name, initial) \
  ATOMIC_BIT_INIT(name##_lock);       \
  sem_t name = {.count = (initial), .first = 0, .sleeping = 0, .lock = &name##_lock};

void sem_take(sem_t* sem);
void sem_give(sem_t* sem);
