// SPDX-License-Identifier: Apache-2.0
// Counts the words that each instruction moves. The pipe and the latency class of the instruction (doc/isa.md)
// determine the counts.
#include "sim/activity.h"

#include <bit>

#include "sim/energy_tables.h"

namespace ringfort::rpu {

void Activity::add(const Instruction& instruction) noexcept {
  ++instructions;
  const VectorUse use = vector_use(instruction);
  const u64 reads = static_cast<u64>(std::popcount(use.reads)), writes = static_cast<u64>(std::popcount(use.writes));
  switch (instruction.info().pipe) {
    case Pipe::front_end: return;
    case Pipe::load_store:
      register_words += kVectorLength;
      crossbar_words += kVectorLength;
      memory_words += instruction.op == Op::vbcast ? 1 : kVectorLength;
      return;
    case Pipe::shuffle:  // reads half of each source
      register_words += 2 * kVectorLength;
      shuffled_words += kVectorLength;
      return;
    case Pipe::compute: register_words += (reads + writes) * kVectorLength; break;
  }
  const Latency unit = instruction.info().latency;
  if (unit == Latency::multiply || unit == Latency::multiply_add) multiplications += kVectorLength;
  if (unit == Latency::add) additions += kVectorLength;
  if (unit == Latency::multiply_add) additions += 2 * kVectorLength;
}

double Activity::microjoules() const noexcept {
  const auto spent = [](u64 count, double picojoules) { return static_cast<double>(count) * picojoules / 1e6; };
  return spent(multiplications, kMultiplicationPj) + spent(additions, kAdditionPj) +
         spent(register_words, kRegisterWordPj) + spent(memory_words, kMemoryWordPj) +
         spent(crossbar_words, kCrossbarWordPj) + spent(shuffled_words, kShuffledWordPj) +
         spent(instructions, kInstructionPj);
}

}  // namespace ringfort::rpu
