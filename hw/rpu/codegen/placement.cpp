// SPDX-License-Identifier: Apache-2.0
#include "codegen/placement.h"

namespace ringfort::rpu {
namespace {

constexpr u32 kMemories = kRegisters / 4;
constexpr u32 kConstantMemories = 4;  // the last ones
constexpr int kNowhere = -1;
constexpr u64 kAnyTime = ~u64{0};

struct MemoryRange {
  u32 first;
  u32 count;
};

MemoryRange memories_for(ValueKind kind) noexcept {
  if (kind == ValueKind::constant) return {kMemories - kConstantMemories, kConstantMemories};
  return {0, kMemories - kConstantMemories};
}

}  // namespace

Placement::Placement(const Dataflow& flow, const Machine& machine, Timing& timing)
    : flow_(flow),
      machine_(machine),
      timing_(timing),
      place_(flow.values().size(), kNowhere),
      uses_(flow.values().size()),
      readers_(flow.values().size()),
      costs_(flow.operations().size()) {
  for (std::size_t i = 0; i < flow.operations().size(); ++i)
    for (const ValueId value : flow.operations()[i].sources) {
      ++uses_[value];
      readers_[value].push_back(i);
    }
}

bool Placement::sources_ready(std::size_t operation, u64 now) const {
  VectorUse use;
  for (const ValueId source : flow_.operations()[operation].sources) {
    if (place_[source] == kNowhere) return false;
    use.reads |= u64{1} << place_[source];
  }
  return timing_.registers_free(use, now);
}

std::optional<Instruction> Placement::at(std::size_t operation, u64 now) {
  const Instruction instruction = encode_sources(flow_.operations()[operation]);
  const u64 start = timing_.start_if_dispatched(instruction.info().pipe, now);
  const PortWindows reads = windows_of(instruction, operation);
  if (!timing_.windows_free(reads, start)) return std::nullopt;
  return with_results(instruction, operation, now, [&](u32 memory) {
    return timing_.windows_free({0, static_cast<u16>(1U << memory), reads.occupancy, reads.latency}, start);
  });
}

std::optional<Instruction> Placement::anywhere(std::size_t operation) {
  return with_results(encode_sources(flow_.operations()[operation]), operation, kAnyTime, [](u32) { return true; });
}

void Placement::commit(std::size_t index, const Instruction& instruction) {
  const Operation& operation = flow_.operations()[index];
  const std::array<u8, 2> fields{instruction.vd, instruction.vd1};
  for (std::size_t k = 0; k < operation.results.size(); ++k) {
    place_[operation.results[k]] = fields[k];
    if (uses_[operation.results[k]] != 0) live_ |= u64{1} << fields[k];
  }
  for (const ValueId source : operation.sources)
    if (--uses_[source] == 0) live_ &= ~(u64{1} << place_[source]);
}

u32 Placement::free_registers(ValueKind kind) const noexcept {
  const MemoryRange range = memories_for(kind);
  u32 count = 0;
  for (u32 r = 4 * range.first; r < 4 * (range.first + range.count); ++r) count += (live_ >> r) & 1 ? 0U : 1U;
  return count;
}

template <class Fits>
std::optional<Instruction> Placement::with_results(Instruction instruction, std::size_t index, u64 now, Fits fits) {
  const Operation& operation = flow_.operations()[index];
  const PortWindows reads = windows_of(instruction, index);
  u16 avoid = reads.latency < reads.occupancy ? reads.read_memories : u16{0};
  const std::array<u8*, 2> fields{&instruction.vd, &instruction.vd1};
  for (std::size_t k = 0; k < operation.results.size(); ++k) {
    const auto blocked = static_cast<u16>(avoid | partners(operation.results[k]));
    const auto number = free_register(operation.results[k], blocked, now, fits);
    if (!number) return std::nullopt;
    *fields[k] = *number;
    avoid = static_cast<u16>(avoid | (1U << (*number / 4)));
  }
  return instruction;
}

template <class Fits>
std::optional<u8> Placement::free_register(ValueId value, u16 avoid, u64 now, Fits fits) {
  const MemoryRange range = memories_for(flow_.values()[value]);
  for (u32 k = 0; k < range.count; ++k) {
    const u32 memory = range.first + (turn_ + k) % range.count;
    if (((avoid >> memory) & 1) != 0) continue;
    const auto number = free_in(memory, now);
    if (!number || !fits(memory)) continue;
    turn_ = memory + 1;
    return number;
  }
  return std::nullopt;
}

std::optional<u8> Placement::free_in(u32 memory, u64 now) const {
  for (u32 r = 4 * memory; r < 4 * memory + 4; ++r) {
    if (((live_ >> r) & 1) != 0) continue;
    if (now == kAnyTime || timing_.registers_free({0, u64{1} << r}, now)) return static_cast<u8>(r);
  }
  return std::nullopt;
}

// Memories of placed values that some operation will read together with this one.
u16 Placement::partners(ValueId value) const {
  u16 mask = 0;
  for (const std::size_t reader : readers_[value])
    for (const ValueId other : flow_.operations()[reader].sources)
      if (other != value && place_[other] != kNowhere) mask = static_cast<u16>(mask | (1U << (place_[other] / 4)));
  return mask;
}

Instruction Placement::encode_sources(const Operation& operation) const {
  Instruction in;
  in.op = operation.op;
  in.address = operation.address;
  if (in.has_mode()) {
    in.vs = static_cast<u8>(operation.mode);
    in.vt = operation.value;
    if (in.op == Op::vstore) in.vd = static_cast<u8>(place_[operation.sources[0]]);
    return in;
  }
  const std::array<u8*, 3> fields{&in.vs, &in.vt, &in.vt1};
  for (std::size_t k = 0; k < operation.sources.size(); ++k) *fields[k] = static_cast<u8>(place_[operation.sources[k]]);
  return in;
}

// Reads only: the results have no place yet.
PortWindows Placement::windows_of(const Instruction& in, std::size_t operation) {
  if (costs_[operation] == 0) costs_[operation] = occupancy(machine_, in, in.address);
  u64 sources = 0;
  for (const ValueId source : flow_.operations()[operation].sources) sources |= u64{1} << place_[source];
  return {memories_of(sources), 0, costs_[operation], latency(machine_, in.info().latency)};
}

}  // namespace ringfort::rpu
