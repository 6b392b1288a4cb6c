// SPDX-License-Identifier: Apache-2.0
// Bank conflicts: VBAR moves min(hples, banks) consecutive elements at a time. Such a group takes as many cycles as the
// most loaded bank has different words; equal words are broadcast to all lanes that need them.
#include "sim/cost.h"

#include <algorithm>
#include <array>

namespace ringfort::rpu {
namespace {

constexpr u32 kMaximumBanks = 512;

bool multiplies(Latency c) noexcept { return c == Latency::multiply || c == Latency::multiply_add; }

// Returns the number of different words in the most loaded bank, over `width` elements from `first`.
u32 group_cycles(const Machine& machine, const Instruction& in, u64 base, u32 first, u32 width) noexcept {
  // Only the repeat mode has equal words; there the first `period` elements of a group are all that differ.
  const u64 period = in.mode() == Mode::repeat ? u64{1} << in.value() : kVectorLength;
  const u32 distinct = static_cast<u32>(std::min<u64>(width, period));
  std::array<u16, kMaximumBanks> load{};
  u16 most = 0;
  for (u32 i = first; i < first + distinct; ++i)
    most = std::max(most, ++load[bank_of(machine, base + element_offset(in.mode(), in.value(), i))]);
  return most;
}

u32 memory_occupancy(const Machine& machine, const Instruction& in, u64 base) noexcept {
  const u32 width = std::min(machine.hples, machine.banks);
  u32 cycles = 0;
  for (u32 first = 0; first < kVectorLength; first += width) cycles += group_cycles(machine, in, base, first, width);
  return cycles;
}

}  // namespace

u32 latency(const Machine& machine, Latency latency_class) noexcept {
  switch (latency_class) {
    case Latency::front_end: return 0;
    case Latency::memory: return machine.memory_latency;
    case Latency::add: return machine.add_latency;
    case Latency::multiply: return machine.multiply_latency;
    case Latency::multiply_add: return machine.multiply_latency + machine.add_latency;
    case Latency::shuffle: return machine.shuffle_latency;
  }
  return 0;
}

u32 bank_of(const Machine& machine, u64 address) noexcept {
  const unsigned bits = static_cast<unsigned>(std::countr_zero(machine.banks));
  if (machine.bank_hash == BankHash::kLow || bits == 0) return static_cast<u32>(address % machine.banks);
  u64 bank = 0;
  for (; address != 0; address >>= bits) bank ^= address % machine.banks;
  return static_cast<u32>(bank);
}

u32 occupancy(const Machine& machine, const Instruction& in, u64 base) noexcept {
  const InstructionInfo& info = in.info();
  switch (info.pipe) {
    case Pipe::front_end: return machine.scalar_cycles;
    case Pipe::load_store: return memory_occupancy(machine, in, base);
    case Pipe::compute: return machine.beats() * (multiplies(info.latency) ? machine.multiply_interval : 1);
    case Pipe::shuffle: return machine.beats();
  }
  return 0;
}

bool overtakes_its_operand(const Machine& machine, const Instruction& in) noexcept {
  const InstructionInfo& info = in.info();
  const bool between_registers = info.pipe == Pipe::compute || info.pipe == Pipe::shuffle;
  if (!between_registers || machine.ports == Ports::kNone) return false;
  const VectorUse use = vector_use(in);
  return latency(machine, info.latency) < occupancy(machine, in, 0) &&
         (memories_of(use.reads) & memories_of(use.writes)) != 0;
}

}  // namespace ringfort::rpu
