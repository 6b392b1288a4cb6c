// SPDX-License-Identifier: Apache-2.0
// Counting semaphores. sem_take() decrements the count, and sleeps if the count was zero or less. sem_give() increments
// the count, and wakes the tasklet that has slept longest. The assembler evaluates the count in SEMAPHORE_INIT.
// Therefore the count may consist of digits, macros and operators. hw/pim/README.md explains the terms.
#pragma once

#include <atomic_bit.h>
#include <stdint.h>

typedef struct sem_t {
  uint8_t wait_queue;  // the tasklet that fell asleep last, or 0xFF if none sleeps
  int8_t count;        // a negative count is minus the number of sleepers, if initial_count >= 0
  int8_t initial_count;
  uint8_t lock;  // index of an atomic bit
} sem_t;

#define SEMAPHORE_INIT(name, counter)                                                                  \
  _Static_assert((counter) >= -128 && (counter) < 128, "SEMAPHORE_INIT takes a count of -128 to 127"); \
  ATOMIC_BIT_INIT(__rf_join(semaphore_, name));                                                        \
  extern sem_t name;                                                                                   \
  __rf_locked_record(name, __rf_join(semaphore_, name), 0xFF, counter, counter);

void sem_take(sem_t* sem);
void sem_give(sem_t* sem);
