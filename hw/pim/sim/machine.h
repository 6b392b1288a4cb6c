// SPDX-License-Identifier: Apache-2.0
// The state of one DPU while it runs, and the shape of a decoded instruction. An instruction is a function on the machine
// and one tasklet; it moves the tasklet's program counter itself and says whether the tasklet goes on.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "chip.h"
#include "failure.h"
#include "mram.h"

namespace ringfort::pim {

struct Machine;
struct Tasklet;
struct Operation;

// goes_on: the tasklet stays ready; changed: some tasklet fell asleep, was woken or halted; faults: Machine::fault says why.
enum class Outcome : std::uint8_t { goes_on, changed, faults };

using Execute = Outcome (*)(Machine&, Tasklet&, const Operation&);

// `rd` is kSink where the instruction writes to x0.
struct Operation {
  Execute execute = nullptr;
  std::int32_t immediate = 0;
  std::uint8_t rd = 0, rs1 = 0, rs2 = 0;
  std::uint8_t extra = 0;  // a second register, a shift amount, a variant
};
inline constexpr std::uint8_t kSink = 32;

struct Tasklet {
  const Operation* pc = nullptr;
  const Operation* resume = nullptr;  // where to go on after `owed` further issue slots
  std::uint32_t owed = 0;
  std::uint32_t ahead = 0;            // further slots of instructions that have been carried out already
  bool prelude_done = false;
  std::uint8_t id = 0;
  enum class State : std::uint8_t { halted, ready, asleep, stopped } state = State::halted;  // asleep: until `wake`
  std::uint32_t stack_low = 0;
  std::uint64_t wake = 0;
  std::array<std::uint32_t, 33> x{};
};

struct Counters {
  std::uint64_t cycles = 0;        // until the last tasklet halted
  std::uint64_t instructions = 0;  // issue slots used
  std::uint64_t dma_transfers = 0;
  std::uint64_t dma_bytes = 0;
  std::uint64_t dma_cycles = 0;    // the engine was busy
  std::uint64_t stolen_slots = 0;
};

// The DMA engine serves requests in the order of their issue; times in hundredths of a cycle. A tasklet has at most one
// request, so the queue is as long as there are tasklets.
struct DmaEngine {
  struct Transfer {
    std::uint64_t end = 0;
    std::uint32_t slots = 0;  // issue slots it still takes from the pipeline
  };
  std::array<Transfer, kMostTasklets> queue;
  unsigned first = 0;
  unsigned length = 0;
  std::uint64_t free_at = 0;
  std::uint64_t busy = 0;

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
  std::uint64_t now = 0;  // the cycle of the instruction that runs
  std::uint64_t issued = 0;
  std::uint32_t wram_limit = 0;
  std::vector<std::uint8_t> wram;
  Mram mram;
  std::vector<Operation> text;  // ends with an operation that faults: falling off the program
  std::vector<std::uint8_t> is_private;  // by operation: touches the tasklet's registers alone, and cannot fault
  std::array<Tasklet, kMostTasklets> tasklets;
  std::uint64_t atomic_bits = 0;
  DmaEngine dma;
  Counters counters;
  struct {
    bool instructions = false;
    bool stopped = false;
    std::uint64_t base_cycles = 0, base_instructions = 0;
    std::uint64_t latch = 0;
  } counter;
  std::string log;
  Fault fault;

  std::uint64_t cycles_counted() const { return now - counter.base_cycles; }
  std::uint64_t instructions_counted() const { return issued - counter.base_instructions; }
  std::uint32_t address_of(const Operation* operation) const {
    return kIramBase + 4 * static_cast<std::uint32_t>(operation - text.data());
  }
};

// Records the fault of the tasklet's present instruction; the text is completed with tasklet and line by the caller of run().
Outcome raise(Machine& machine, const Tasklet& tasklet, FaultCode code, std::string text);

// Makes the tasklet's present instruction cost `slots` issue slots in all before `next` runs.
inline void charge(Tasklet& tasklet, const Operation* next, std::uint32_t slots, const Operation* idle) {
  tasklet.pc = next;
  if (slots <= 1) return;
  tasklet.resume = next;
  tasklet.owed = slots - 1;
  tasklet.pc = idle;
}

// Issues one slot of a longer instruction.
extern const Operation kIdleSlot;

}  // namespace ringfort::pim
