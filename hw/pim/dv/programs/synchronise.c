// SPDX-License-Identifier: Apache-2.0
// A DPU program that tests mutexes, barriers, semaphores, handshakes, the heap and the log. Each test writes a trace.
// If a tasklet runs out of turn, the trace is wrong. hw/pim/README.md explains the terms.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <handshake.h>
#include <mutex.h>
#include <perfcounter.h>
#include <sem.h>
#include <stdio.h>

BARRIER_INIT(all, NR_TASKLETS)
SEMAPHORE_INIT(seats, 2)
MUTEX_INIT(lock);

__host uint32_t counter;  // grows by NR_TASKLETS * kTurns in each launch, and keeps its value between launches
__host uint32_t barrier_errors;
__host uint32_t inside, most_inside;
__host uint32_t chain[NR_TASKLETS];
__host uint64_t cycles, instructions;
__host uint32_t heap_addresses[NR_TASKLETS];
static volatile uint32_t stage[NR_TASKLETS];

enum { kTurns = 20 };

static void locked_count(void) {
  for (int i = 0; i < kTurns; i++) {
    mutex_lock(lock);
    uint32_t seen = *(volatile uint32_t*)&counter;
    *(volatile uint32_t*)&counter = seen + 1;
    mutex_unlock(lock);
  }
}

static void barrier_stages(void) {
  for (uint32_t turn = 1; turn <= kTurns; turn++) {
    stage[me()] = turn;
    barrier_wait(&all);
    for (uint32_t t = 0; t < NR_TASKLETS; t++) {
      if (stage[t] != turn) barrier_errors++;
    }
    barrier_wait(&all);
  }
}

static void crowded_room(void) {
  sem_take(&seats);
  mutex_lock(lock);
  inside++;
  if (inside > most_inside) most_inside = inside;
  mutex_unlock(lock);
  for (volatile int i = 0; i < 50; i++) {}
  mutex_lock(lock);
  inside--;
  mutex_unlock(lock);
  sem_give(&seats);
}

static void relay(void) {
  if (me() != 0) handshake_wait_for((sysname_t)(me() - 1));
  chain[me()] = me() == 0 ? 1 : chain[me() - 1] + 1;
  if (me() != NR_TASKLETS - 1) handshake_notify();
}

int main(void) {
  if (me() == 0) {
    mem_reset();
    perfcounter_config(COUNT_CYCLES, true);
  }
  barrier_wait(&all);
  heap_addresses[me()] = (uint32_t)mem_alloc(12);
  locked_count();
  barrier_stages();
  crowded_room();
  relay();
  barrier_wait(&all);
  if (me() != 0) return 0;
  cycles = perfcounter_get();
  perfcounter_config(COUNT_INSTRUCTIONS, true);
  instructions = perfcounter_get();
  printf("%s: %d of %u, %5d|%.3s|%-4x|%04X|%lld\n", "turns", -3, counter, 42, "abcdef", 255, 255, -5000000000ll);
  return 0;
}
