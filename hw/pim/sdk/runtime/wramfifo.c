// SPDX-License-Identifier: Apache-2.0
// Queues between host and DPU (wramfifo.h). Each pointer of a queue has only one writer, the host or the DPU. Therefore
// no common lock is needed. hw/pim/README.md explains the terms. size-exempt: the vendor's signature of
// process_inputs_all_tasklets has seven parameters
#include <string.h>
#include <wramfifo.h>

static uint8_t* element(uint8_t* data, uint64_t pointer, uint32_t ptr_size, uint32_t data_size) {
  return data + ((uint32_t)pointer & ((1u << ptr_size) - 1)) * data_size;
}

bool is_input_fifo_empty(struct dpu_input_fifo_t* fifo) { return fifo->write_ptr == fifo->read_ptr; }

uint8_t* input_fifo_peek(struct dpu_input_fifo_t* fifo) {
  return element(fifo->data, fifo->read_ptr, fifo->ptr_size, fifo->data_size);
}

void input_fifo_pop(struct dpu_input_fifo_t* fifo) { fifo->read_ptr++; }

static bool has_free_entry(const struct dpu_output_fifo_t* fifo) {
  return fifo->write_ptr + fifo->nb_reserved - fifo->read_ptr < 1u << fifo->ptr_size;
}

bool is_output_fifo_full(struct dpu_output_fifo_t* fifo) {
  return fifo->write_ptr - fifo->read_ptr >= 1u << fifo->ptr_size;
}

void output_fifo_push(struct dpu_output_fifo_t* fifo, const uint8_t* data) {
  memcpy(element(fifo->data, fifo->write_ptr, fifo->ptr_size, fifo->data_size), data, fifo->data_size);
  fifo->write_ptr++;
}

// Returns true if the queue has an element. Returns false if the queue is empty and the host will write no more
// elements.
static bool wait_for_input(struct dpu_input_fifo_t* fifo, const volatile uint64_t* active) {
  while (is_input_fifo_empty(fifo) && *active != 0) {}
  return !is_input_fifo_empty(fifo);  // checks again, because the host may have written before it cleared `active`
}

void process_inputs_all_tasklets(struct dpu_input_fifo_t* input_fifo, struct dpu_output_fifo_t* output_fifo,
                                 void (*process_input)(uint8_t* input, void* ctx),
                                 void (*reduce)(uint8_t* input, uint8_t* output, void* ctx), void* ctx,
                                 barrier_t* barrier, volatile uint64_t* active) {
  volatile uint8_t* found = input_fifo->scratch;  // tasklet 0 decides for all tasklets
  for (;;) {
    if (me() == 0) *found = wait_for_input(input_fifo, active);
    barrier_wait(barrier);
    if (*found == 0) return;
    process_input(input_fifo_peek(input_fifo), ctx);
    barrier_wait(barrier);
    if (me() != 0) continue;
    while (is_output_fifo_full(output_fifo)) {}
    reduce(input_fifo_peek(input_fifo), output_fifo->scratch, ctx);
    output_fifo_push(output_fifo, output_fifo->scratch);
    input_fifo_pop(input_fifo);
  }
}

void process_inputs_each_tasklet(struct dpu_input_fifo_t* input_fifo, struct dpu_output_fifo_t* output_fifo,
                                 void (*process_input)(uint8_t* input, uint8_t* output), mutex_id_t mutex,
                                 volatile uint64_t* active) {
  uint8_t* input = input_fifo->scratch + me() * input_fifo->data_size;
  uint8_t* output = output_fifo->scratch + me() * output_fifo->data_size;
  for (;;) {
    const bool ends = *active == 0;  // read before the queue: the host fills the queue before it clears `active`
    mutex_lock(mutex);
    const bool empty = is_input_fifo_empty(input_fifo), taken = !empty && has_free_entry(output_fifo);
    if (taken) {
      memcpy(input, input_fifo_peek(input_fifo), input_fifo->data_size);
      input_fifo_pop(input_fifo);
      output_fifo->nb_reserved++;
    }
    mutex_unlock(mutex);
    if (empty && ends) return;
    if (!taken) continue;
    process_input(input, output);
    mutex_lock(mutex);
    output_fifo->nb_reserved--;
    output_fifo_push(output_fifo, output);
    mutex_unlock(mutex);
  }
}
