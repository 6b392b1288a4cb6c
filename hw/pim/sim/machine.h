// SPDX-License-Identifier: Apache-2.0
// The state of a running DPU, and decoded instructions. A decoded instruction (Operation) has a function that runs it
// for one tasklet, sets the tasklet's program counter, and returns whether the tasklet stays ready.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "chip.h"
#include "failure.h"
#include "mram.h"
#include "words.h"

namespace ringfort::pim {

struct Machine;
struct Tasklet;
struct Operation;

// goes_on: the tasklet stays ready. changed: a tasklet fell asleep, woke or halted. faults: Machine::fault has the
// reason.
enum class Outcome : u8 { goes_on, changed, faults };

using Execute = Outcome (*)(Machine&, Tasklet&, const Operation&);

// `rd` is kSink if the instruction writes to x0.
struct Operation {
  Execute execute = nullptr;
  i32 immediate = 0;
  u8 rd = 0, rs1 = 0, rs2 = 0;
  u8 extra = 0;  // a second register, a shift amount or a variant
};
inline constexpr u8 kSink = 32;

struct Tasklet {
  const Operation* pc = nullptr;
  const Operation* resume = nullptr;  // the operation that runs after `owed` more issue slots
  u32 owed = 0;
  u32 ahead = 0;  // slots still to be counted for instructions that have already run
  bool prelude_done = false;
  u8 id = 0;
  enum class State : u8 { halted, ready, asleep, stopped } state = State::halted;  // asleep: until cycle `wake`
  u32 stack_low = 0;
  u64 wake = 0;
  std::array<u32, 33> x{};
};

struct Counters {
  u64 cycles = 0;        // until the last tasklet halted
  u64 instructions = 0;  // issue slots used
  u64 dma_transfers = 0;
  u64 dma_bytes = 0;
  u64 dma_cycles = 0;  // cycles in which the engine was busy
  u64 stolen_slots = 0;
};

// The DMA engine serves requests in issue order. Times are in hundredths of a cycle. A tasklet has at most one request.
// Therefore the queue needs one entry per tasklet.
struct DmaEngine {
  struct Transfer {
    u64 end = 0;
    u32 slots = 0;  // issue slots that it must still take from the pipeline
  };
  std::array<Transfer, kMostTasklets> queue;
  unsigned first = 0;
  unsigned length = 0;
  u64 free_at = 0;
  u64 busy = 0;

  Transfer& front() { return queue[first]; }
  void push(Transfer transfer) { queue[(first + length++) % queue.size()] = transfer; }
  void pop() {
    first = (first + 1) % queue.size();
    --length;
  }
};

struct Machine {
  Chip chip;
  Timing timing;
  u64 now = 0;  // the cycle of the instruction that runs
  u64 issued = 0;
  u32 wram_limit = 0;
  bool checks_dma = true;  // false: transfers ignore what the hardware ignores
  std::vector<u8> wram;
  Mram mram;
  std::vector<Operation> text;  // the last operation faults, for a program that runs past its end
  std::vector<u8> is_private;   // by operation: only accesses the tasklet's registers and cannot fault
  std::array<Tasklet, kMostTasklets> tasklets;
  u64 atomic_bits = 0;
  u64 failed_tries = 0, last_try = 0;  // consecutive failed acquires of all tasklets; issue slot of the latest
  DmaEngine dma;
  Counters counters;
  struct {
    bool instructions = false;
    bool stopped = false;
    u64 base_cycles = 0, base_instructions = 0;
    u64 latch = 0;
  } counter;
  std::string log;
  Fault fault;

  u64 cycles_counted() const { return now - counter.base_cycles; }
  u64 instructions_counted() const { return issued - counter.base_instructions; }
  u32 address_of(const Operation* operation) const { return kIramBase + 4 * static_cast<u32>(operation - text.data()); }
};

// Records a fault of the tasklet's current instruction. Dpu::run() adds tasklet and line to the text.
Outcome raise(Machine& machine, const Tasklet& tasklet, FaultCode code, std::string text);

// Makes the tasklet's current instruction cost `slots` issue slots in total before `next` runs.
inline void charge(Tasklet& tasklet, const Operation* next, u32 slots, const Operation* idle) {
  tasklet.pc = next;
  if (slots <= 1) return;
  tasklet.resume = next;
  tasklet.owed = slots - 1;
  tasklet.pc = idle;
}

// Issues one slot of a longer instruction.
extern const Operation kIdleSlot;

}  // namespace ringfort::pim
