// SPDX-License-Identifier: Apache-2.0
// Assigns registers to the values of a dataflow (dataflow.h), one operation at a time. The vector registers are in
// register memories, four registers in each, and a memory has a single port. If possible, a result gets a register in a
// memory that has no other access while the result is written. The memory also differs from the memories of the values
// that later operations read together with the result. The memories with the highest numbers are for constants only. A
// register is free again when the last reader of its value has been dispatched and the busyboard has released the
// register. hw/rpu/README.md explains the terms.
#pragma once

#include <optional>

#include "codegen/flow_facts.h"
#include "sim/timing/timing.h"

namespace ringfort::rpu {

class Placement {
 public:
  // `facts` and `machine` must outlive this object and its copies.
  Placement(const FlowFacts& facts, const Machine& machine, u32 constant_memories);

  // Tells whether an instruction that is dispatched at `now` may use the registers of its sources. The sources must
  // have been placed.
  [[nodiscard]] bool sources_ready(std::size_t operation, const Timing& timing, u64 now) const;

  // Returns the instruction with its registers if it can be dispatched at `now` and start without a conflict.
  [[nodiscard]] std::optional<Instruction> at(std::size_t operation, const Timing& timing, u64 now);

  // Returns the instruction with any legal registers. If there is a conflict, the front end will wait.
  [[nodiscard]] std::optional<Instruction> anywhere(std::size_t operation);

  // Places the results of the chosen instruction. Frees the registers of sources that nothing reads later.
  void commit(std::size_t operation, const Instruction& instruction);

  // Returns how many of the registers for values of this kind have no live value.
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
  // Returns a free register. usable(r) tells whether register r, which has no live value, may be taken. fits(m) tells
  // whether memory m may be written.
  template <class Usable, class Fits>
  std::optional<u8> free_register(ValueId value, u16 avoid, Usable usable, Fits fits);
  template <class Usable, class Fits>
  std::optional<Instruction> with_results(Instruction instruction, std::size_t operation, Usable usable, Fits fits);

  const FlowFacts* facts_;
  const Machine* machine_;
  u32 constant_memories_;       // number of memories for constants; they have the highest numbers
  std::vector<int> registers_;  // for each value: its register; it stays after the last use
  std::vector<u32> uses_;       // for each value: number of readers that are not placed yet
  u64 live_ = 0;
  u32 turn_ = 0;
};

}  // namespace ringfort::rpu
