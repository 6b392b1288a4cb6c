// SPDX-License-Identifier: Apache-2.0
// A negative count is minus the number of sleepers; they wake in FIFO order.
#include <defs.h>
#include <sem.h>

#include "runtime.h"

enum { kRing = sizeof(((sem_t*)0)->sleepers) };

static uint32_t wrapped(uint32_t place) { return place >= kRing ? place - kRing : place; }

void sem_take(sem_t* sem) {
  mutex_lock(sem->lock);
  bool sleeps = --sem->count < 0;
  if (sleeps) sem->sleepers[wrapped(sem->first + sem->sleeping++)] = me();
  mutex_unlock(sem->lock);
  if (sleeps) tasklet_stop();
}

void sem_give(sem_t* sem) {
  mutex_lock(sem->lock);
  if (++sem->count <= 0) {
    tasklet_resume(sem->sleepers[sem->first]);
    sem->first = (uint8_t)wrapped(sem->first + 1u);
    sem->sleeping--;
  }
  mutex_unlock(sem->lock);
}
