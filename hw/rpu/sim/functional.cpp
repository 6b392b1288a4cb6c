// SPDX-License-Identifier: Apache-2.0
// Calls the function of each instruction (sim/insns/), and makes the checks that all instructions have in common.
#include "sim/functional.h"

#include "sim/cost.h"
#include "sim/insns/aload.h"
#include "sim/insns/bfly.h"
#include "sim/insns/mload.h"
#include "sim/insns/pkhi.h"
#include "sim/insns/pklo.h"
#include "sim/insns/sload.h"
#include "sim/insns/unpkhi.h"
#include "sim/insns/unpklo.h"
#include "sim/insns/vaddmod.h"
#include "sim/insns/vbcast.h"
#include "sim/insns/vload.h"
#include "sim/insns/vmulmod.h"
#include "sim/insns/vsaddmod.h"
#include "sim/insns/vsmulmod.h"
#include "sim/insns/vssubmod.h"
#include "sim/insns/vstore.h"
#include "sim/insns/vsubmod.h"

namespace ringfort::rpu {
namespace {

Trap execute_op(State& state, const Instruction& in) noexcept {
  switch (in.op) {
    case Op::vload: return insns::vload(state, in);
    case Op::vstore: return insns::vstore(state, in);
    case Op::vbcast: return insns::vbcast(state, in);
    case Op::sload: return insns::sload(state, in);
    case Op::mload: return insns::mload(state, in);
    case Op::aload: return insns::aload(state, in);
    case Op::vaddmod: return insns::vaddmod(state, in);
    case Op::vsubmod: return insns::vsubmod(state, in);
    case Op::vmulmod: return insns::vmulmod(state, in);
    case Op::bfly: return insns::bfly(state, in);
    case Op::vsaddmod: return insns::vsaddmod(state, in);
    case Op::vssubmod: return insns::vssubmod(state, in);
    case Op::vsmulmod: return insns::vsmulmod(state, in);
    case Op::unpklo: return insns::unpklo(state, in);
    case Op::unpkhi: return insns::unpkhi(state, in);
    case Op::pklo: return insns::pklo(state, in);
    case Op::pkhi: return insns::pkhi(state, in);
  }
  return Trap::opcode;
}

bool reads_written_registers(const Written& written, const Instruction& in) noexcept {
  const InstructionInfo& info = in.info();
  if ((vector_use(in).reads & ~written.vector) != 0) return false;
  const auto has = [](u64 mask, u8 number) { return ((mask >> number) & 1) != 0; };
  if (info.pipe == Pipe::load_store) return has(written.address, in.rm);
  if (info.pipe != Pipe::compute) return true;
  const bool scalar = info.vt == Role::none && kVtField.of(info.used_mask) != 0;
  return has(written.modulus, in.rm) && (!scalar || has(written.scalar, in.vt));
}

}  // namespace

Functional::Functional(const Machine& machine, const Image& image) : state_(machine) {
  load_data(state_, image);
  code_.reserve(image.code.size());
  for (const u64 word : image.code) {
    Decoded decoded = decode(word);
    if (decoded.trap == Trap::none && overtakes_its_operand(machine, decoded.instruction))
      decoded.trap = Trap::in_place;
    code_.push_back(decoded);
  }
}

Trap Functional::execute(u32 pc, Event& event) {
  const Decoded& decoded = code_[pc];
  if (decoded.trap != Trap::none) return decoded.trap;
  const Instruction& in = decoded.instruction;
  if (!reads_written_registers(state_.written, in)) return Trap::uninitialised;
  event = {pc, in, in.info().pipe == Pipe::load_store ? vector_base(state_, in) : 0};
  const Trap trap = execute_op(state_, in);
  if (trap == Trap::none) state_.written.vector |= vector_use(in).writes;
  return trap;
}

Outcome Functional::run(const Kernel& kernel, const Observer& observer) {
  Outcome outcome;
  Event event;
  for (u32 pc = kernel.first;; ++pc) {
    outcome.pc = pc;
    outcome.trap = pc < code_.size() ? execute(pc, event) : Trap::no_end;
    if (outcome.trap != Trap::none) return outcome;
    if (observer) observer(event);
    ++outcome.executed;
    if (event.instruction.info().pipe == Pipe::compute) outcome.lane_operations += kVectorLength;
    if (event.instruction.end) return outcome;
  }
}

}  // namespace ringfort::rpu
