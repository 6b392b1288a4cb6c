// SPDX-License-Identifier: Apache-2.0
// Functions that make instructions for unit tests, and a function that computes the timing of a short list of
// instructions. All loads and stores of the list have the same base address.
#pragma once

#include <vector>

#include "sim/timing/timing.h"

namespace ringfort::rpu::testing {

[[nodiscard]] inline Instruction load(u8 vd, Mode mode = Mode::linear, u8 value = 0) {
  Instruction in;
  in.op = Op::vload;
  in.vd = vd;
  in.vs = static_cast<u8>(mode);
  in.vt = value;
  return in;
}
[[nodiscard]] inline Instruction store(u8 vd, Mode mode = Mode::linear, u8 value = 0) {
  Instruction in = load(vd, mode, value);
  in.op = Op::vstore;
  return in;
}
[[nodiscard]] inline Instruction between(Op op, u8 vd, u8 vs, u8 vt) {
  Instruction in;
  in.op = op;
  in.vd = vd;
  in.vs = vs;
  in.vt = vt;
  return in;
}
[[nodiscard]] inline Instruction butterfly(u8 vd, u8 vd1, u8 vs, u8 vt, u8 vt1) {
  Instruction in = between(Op::bfly, vd, vs, vt);
  in.vd1 = vd1;
  in.vt1 = vt1;
  return in;
}
[[nodiscard]] inline Instruction scalar_load(Op op, u8 number) {
  Instruction in;
  in.op = op;
  in.vt = number;
  return in;
}

struct Timed {
  TimingReport report;
  std::vector<Record> records;
};

[[nodiscard]] inline Timed timed(const Machine& machine, const std::vector<Instruction>& program, u64 base = 0) {
  Timing timing(machine);
  for (u32 pc = 0; pc < program.size(); ++pc) timing.consume({pc, program[pc], base});
  Timed result{timing.finish(), {}};
  result.records = timing.records();
  return result;
}

// Returns the profile `paper` (machines/paper.yml) with one dispatch per cycle, in which most rules are easier to see
// than in the default.
[[nodiscard]] inline Machine quick_front_end() {
  Machine machine;
  machine.dispatch = 1;
  return machine;
}

}  // namespace ringfort::rpu::testing
