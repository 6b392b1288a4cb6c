// SPDX-License-Identifier: Apache-2.0
// Executes instructions. Each instruction has one small function, which decode() selects. The functions of most
// arithmetic instructions are templates whose argument is a rule, a plain function of rules.h. The functions for
// memory, jumps, tasklets and DMA follow. An instruction costs one issue slot unless its function charges more.
// hw/pim/README.md explains the terms.
#pragma once

#include <cstring>

#include "machine.h"
#include "words.h"

namespace ringfort::pim::op {

template <auto Rule>
Outcome of_registers(Machine&, Tasklet& t, const Operation& o) {
  t.x[o.rd] = Rule(t.x[o.rs1], t.x[o.rs2]);
  t.pc = &o + 1;
  return Outcome::goes_on;
}

template <auto Rule>
Outcome of_immediate(Machine&, Tasklet& t, const Operation& o) {
  t.x[o.rd] = Rule(t.x[o.rs1], static_cast<u32>(o.immediate));
  t.pc = &o + 1;
  return Outcome::goes_on;
}

// Applies Rule to rs1, rs2 and the shift amount or variant `extra`.
template <auto Rule>
Outcome of_three(Machine&, Tasklet& t, const Operation& o) {
  t.x[o.rd] = Rule(t.x[o.rs1], t.x[o.rs2], o.extra);
  t.pc = &o + 1;
  return Outcome::goes_on;
}

// Applies Rule in two issue slots, because the DPU has no single instruction for Rule.
template <auto Rule>
Outcome of_registers_twice(Machine&, Tasklet& t, const Operation& o) {
  t.x[o.rd] = Rule(t.x[o.rs1], t.x[o.rs2]);
  charge(t, &o + 1, 2, &kIdleSlot);
  return Outcome::goes_on;
}

// Runs a shift and the addition or subtraction that uses its result. The two instructions have the same rd. Rule
// computes, for example, rs2 + (rs1 << extra).
template <auto Rule>
Outcome of_pair(Machine&, Tasklet& t, const Operation& o) {
  t.x[o.rd] = Rule(t.x[o.rs2], t.x[o.rs1], o.extra);
  t.pc = &o + 2;
  return Outcome::goes_on;
}

template <auto Rule>
Outcome branch(Machine&, Tasklet& t, const Operation& o) {
  t.pc = &o + (Rule(t.x[o.rs1], t.x[o.rs2]) ? o.immediate : 1);
  return Outcome::goes_on;
}

// Runs an arithmetic instruction and the branch that follows it.
template <Execute kArithmetic>
Outcome then_branch(Machine& m, Tasklet& t, const Operation& o) {
  kArithmetic(m, t, o);
  const Operation& next = *(&o + 1);
  return next.execute(m, t, next);
}

// Raises the fault of an invalid access. The function is not inline, so that the code of a valid access is short.
Outcome refuse_access(Machine& m, const Tasklet& t, u32 address, u32 bytes);

inline bool in_wram(const Machine& m, u32 address, u32 bytes) {
  return address <= m.wram_limit - bytes && address % bytes == 0;
}

template <class Word>
Outcome load(Machine& m, Tasklet& t, const Operation& o) {
  const u32 address = t.x[o.rs1] + static_cast<u32>(o.immediate);
  if (!in_wram(m, address, sizeof(Word))) return refuse_access(m, t, address, sizeof(Word));
  Word word;
  std::memcpy(&word, m.wram.data() + address, sizeof word);
  t.x[o.rd] = static_cast<u32>(static_cast<i32>(word));
  t.pc = &o + 1;
  return Outcome::goes_on;
}

template <class Word>
Outcome store(Machine& m, Tasklet& t, const Operation& o) {
  const u32 address = t.x[o.rs1] + static_cast<u32>(o.immediate);
  if (!in_wram(m, address, sizeof(Word))) return refuse_access(m, t, address, sizeof(Word));
  const Word word = static_cast<Word>(t.x[o.rs2]);
  std::memcpy(m.wram.data() + address, &word, sizeof word);
  t.pc = &o + 1;
  return Outcome::goes_on;
}

Outcome load_pair(Machine& m, Tasklet& t, const Operation& o);
Outcome store_pair(Machine& m, Tasklet& t, const Operation& o);
Outcome add_with_carry(Machine& m, Tasklet& t, const Operation& o);
Outcome add_with_carry_first(Machine& m, Tasklet& t, const Operation& o);
Outcome compare_halves(Machine& m, Tasklet& t, const Operation& o);  // runs xor, xor, or, branch in two slots
Outcome add_to_stack(Machine& m, Tasklet& t, const Operation& o);
Outcome load_constant(Machine& m, Tasklet& t, const Operation& o);       // lui, auipc
Outcome load_constant_pair(Machine& m, Tasklet& t, const Operation& o);  // lui + addi
Outcome jump(Machine& m, Tasklet& t, const Operation& o);
Outcome jump_register(Machine& m, Tasklet& t, const Operation& o);
Outcome unknown(Machine& m, Tasklet& t, const Operation& o);

Outcome runtime_call(Machine& m, Tasklet& t, const Operation& o);
Outcome float_call(Machine& m, Tasklet& t, const Operation& o);  // in floats.cpp

Outcome thread_number(Machine& m, Tasklet& t, const Operation& o);
Outcome acquire(Machine& m, Tasklet& t, const Operation& o);
Outcome try_acquire(Machine& m, Tasklet& t, const Operation& o);
Outcome release(Machine& m, Tasklet& t, const Operation& o);
Outcome stop(Machine& m, Tasklet& t, const Operation& o);
Outcome resume(Machine& m, Tasklet& t, const Operation& o);
Outcome halt(Machine& m, Tasklet& t, const Operation& o);
Outcome counter_configure(Machine& m, Tasklet& t, const Operation& o);
Outcome counter_low(Machine& m, Tasklet& t, const Operation& o);
Outcome counter_high(Machine& m, Tasklet& t, const Operation& o);
Outcome counter_cycles(Machine& m, Tasklet& t, const Operation& o);
Outcome counter_instructions(Machine& m, Tasklet& t, const Operation& o);
Outcome print(Machine& m, Tasklet& t, const Operation& o);
Outcome soft_fault(Machine& m, Tasklet& t, const Operation& o);
// `extra` is a DpuDma (dpu_isa.h), `immediate` is the number of the register that has the size.
Outcome dma(Machine& m, Tasklet& t, const Operation& o);

}  // namespace ringfort::pim::op
