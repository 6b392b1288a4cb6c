// SPDX-License-Identifier: Apache-2.0
// The functions of barrier.h. All tasklets that arrive at a barrier sleep, except the last one. The last tasklet wakes
// the others in the order of their arrival. hw/pim/README.md explains the terms.
#include <barrier.h>
#include <defs.h>

#include "queue.h"
#include "runtime.h"

__attribute__((section(".data.first"))) uint8_t next_sleeper[24];

void barrier_wait(barrier_t* barrier) {
  const uint32_t lock = barrier->lock, tasklet = me();
  rf_acquire(lock);
  const uint32_t missing = barrier->count;
  if (missing > 1) {
    barrier->count = (uint8_t)(missing - 1);
    queue_push(&barrier->wait_queue, tasklet);
    rf_release(lock);
    tasklet_stop();
    return;
  }
  queue_wake_all(&barrier->wait_queue);
  barrier->count = barrier->initial_count;
  rf_release(lock);
}
