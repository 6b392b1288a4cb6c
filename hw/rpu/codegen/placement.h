// SPDX-License-Identifier: Apache-2.0
// Assigns registers to the values of a dataflow, one operation at a time, with the help of a timing model. A result
// gets a register whose register memory has no other access while the result is written. This memory must also differ
// from the memories of values that will be read together with the result. Only constants use the memories with the
// highest numbers. A register is free again when the last reader of its value has been dispatched and the busyboard
// releases the register.
#pragma once

#include <optional>

#include "codegen/flow_facts.h"
#include "sim/timing/timing.h"

namespace ringfort::rpu {

class Placement {
 public:
  // `facts` and `machine` must outlive this object and its copies.
  Placement(const FlowFacts& facts, const Machine& machine, u32 constant_memories);

  // Tells whether an instruction dispatched at `now` may use the registers of its sources; all of them must have been
  // placed.
  [[nodiscard]] bool sources_ready(std::size_t operation, const Timing& timing, u64 now) const;

  // Returns the instruction if it can be dispatched at `now` and start without any conflict.
  [[nodiscard]] std::optional<Instruction> at(std::size_t operation, const Timing& timing, u64 now);

  // Returns the instruction with any legal registers; the front end will wait for conflicts.
  [[nodiscard]] std::optional<Instruction> anywhere(std::size_t operation);

  // Places the results of the chosen instruction, and frees sources without later readers.
  void commit(std::size_t operation, const Instruction& instruction);

  // Returns the number of registers of this kind without a live value.
  [[nodiscard]] u32 free_registers(ValueKind kind) const noexcept;

 private:
  struct MemoryRange {
    u32 first;
    u32 count;
  };
  [[nodiscard]] MemoryRange memories_for(ValueKind kind) const noexcept;
  [[nodiscard]] Instruction encode_sources(const Operation& operation) const;
  [[nodiscard]] PortWindows windows_of(const Instruction& instruction, std::size_t operation) const;
  [[nodiscard]] u16 partners(ValueId value) const;
  // Returns a free register. usable(r) tells whether a register without a live value may be taken; fits(m) tells
  // whether a memory may be written.
  template <class Usable, class Fits>
  std::optional<u8> free_register(ValueId value, u16 avoid, Usable usable, Fits fits);
  template <class Usable, class Fits>
  std::optional<Instruction> with_results(Instruction instruction, std::size_t operation, Usable usable, Fits fits);

  const FlowFacts* facts_;
  const Machine* machine_;
  u32 constant_memories_;   // number of memories for constants, the last ones
  std::vector<int> place_;  // register of each value, while it has one
  std::vector<u32> uses_;   // readers of each value that are not placed yet
  u64 live_ = 0;
  u32 turn_ = 0;
};

}  // namespace ringfort::rpu
