// SPDX-License-Identifier: Apache-2.0
// Queues in WRAM between the host and a DPU. The simulator runs a launch from its start to its end while the host
// waits. Therefore the host fills an input queue before the launch, and reads the output queue after the launch. A
// queue has 2^ptr_size elements of data_size bytes. Its pointers are the numbers of elements that have been read and
// written. They do not wrap around. hw/pim/README.md explains the terms.
#pragma once

#include <attributes.h>
#include <barrier.h>
#include <defs.h>
#include <mutex.h>
#include <stdbool.h>
#include <stdint.h>

struct dpu_input_fifo_t {
  uint64_t read_ptr;            // written by the DPU
  volatile uint64_t write_ptr;  // written by the host
  uint8_t* data;
  uint8_t* scratch;  // one element for each tasklet
  const uint32_t ptr_size;
  const uint32_t data_size;
};

struct dpu_output_fifo_t {
  volatile uint64_t read_ptr;  // written by the host
  uint64_t write_ptr;          // written by the DPU
  uint8_t* data;
  uint8_t* scratch;  // one element for each tasklet
  const uint32_t ptr_size;
  const uint32_t data_size;
  uint32_t nb_reserved;  // number of elements that tasklets are computing
};

#define __rf_fifo_arrays(name, bits, bytes)                                                                    \
  _Static_assert((bits) <= 10, "the pointer of a queue has at most 10 bits");                                  \
  _Static_assert((bytes) > 0 && (bytes) % 8 == 0, "the size of an element is a multiple of 8 bytes, above 0"); \
  __host uint8_t __rf_join(__, __rf_join(name, _data))[(1 << (bits)) * (bytes)];                               \
  __dma_aligned uint8_t __rf_join(__, __rf_join(name, _scratch))[NR_TASKLETS * (bytes)]

#define __rf_fifo_members(name, bits, bytes)                                                          \
  .data = __rf_join(__, __rf_join(name, _data)), .scratch = __rf_join(__, __rf_join(name, _scratch)), \
  .ptr_size = (bits), .data_size = (bytes)

#define INPUT_FIFO_INIT(name, bits, bytes) \
  __rf_fifo_arrays(name, bits, bytes);     \
  __host struct dpu_input_fifo_t name = {__rf_fifo_members(name, bits, bytes)};
#define OUTPUT_FIFO_INIT(name, bits, bytes) \
  __rf_fifo_arrays(name, bits, bytes);      \
  __host struct dpu_output_fifo_t name = {__rf_fifo_members(name, bits, bytes)};

bool is_input_fifo_empty(struct dpu_input_fifo_t* fifo);
uint8_t* input_fifo_peek(struct dpu_input_fifo_t* fifo);  // returns the oldest element
void input_fifo_pop(struct dpu_input_fifo_t* fifo);

bool is_output_fifo_full(struct dpu_output_fifo_t* fifo);
void output_fifo_push(struct dpu_output_fifo_t* fifo, const uint8_t* data);  // the queue must not be full

// For each element of the input queue, all tasklets call process_input. Then tasklet 0 calls reduce(element, result,
// ctx), which computes the result of the element. The function returns when `*active` is 0 and the input queue is
// empty.
void process_inputs_all_tasklets(struct dpu_input_fifo_t* input_fifo, struct dpu_output_fifo_t* output_fifo,
                                 void (*process_input)(uint8_t* input, void* ctx),
                                 void (*reduce)(uint8_t* input, uint8_t* output, void* ctx), void* ctx,
                                 barrier_t* barrier, volatile uint64_t* active);

// For each element of the input queue, one tasklet calls process_input. The order of the results may differ from the
// order of the elements.
void process_inputs_each_tasklet(struct dpu_input_fifo_t* input_fifo, struct dpu_output_fifo_t* output_fifo,
                                 void (*process_input)(uint8_t* input, uint8_t* output), mutex_id_t mutex,
                                 volatile uint64_t* active);
