// SPDX-License-Identifier: Apache-2.0
// A barrier sleeps all but the last tasklet, which wakes the others in the order of their numbers.
#include <barrier.h>
#include <defs.h>

#include "runtime.h"

void barrier_wait(barrier_t* barrier) {
  mutex_lock(barrier->lock);
  if (barrier->missing > 1) {
    barrier->missing--;
    barrier->waiting |= 1u << me();
    mutex_unlock(barrier->lock);
    tasklet_stop();
    return;
  }
  uint32_t waiting = barrier->waiting;
  barrier->waiting = 0;
  barrier->missing = barrier->count;
  for (uint32_t id = 0; waiting != 0; id++, waiting >>= 1) {
    if (waiting & 1) tasklet_resume(id);
  }
  mutex_unlock(barrier->lock);
}
