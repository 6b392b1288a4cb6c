// SPDX-License-Identifier: Apache-2.0
// Collects the loads in one pass over the operations, in the order in which operations first use them.
#include "codegen/scalar_loads.h"

#include "codegen/flow_facts.h"

namespace ringfort::rpu {
namespace {

bool uses_scalar(const Operation& operation) noexcept {
  return kInstructions[static_cast<std::size_t>(operation.op)].vt == Role::none;
}

}  // namespace

ScalarLoads::ScalarLoads(const Dataflow& flow) {
  want(Op::aload, 0, kZeroWord);
  for (const Operation& operation : flow.operations()) {
    if (pipe_of(operation) != Pipe::compute) continue;
    want(Op::mload, operation.modulus, modulus_word(operation.modulus));
    if (uses_scalar(operation)) want(Op::sload, operation.scalar, scalar_word(operation.scalar));
  }
}

bool ScalarLoads::needed(const Operation& operation) const {
  if (pipe_of(operation) != Pipe::compute) return false;
  return waiting(Op::mload, operation.modulus) || (uses_scalar(operation) && waiting(Op::sload, operation.scalar));
}

void ScalarLoads::want(Op op, u8 number, u32 address) {
  if (!index_.try_emplace({op, number}, loads_.size()).second) return;
  Instruction in;
  in.op = op;
  in.vt = number;
  in.address = address;
  loads_.push_back(in);
}

}  // namespace ringfort::rpu
