// SPDX-License-Identifier: Apache-2.0
// A DPU program that uses locks as programs for the vendor's SDK do: mutexes by name, by address and in tables, pools
// of mutexes, atomic bits by name and by index, and barriers that the program builds at run time. It also uses
// fsb_allocator.h and functions of the C library. hw/pim/README.md explains the terms.
#include <alloc.h>
#include <atomic_bit.h>
#include <barrier.h>
#include <built_ins.h>
#include <defs.h>
#include <handshake.h>
#include <inttypes.h>
#include <mram.h>
#include <mram_unaligned.h>
#include <mutex.h>
#include <mutex_pool.h>
#include <perfcounter.h>
#include <sem.h>
#include <seqread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysdef.h>

enum { kTurns = 25, kGroups = 4, kElements = 64 };

MUTEX_INIT(by_name);
ATOMIC_BIT_INIT(plain);
ATOMIC_BIT_EXTERN(plain);
uint8_t __atomic_bit table[kGroups];
MUTEX_POOL_INIT(pool, 8);
BARRIER_INIT(all, NR_TASKLETS);
SEMAPHORE_INIT(two, 2);
static mutex_id_t mutexes[kGroups];
static barrier_t built[kGroups];

__host uint32_t named, addressed[kGroups], atomic, indexed, hashed[kElements], rounds_missed, most_inside;
__host uint32_t sizes[2], index_of_plain, blocks_got, text_errors;
static uint32_t stage[NR_TASKLETS], inside;
static fsb_allocator_t blocks;

static void add_one(volatile uint32_t* count) {
  const uint32_t seen = *count;
  *count = seen + 1;
}

static void check_text(void) {
  char text[16];
  strcpy(text, "tasklets");
  text_errors += strlen(text) != 8 || strcmp(text, "tasklets") != 0 || strncmp(text, "taskset", 4) != 0;
  text_errors += strcmp("a", "b") >= 0 || memcmp("ab", "aa", 2) <= 0 || strnlen(text, 3) != 3;
  memmove(text + 1, text, 8);
  text_errors += memcmp(text, "ttasklets", 9) != 0 || abs(-3) != 3;
}

// Each group of tasklets has its own barrier. The tasklets of a group wait only for each other.
static void in_groups(void) {
  const uint32_t group = me() % kGroups;
  for (uint32_t turn = 1; turn <= kTurns; turn++) {
    stage[me()] = turn;
    barrier_wait(&built[group]);
    for (uint32_t t = group; t < NR_TASKLETS; t += kGroups) rounds_missed += stage[t] < turn;
    barrier_wait(&built[group]);
  }
}

static void count_under_locks(uint32_t turn) {
  mutex_lock(by_name);
  add_one(&named);
  mutex_unlock(MUTEX_GET(by_name));
  const uint32_t group = (me() + turn) % kGroups;
  while (!mutex_trylock(mutexes[group])) {}
  add_one(&addressed[group]);
  mutex_unlock(&table[group]);
  ATOMIC_BIT_ACQUIRE(plain);
  add_one(&atomic);
  ATOMIC_BIT_RELEASE(plain);
  __ATOMIC_BIT_ACQUIRE(ATOMIC_BIT_INDEX(plain), 0);
  add_one(&indexed);
  __ATOMIC_BIT_RELEASE(ATOMIC_BIT_INDEX(plain), 0);
  const uint16_t element = (uint16_t)((me() * 7 + turn) % kElements);
  mutex_pool_lock(&pool, element);
  add_one(&hashed[element]);
  mutex_pool_unlock(&pool, element);
}

static void crowded(void) {
  sem_take(&two);
  mutex_lock(by_name);
  if (++inside > most_inside) most_inside = inside;
  mutex_unlock(by_name);
  for (volatile int i = 0; i < 20; i++) {}
  mutex_lock(by_name);
  inside--;
  mutex_unlock(by_name);
  sem_give(&two);
}

static void take_blocks(void) {
  void* mine[2];
  for (int i = 0; i < 2; i++) {
    while ((mine[i] = fsb_get(blocks)) == NULL) {}
    memset(mine[i], (int)me(), 20);
    if (i == 1) fsb_free(blocks, mine[0]);
  }
  const uint8_t* bytes = mine[1];
  bool intact = true;
  for (int i = 0; i < 20; i++) intact = intact && bytes[i] == me();
  fsb_free(blocks, mine[1]);
  mutex_lock(by_name);
  blocks_got += intact;
  mutex_unlock(by_name);
}

int main(void) {
  if (me() == 0) {
    mem_reset();
    blocks = fsb_alloc(20, NR_TASKLETS + 1);
    for (uint32_t g = 0; g < kGroups; g++) {
      mutexes[g] = &table[g];
      built[g].wait_queue = 0xff;
      built[g].count = built[g].initial_count = NR_TASKLETS / kGroups;
      built[g].lock = (uint8_t)(ATOMIC_BIT_INDEX(plain) - (&ATOMIC_BIT_GET(plain) - &table[g]));
    }
    sizes[0] = sizeof(barrier_t);
    sizes[1] = sizeof(sem_t);
    index_of_plain = (uint32_t)ATOMIC_BIT_INDEX(plain);
    check_text();
  }
  barrier_wait(&all);
  in_groups();
  for (uint32_t turn = 0; turn < kTurns; turn++) count_under_locks(turn);
  crowded();
  take_blocks();
  if (me() == NR_TASKLETS - 1)
    printf("%" PRIu32 " %.2f %8.3e|%g %" PRIx64 "\n", named / named, 2.5, 12345.678, 0.5, (uint64_t)255);
  exit(0);
}
