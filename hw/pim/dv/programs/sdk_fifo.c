// SPDX-License-Identifier: Apache-2.0
// A DPU program that uses the queues between host and DPU (wramfifo.h). With KERNEL 1, one tasklet processes each
// element. With KERNEL 2, all tasklets process each element. hw/pim/README.md explains the terms.
#include <barrier.h>
#include <defs.h>
#include <mutex.h>
#include <wramfifo.h>

INPUT_FIFO_INIT(inputs, 5, 16)
OUTPUT_FIFO_INIT(outputs, 5, 8)
MUTEX_INIT(queues);
BARRIER_INIT(all, NR_TASKLETS);
__host volatile uint64_t active;
__host uint32_t of_tasklet[NR_TASKLETS];

#if KERNEL == 1
static void process(uint8_t* input, uint8_t* output) {
  const uint64_t* pair = (const uint64_t*)(const void*)input;
  of_tasklet[me()]++;
  *(uint64_t*)(void*)output = pair[0] * 1000 + pair[1];
}

int main(void) {
  process_inputs_each_tasklet(&inputs, &outputs, process, queues, &active);
  return 0;
}
#else
static uint64_t terms[NR_TASKLETS];

static void process(uint8_t* input, void* ctx) {
  for (volatile uint32_t i = 0; i < 20 * me(); i++) {}  // the last tasklet is much later than the first
  const uint64_t* pair = (const uint64_t*)(const void*)input;
  ((uint64_t*)ctx)[me()] = pair[0] * me() + pair[1];
  of_tasklet[me()]++;
}

static void reduce(uint8_t* input, uint8_t* output, void* ctx) {
  (void)input;
  uint64_t sum = 0;
  for (uint32_t t = 0; t < NR_TASKLETS; t++) sum += ((const uint64_t*)ctx)[t];
  *(uint64_t*)(void*)output = sum;
}

int main(void) {
  process_inputs_all_tasklets(&inputs, &outputs, process, reduce, terms, &all, &active);
  return 0;
}
#endif
