// SPDX-License-Identifier: Apache-2.0
// The state of a running DPU, and its decoded instructions. A decoded instruction is an Operation. The function
// `execute` of an Operation runs the instruction for one tasklet, sets the tasklet's program counter, and returns an
// Outcome, which says whether the tasklet stays ready to issue instructions. hw/pim/README.md explains the terms.
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

// goes_on: the tasklet stays ready. changed: a tasklet fell asleep, stopped, woke or halted. faults: the program broke
// a rule, and Machine::fault has the reason.
enum class Outcome : u8 { goes_on, changed, faults };

using Execute = Outcome (*)(Machine&, Tasklet&, const Operation&);

// `rd` is kSink if the instruction writes to register x0, which is always zero. No instruction reads register kSink.
struct Operation {
  Execute execute = nullptr;
  i32 immediate = 0;
  u8 rd = 0, rs1 = 0, rs2 = 0;
  u8 extra = 0;  // a second register, a shift amount or a variant
};
inline constexpr u8 kSink = 32;

struct Tasklet {
  const Operation* pc = nullptr;
  const Operation* resume = nullptr;  // the operation that runs once the tasklet has used `owed` more issue slots
  u32 owed = 0;
  u32 ahead = 0;              // slots of instructions that have already run, not yet counted
  bool prelude_done = false;  // true: the slots that encode the size of the next transfer are already charged
  u8 id = 0;
  // asleep: until cycle `wake`; stopped: until another tasklet resumes it
  enum class State : u8 { halted, ready, asleep, stopped } state = State::halted;
  u32 stack_low = 0;
  u64 wake = 0;
  std::array<u32, 33> x{};
};

struct Counters {
  u64 cycles = 0;        // cycles until the last tasklet halted
  u64 instructions = 0;  // issue slots used
  u64 dma_transfers = 0;
  u64 dma_bytes = 0;
  u64 dma_cycles = 0;  // cycles in which the engine was busy
  u64 stolen_slots = 0;
};

// The DMA engine serves requests in the order in which they were issued. Times are in hundredths of a cycle. A tasklet
// has at most one request at a time. Therefore the queue needs one entry per tasklet.
struct DmaEngine {
  struct Transfer {
    u64 end = 0;
    u32 slots = 0;  // issue slots that the transfer must still take from the pipeline
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
  bool checks_dma = true;  // false: transfers ignore the bits that the hardware ignores (Dpu::check_dma)
  std::vector<u8> wram;
  Mram mram;
  std::vector<Operation> text;  // the last operation faults, in case a program runs past its end
  std::vector<u8> is_private;   // for each operation: 1 if it only accesses the tasklet's registers and cannot fault
  std::array<Tasklet, kMostTasklets> tasklets;
  u64 atomic_bits = 0;
  // failed_tries: the number of acquires of atomic bits that failed in successive issue slots, without the first.
  // last_try: the slot of the latest failure.
  u64 failed_tries = 0, last_try = 0;
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

// Makes the tasklet's current instruction cost `slots` issue slots in total. Then the tasklet continues with `next`.
inline void charge(Tasklet& tasklet, const Operation* next, u32 slots, const Operation* idle) {
  tasklet.pc = next;
  if (slots <= 1) return;
  tasklet.resume = next;
  tasklet.owed = slots - 1;
  tasklet.pc = idle;
}

// The operation that a tasklet runs in the remaining slots of an instruction that costs several slots.
extern const Operation kIdleSlot;

}  // namespace ringfort::pim
