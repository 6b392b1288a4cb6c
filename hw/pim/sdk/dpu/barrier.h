// SPDX-License-Identifier: Apache-2.0
// Barriers. The last of `count` tasklets to arrive wakes the other tasklets, in the order of their arrival. A barrier
// can be used again immediately. The assembler evaluates the count in BARRIER_INIT. Therefore the count may consist of
// digits, macros and operators, but it may not contain constants of enumerations. hw/pim/README.md explains the terms.
#pragma once

#include <atomic_bit.h>
#include <stdint.h>

typedef struct barrier_t {
  uint8_t wait_queue;  // the tasklet that fell asleep last, or 0xFF if none sleeps
  uint8_t count;       // number of tasklets that have not arrived
  uint8_t initial_count;
  uint8_t lock;  // index of an atomic bit
} barrier_t;

#define BARRIER_INIT(name, counter)                                                           \
  _Static_assert((counter) > 0 && (counter) < 128, "BARRIER_INIT takes a count of 1 to 127"); \
  ATOMIC_BIT_INIT(__rf_join(barrier_, name));                                                 \
  extern barrier_t name;                                                                      \
  __rf_locked_record(name, __rf_join(barrier_, name), 0xFF, counter, counter);

void barrier_wait(barrier_t* barrier);
