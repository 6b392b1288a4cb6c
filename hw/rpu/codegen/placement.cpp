// SPDX-License-Identifier: Apache-2.0
// Finds registers for the operands and results of one operation. Asks the timing model which registers and which
// register memories are free.
#include "codegen/placement.h"

namespace ringfort::rpu {
namespace {

constexpr u32 kMemories = kRegisters / 4;
constexpr int kNowhere = -1;

}  // namespace

Placement::Placement(const FlowFacts& facts, const Machine& machine, u32 constant_memories)
    : facts_(&facts),
      machine_(&machine),
      constant_memories_(constant_memories),
      registers_(facts.flow.values().size(), kNowhere) {
  for (const auto& readers : facts.readers) uses_.push_back(static_cast<u32>(readers.size()));
}

bool Placement::sources_ready(std::size_t operation, const Timing& timing, u64 now) const {
  VectorUse use;
  for (const ValueId source : facts_->flow.operations()[operation].sources) use.reads |= u64{1} << registers_[source];
  return timing.registers_free(use, now);
}

std::optional<Instruction> Placement::at(std::size_t operation, const Timing& timing, u64 now) {
  const Instruction instruction = encode_sources(facts_->flow.operations()[operation]);
  const u64 start = timing.start_if_dispatched(instruction.info().pipe, now);
  const PortWindows reads = windows_of(instruction, operation);
  if (!timing.windows_free(reads, start)) return std::nullopt;
  return with_results(
      instruction, operation, [&](u32 r) { return timing.registers_free({0, u64{1} << r}, now); },
      [&](u32 memory) {
        return timing.windows_free({0, static_cast<u16>(1U << memory), reads.occupancy, reads.latency}, start);
      });
}

std::optional<Instruction> Placement::anywhere(std::size_t operation) {
  const auto any = [](u32) { return true; };
  return with_results(encode_sources(facts_->flow.operations()[operation]), operation, any, any);
}

void Placement::commit(std::size_t index, const Instruction& instruction) {
  const Operation& operation = facts_->flow.operations()[index];
  const std::array<u8, 2> fields{instruction.vd, instruction.vd1};
  for (std::size_t k = 0; k < operation.results.size(); ++k) {
    registers_[operation.results[k]] = fields[k];
    if (uses_[operation.results[k]] != 0) live_ |= u64{1} << fields[k];
  }
  for (const ValueId source : operation.sources)
    if (--uses_[source] == 0) live_ &= ~(u64{1} << registers_[source]);
}

Placement::MemoryRange Placement::memories_for(ValueKind kind) const noexcept {
  if (kind == ValueKind::constant) return {kMemories - constant_memories_, constant_memories_};
  return {0, kMemories - constant_memories_};
}

u32 Placement::free_registers(ValueKind kind) const noexcept {
  const MemoryRange range = memories_for(kind);
  const u64 registers = (~u64{0} >> (kRegisters - 4 * range.count)) << (4 * range.first);
  return static_cast<u32>(std::popcount(registers & ~live_));
}

template <class Usable, class Fits>
std::optional<Instruction> Placement::with_results(Instruction instruction, std::size_t index, Usable usable,
                                                   Fits fits) {
  const Operation& operation = facts_->flow.operations()[index];
  const PortWindows reads = windows_of(instruction, index);
  u16 avoid = reads.latency < reads.occupancy ? reads.read_memories : u16{0};
  const std::array<u8*, 2> fields{&instruction.vd, &instruction.vd1};
  for (std::size_t k = 0; k < operation.results.size(); ++k) {
    const auto blocked = static_cast<u16>(avoid | partners(operation.results[k]));
    const auto number = free_register(operation.results[k], blocked, usable, fits);
    if (!number) return std::nullopt;
    *fields[k] = *number;
    avoid = static_cast<u16>(avoid | (1U << (*number / 4)));
  }
  return instruction;
}

template <class Usable, class Fits>
std::optional<u8> Placement::free_register(ValueId value, u16 avoid, Usable usable, Fits fits) {
  const MemoryRange range = memories_for(facts_->flow.values()[value]);
  for (u32 k = 0; k < range.count; ++k) {
    const u32 memory = range.first + (turn_ + k) % range.count;
    if (((avoid >> memory) & 1) != 0) continue;
    u32 r = 4 * memory;
    while (r < 4 * memory + 4 && (((live_ >> r) & 1) != 0 || !usable(r))) ++r;
    if (r == 4 * memory + 4 || !fits(memory)) continue;
    turn_ = memory + 1;
    return static_cast<u8>(r);
  }
  return std::nullopt;
}

// Returns the memories of placed values that some operation reads together with this value.
u16 Placement::partners(ValueId value) const {
  u16 mask = 0;
  for (const std::size_t reader : facts_->readers[value])
    for (const ValueId other : facts_->flow.operations()[reader].sources)
      if (other != value && registers_[other] != kNowhere)
        mask = static_cast<u16>(mask | (1U << (registers_[other] / 4)));
  return mask;
}

Instruction Placement::encode_sources(const Operation& operation) const {
  Instruction in = instruction_of(operation);
  if (in.op == Op::vstore) in.vd = static_cast<u8>(registers_[operation.sources[0]]);
  if (in.has_mode()) return in;
  const std::array<u8*, 3> fields{&in.vs, &in.vt, &in.vt1};
  for (std::size_t k = 0; k < operation.sources.size(); ++k)
    *fields[k] = static_cast<u8>(registers_[operation.sources[k]]);
  return in;
}

// Returns windows for reads only, because the results have no registers yet.
PortWindows Placement::windows_of(const Instruction& in, std::size_t operation) const {
  u64 sources = 0;
  for (const ValueId source : facts_->flow.operations()[operation].sources) sources |= u64{1} << registers_[source];
  return {memories_of(sources), 0, facts_->occupancies[operation], latency(*machine_, in.info().latency)};
}

}  // namespace ringfort::rpu
