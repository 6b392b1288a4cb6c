// SPDX-License-Identifier: Apache-2.0
// Queues of sleeping tasklets, first in, first out, for barriers and semaphores. A queue is one byte: the number of the
// tasklet that joined last, or kNobody. The tasklets of a queue form a ring. next_sleeper[t] is the tasklet that
// follows tasklet t in the ring. A tasklet sleeps in at most one queue. hw/pim/README.md explains the terms.
#pragma once

#include <stdint.h>

#include "runtime.h"

enum { kNobody = 0xFF };

// The linker script dpu.ld places this array within the first bytes of WRAM. There, its address fits the 12-bit offset
// of a load or store. Therefore an access takes one instruction, as on the DPU.
extern uint8_t next_sleeper[24];

static inline uint32_t queue_next(uint32_t tasklet) {
  uint32_t next;
  __asm__ volatile("lbu %0, %%lo(next_sleeper)(%1)" : "=r"(next) : "r"(tasklet) : "memory");
  return next;
}

static inline void queue_set_next(uint32_t tasklet, uint32_t next) {
  __asm__ volatile("sb %0, %%lo(next_sleeper)(%1)" ::"r"(next), "r"(tasklet) : "memory");
}

static inline void queue_push(uint8_t* queue, uint32_t tasklet) {
  const uint32_t latest = *queue;
  if (latest == kNobody) {
    queue_set_next(tasklet, tasklet);
  } else {
    queue_set_next(tasklet, queue_next(latest));
    queue_set_next(latest, tasklet);
  }
  *queue = (uint8_t)tasklet;
}

static inline uint32_t queue_pop(uint8_t* queue) {
  const uint32_t latest = *queue, first = queue_next(latest);
  queue_set_next(latest, queue_next(first));
  if (first == latest) *queue = kNobody;
  return first;
}

static inline void queue_wake_all(uint8_t* queue) {
  const uint32_t latest = *queue;
  if (latest == kNobody) return;
  *queue = kNobody;
  uint32_t tasklet = latest;
  do {
    tasklet = queue_next(tasklet);
    tasklet_resume(tasklet);
  } while (tasklet != latest);
}
