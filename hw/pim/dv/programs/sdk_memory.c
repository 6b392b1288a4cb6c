// SPDX-License-Identifier: Apache-2.0
// A DPU program that uses the buddy allocator (buddy_alloc.h), errno of each tasklet, and profiled sections
// (profiling.h). hw/pim/README.md explains the terms.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <errno.h>
#include <mutex.h>
#include <perfcounter.h>
#include <profiling.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { kHeap = 4096, kBlocks = 3, kTurns = 60 };

BARRIER_INIT(all, NR_TASKLETS);
MUTEX_INIT(counted);
PROFILING_INIT(section);

__host uint32_t first_wrong, blocks_of_16, errors[8], damaged, failures, whole_heap_left, start_twice;
__host int numbers[NR_TASKLETS];
__host uint32_t elapsed[NR_TASKLETS];

static uint32_t check_number;

static void check(bool right) {
  check_number++;
  if (!right && first_wrong == 0) first_wrong = check_number;
}

static uint32_t distance(const void* from, const void* to) {
  return (uint32_t)((const uint8_t*)to - (const uint8_t*)from);
}

static int error_of(const void* block) {
  const int number = block == NULL ? errno : 0;
  errno = 0;
  return number;
}

static void check_sizes(void) {
  uint8_t* first = buddy_alloc(33);
  uint8_t* second = buddy_alloc(64);
  check((uintptr_t)first % 8 == 0 && distance(first, second) == 64);
  uint8_t* large = buddy_alloc(2048);
  check(distance(first, large) == 2048);
  errors[0] = (uint32_t)error_of(buddy_alloc(2048));
  errors[1] = (uint32_t)error_of(buddy_alloc(kHeap + 1));
  errors[2] = (uint32_t)error_of(buddy_alloc(0));
  buddy_free(first + 40);  // buddy_free() frees the block that contains the address, which must be a multiple of 8
  check(buddy_alloc(50) == first);
  buddy_reset();
  check(buddy_alloc(kHeap) == first);
  buddy_free(first);
  while (buddy_alloc(1) != NULL) blocks_of_16++;
  buddy_reset();
}

static void check_pointers(void) {
  uint8_t* block = buddy_alloc(100);
  errno = 0;
  buddy_free(NULL);
  errors[3] = (uint32_t)errno;
  buddy_free(block + 4);
  errors[4] = (uint32_t)error_of(NULL);
  buddy_free(block + kHeap);
  errors[5] = (uint32_t)error_of(NULL);
  buddy_free(block);
  buddy_free(block);
  errors[6] = (uint32_t)error_of(NULL);
  errors[7] = (uint32_t)error_of(buddy_realloc(block, 50));
}

static void check_reallocation(void) {
  uint8_t* block = buddy_realloc(NULL, 200);
  for (int i = 0; i < 200; i++) block[i] = (uint8_t)i;
  check(buddy_realloc(block, 250) == block);
  uint8_t* moved = buddy_realloc(block, 300);
  check(moved != NULL && moved != block && buddy_alloc(250) == block);
  check(buddy_realloc(moved, 20) == moved && distance(moved, buddy_alloc(30)) == 32);
  bool same = true;
  for (int i = 0; i < 20; i++) same = same && moved[i] == i;
  check(same && buddy_realloc(moved, kHeap) == NULL && error_of(NULL) == ENOMEM && moved[19] == 19);
  check(buddy_realloc(moved, 0) == moved && buddy_alloc(32) == moved);
  buddy_reset();
}

// Every tasklet fills its blocks with its number, and checks the blocks before it frees them.
static void take_and_give(void) {
  uint8_t* blocks[kBlocks] = {0};
  uint32_t sizes[kBlocks], wrong = 0, missed = 0, draw = me() * 2654435761u + 1;
  for (int turn = 0; turn < kTurns + kBlocks; turn++) {
    const int k = turn % kBlocks;
    for (uint32_t i = 0; blocks[k] != NULL && i < sizes[k]; i++) wrong += blocks[k][i] != me();
    draw = draw * 1664525u + 1013904223u;
    sizes[k] = 1 + (draw >> 24) % 120;
    if (turn >= kTurns) {
      buddy_free(blocks[k]);
      continue;
    }
    if ((draw >> 16 & 1) != 0) buddy_free(blocks[k]), blocks[k] = NULL;
    uint8_t* larger = buddy_realloc(blocks[k], sizes[k]);
    if (larger == NULL) buddy_free(blocks[k]), missed += errno == ENOMEM;
    blocks[k] = larger;
    if (larger != NULL) memset(larger, (int)me(), sizes[k]);
  }
  mutex_lock(counted);
  damaged += wrong;
  failures += missed;
  mutex_unlock(counted);
}

static void profiled(void) {
  const uint32_t before = (uint32_t)perfcounter_get();
  for (int turn = 0; turn < 2; turn++) {
    profiling_start(&section);
    if (start_twice != 0) profiling_start(&section);
    for (volatile uint32_t i = 0; i < 50 + me(); i++) {}
    profiling_stop(&section);
  }
  elapsed[me()] = (uint32_t)perfcounter_get() - before;
}

int main(void) {
  if (me() == 0) {
    perfcounter_config(COUNT_CYCLES, true);
    mem_reset();
    buddy_init(kHeap);
    check_sizes();
    check_pointers();
    check_reallocation();
  }
  barrier_wait(&all);
  errno = (int)me();
  take_and_give();
  barrier_wait(&all);
  errno = (int)me() + 100;
  barrier_wait(&all);
  numbers[me()] = errno;
  if (me() == 0) whole_heap_left = buddy_alloc(kHeap) != NULL;
  profiled();
  return 0;
}
