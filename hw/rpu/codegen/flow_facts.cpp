// SPDX-License-Identifier: Apache-2.0
// Derives the facts of flow_facts.h in one pass over the operations. For each word of memory it remembers the last
// store and the loads since then.
#include "codegen/flow_facts.h"

namespace ringfort::rpu {
namespace {

// Returns the number of cycles for which the operation occupies its pipe. A pack of one register with itself takes
// longer, and the operation has no registers yet. Its sources will be in one register only if they are one value.
u32 occupancy_of(const Operation& operation, const Machine& machine) {
  Instruction in = instruction_of(operation);
  if (in.info().pipe == Pipe::shuffle) in.vt = operation.sources[0] == operation.sources[1] ? in.vs : in.vs + 1;
  return occupancy(machine, in, operation.address);
}

}  // namespace

Instruction instruction_of(const Operation& operation) noexcept {
  Instruction in;
  in.op = operation.op;
  in.address = operation.address;
  if (in.has_mode()) {
    in.vs = static_cast<u8>(operation.mode);
    in.vt = operation.value;
    return in;
  }
  if (in.info().pipe == Pipe::compute) in.rm = operation.modulus;
  if (in.info().vt == Role::none) in.vt = operation.scalar;
  return in;
}

FlowFacts::FlowFacts(const Dataflow& dataflow, const Machine& machine)
    : flow(dataflow),
      maker(flow.values().size()),
      readers(flow.values().size()),
      occupancies(flow.operations().size()),
      followers(flow.operations().size()),
      needs(flow.operations().size()) {
  for (std::size_t i = 0; i < flow.operations().size(); ++i) {
    const Operation& operation = flow.operations()[i];
    for (const ValueId result : operation.results) maker[result] = i;
    for (const ValueId source : operation.sources) {
      readers[source].push_back(i);
      follow(maker[source], i);
    }
    occupancies[i] = occupancy_of(operation, machine);
  }
  order_memory();
}

void FlowFacts::order_memory() {
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> stored;               // for each word: the last store
  std::vector<std::vector<std::size_t>> loaded;  // for each word: the loads since this store
  for (std::size_t i = 0; i < flow.operations().size(); ++i) {
    const Operation& operation = flow.operations()[i];
    if (pipe_of(operation) != Pipe::load_store) continue;
    std::vector<std::size_t> before;
    for (u32 k = 0; k < kVectorLength; ++k) {
      const std::size_t word = operation.address + element_offset(operation.mode, operation.value, k);
      if (word >= stored.size()) {
        stored.resize(word + kVectorLength, kNone);
        loaded.resize(word + kVectorLength);
      }
      if (stored[word] != kNone && (before.empty() || before.back() != stored[word])) before.push_back(stored[word]);
      if (operation.op == Op::vstore) {
        before.insert(before.end(), loaded[word].begin(), loaded[word].end());
        loaded[word].clear();
        stored[word] = i;
      } else if (loaded[word].empty() || loaded[word].back() != i) {
        loaded[word].push_back(i);
      }
    }
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    for (const std::size_t other : before) follow(other, i);
  }
}

void FlowFacts::follow(std::size_t before, std::size_t after) {
  followers[before].push_back(after);
  ++needs[after];
}

}  // namespace ringfort::rpu
