// SPDX-License-Identifier: Apache-2.0
// Writes the table of instructions, the memories, and the outcome of the run.
#include "sim/trace/schedule.h"

namespace ringfort::rpu {
namespace {

template <class Word>
void write_words(std::ostream& out, const std::vector<Word>& words) {
  constexpr unsigned kDigits = 2 * sizeof(Word);
  std::string line(kDigits, '0');
  bool run = false;  // true if the word before this one was written
  for (std::size_t address = 0; address < words.size(); ++address) {
    if (words[address] == 0) {
      run = false;
      continue;
    }
    if (!run) out << "@" << std::hex << address << std::dec << "\n";
    run = true;
    for (unsigned digit = 0; digit < kDigits; ++digit)
      line[kDigits - 1 - digit] = "0123456789abcdef"[static_cast<unsigned>((words[address] >> (4 * digit)) & 15)];
    out << line << "\n";
  }
}

}  // namespace

void write_schedule(std::ostream& out, const std::vector<Record>& records) {
  out << "pc,dispatch,start,finish";
  for (const char* cause : kStallNames) out << "," << cause;
  out << ",text\n";
  for (const Record& record : records) {
    out << record.pc << "," << record.dispatch << "," << record.start << "," << record.finish();
    for (const u32 cycles : record.stalls) out << "," << cycles;
    out << ",\"" << format(record.instruction) << "\"\n";
  }
}

void write_memory(std::ostream& out, const std::vector<u64>& words) { write_words(out, words); }
void write_memory(std::ostream& out, const std::vector<u128>& words) { write_words(out, words); }

void write_outcome(std::ostream& out, const Kernel& kernel, std::size_t instructions, const Outcome& outcome,
                   u64 cycles) {
  out << "first " << kernel.first << "\ninstructions " << instructions << "\nexecuted " << outcome.executed << "\ntrap "
      << static_cast<unsigned>(outcome.trap) << "\npc " << outcome.pc << "\ncycles " << cycles << "\n";
}

}  // namespace ringfort::rpu
