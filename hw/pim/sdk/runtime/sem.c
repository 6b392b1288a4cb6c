// SPDX-License-Identifier: Apache-2.0
// The functions of sem.h. If the count began at zero or more, a negative count is minus the number of sleeping
// tasklets. Sleeping tasklets wake in the order in which they fell asleep. hw/pim/README.md explains the terms.
#include <defs.h>
#include <sem.h>
#include <stdbool.h>

#include "queue.h"
#include "runtime.h"

void sem_take(sem_t* sem) {
  const uint32_t lock = sem->lock;
  rf_acquire(lock);
  const bool sleeps = --sem->count < 0;
  if (sleeps) queue_push(&sem->wait_queue, me());
  rf_release(lock);
  if (sleeps) tasklet_stop();
}

// If the count began below zero, the count may be negative although no tasklet sleeps.
void sem_give(sem_t* sem) {
  const uint32_t lock = sem->lock;
  rf_acquire(lock);
  sem->count++;
  if (sem->count <= 0 && sem->wait_queue != kNobody) tasklet_resume(queue_pop(&sem->wait_queue));
  rf_release(lock);
}
