// SPDX-License-Identifier: Apache-2.0
// Computes the cost of instructions, above all of loads and stores with bank conflicts (hw/rpu/README.md). The crossbar
// VBAR moves groups of min(hples, banks) consecutive elements between the vector data memory and the lanes. A group
// takes a number of passes that is a power of two. In one pass each bank reads or writes at most one word. If several
// lanes load the same word, one read serves them all. The front end fixes the start of an instruction at its dispatch.
// Therefore the number of passes must be known at that time. A closed formula gives this number. It depends on the
// machine parameter bank_hash, which determines the bank of an address:
//   low hash: The bank is the lowest log2(banks) bits of the address. The number of passes is the largest number of
//             different words of the group in one bank.
//   xor hash: The address is cut into pieces of log2(banks) bits. The bank is the exclusive or of the pieces. A base
//             address is aligned if it is zero in the bits in which the offsets of the group's elements differ. With an
//             aligned base, the number of passes is again the largest number of different words in one bank. With
//             another base, the sum of base and offset has a carry for some elements, and a carry changes the hash.
//             VBAR serves elements with a carry in separate passes, even if their banks differ.
#include "sim/cost.h"

#include <algorithm>

namespace ringfort::rpu {
namespace {

// A pack (PKLO, PKHI) reads a row of each source in every cycle. If both sources are the same register, its single-port
// memory delivers one row per cycle, and the pack takes twice as long.
bool packs_one_register(const Instruction& in) noexcept {
  return (in.op == Op::pklo || in.op == Op::pkhi) && in.vs == in.vt;
}

bool multiplies(Latency c) noexcept { return c == Latency::multiply || c == Latency::multiply_add; }

// A group of elements that VBAR moves. It takes 2^(folds + carries) passes. An element has a position in the group, 0
// for the first element. Its offset is its address minus the address of the first element.
struct Group {
  unsigned bits;       // number of bits of a position
  unsigned bank_bits;  // number of bits of a bank's number
  Mode mode;
  u32 value;

  // Tells whether the group skips words. The mode `skip` takes 2^value words, skips as many words, and so on. If the
  // group is longer than 2^value, an offset is the position with a zero inserted as bit `value`.
  [[nodiscard]] bool splits() const noexcept { return mode == Mode::skip && value < bits; }

  // Returns how many bits of the element's position have no effect on the bank.
  [[nodiscard]] unsigned folds(bool hashed) const noexcept {
    if (mode == Mode::stride && !hashed && bits + value > bank_bits) return std::min(bits, bits + value - bank_bits);
    return splits() && bits == bank_bits && !(hashed && value == 0) ? 1 : 0;
  }

  // Returns the number of ranges of address bits, at most two, in which the sum of base and offset can have a carry.
  [[nodiscard]] unsigned carries(u64 base) const noexcept {
    const u64 all = (u64{1} << bits) - 1, below = (u64{1} << value) - 1;
    if (!splits()) {
      const u64 run = mode == Mode::stride ? all << value : mode == Mode::repeat ? all & below : all;
      return (base & run) != 0 ? 1 : 0;
    }
    const bool lower = (base & below) != 0;
    const bool into_upper = lower && ((base >> value) & 1) != 0;
    const bool upper = into_upper || (base & ((all << 1) & ~below & ~(u64{1} << value))) != 0;
    return (lower ? 1U : 0U) + (upper ? 1U : 0U);
  }
};

u32 memory_occupancy(const Machine& machine, const Instruction& in, u64 base) noexcept {
  const u32 width = std::min(machine.hples, machine.banks);
  const Group group{static_cast<unsigned>(std::countr_zero(width)),
                    static_cast<unsigned>(std::countr_zero(machine.banks)), in.mode(), in.value()};
  const bool hashed = machine.bank_hash == BankHash::kXor && machine.banks > 1;
  return kVectorLength / width << (group.folds(hashed) + (hashed ? group.carries(base) : 0));
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
    case Pipe::shuffle: return machine.beats() * (packs_one_register(in) ? 2 : 1);
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
