// SPDX-License-Identifier: Apache-2.0
// Registers for the values of a dataflow, one operation after the other, on a machine whose timing runs along.
// A result goes where its write window is free at the operation's exact start, away from the memories of the values that
// will be read together with it; constants have the last memories for themselves. A register is free again when the last
// reader of its value has been dispatched and the busyboard lets it go.
#pragma once

#include <optional>
#include <vector>

#include "codegen/dataflow.h"
#include "sim/timing/timing.h"

namespace ringfort::rpu {

[[nodiscard]] inline Pipe pipe_of(const Operation& operation) noexcept {
  return kInstructions[static_cast<std::size_t>(operation.op)].pipe;
}

class Placement {
 public:
  // Both must outlive this object.
  Placement(const Dataflow& flow, const Machine& machine, Timing& timing);

  // All operands are in registers that an instruction dispatched at `now` may use.
  [[nodiscard]] bool sources_ready(std::size_t operation, u64 now) const;

  // The instruction, if it can be dispatched at `now` and start without any conflict.
  [[nodiscard]] std::optional<Instruction> at(std::size_t operation, u64 now);

  // The instruction with any legal registers; the front end will wait for whatever is in the way.
  [[nodiscard]] std::optional<Instruction> anywhere(std::size_t operation);

  // The instruction has been chosen.
  void commit(std::size_t operation, const Instruction& instruction);

  // Registers without a live value, by kind.
  [[nodiscard]] u32 free_registers(ValueKind kind) const noexcept;

 private:
  [[nodiscard]] Instruction encode_sources(const Operation& operation) const;
  [[nodiscard]] PortWindows windows_of(const Instruction& instruction, std::size_t operation);
  [[nodiscard]] u16 partners(ValueId value) const;
  [[nodiscard]] std::optional<u8> free_in(u32 memory, u64 now) const;
  template <class Fits>
  std::optional<u8> free_register(ValueId value, u16 avoid, u64 now, Fits fits);
  template <class Fits>
  std::optional<Instruction> with_results(Instruction instruction, std::size_t operation, u64 now, Fits fits);

  const Dataflow& flow_;
  Machine machine_;
  Timing& timing_;
  std::vector<int> place_;  // register of each value, while it has one
  std::vector<u32> uses_;   // readers still to come
  std::vector<std::vector<std::size_t>> readers_;
  std::vector<u32> costs_;  // occupancy of each operation, once asked
  u64 live_ = 0;
  u32 turn_ = 0;
};

}  // namespace ringfort::rpu
