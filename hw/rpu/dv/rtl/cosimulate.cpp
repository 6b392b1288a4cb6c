// SPDX-License-Identifier: Apache-2.0
// Runs programs on the hardware, which Verilator has translated to C++, and compares the hardware with the simulator.
// For every instruction, it compares the cycles of dispatch, start and finish, the waiting times, and the result right
// after the hardware has written it. At the end of a program, it compares the trap, the number of cycles, the number of
// finished instructions, and the vector data memory. hw/rpu/README.md explains the terms.
//
// usage: cosimulate [--wave FILE] FOLDER... Each folder contains the files that read_run (expected.h) reads. The
// program prints one line for each folder: `equal`, or the first difference. Exit status: 0 if all are equal, 1 after a
// difference, 2 after an error. With --wave, FILE gets the signals of the cycle of the difference, and of the 40 cycles
// before and after it. If several folders differ, FILE has the signals of the last of them. This needs a build with
// Verilator's option --trace.
#include <deque>
#include <iostream>

#include "dv/rtl/expected.h"
#include "dv/rtl/design.h"
#include "sim/cost.h"
#include "sim/instruction.h"
#include "sim/state.h"
#include "sim/trace/steps.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

namespace ringfort::rpu::rtl {
namespace {

// cycles from the end of the reads of a store until its words are in the banks
constexpr u64 kBankDistance = 1 + (RPU_MEMORY_LATENCY - 2) / 2;
constexpr u64 kScalarDistance = 2;  // cycles from the dispatch of a scalar load until its register has the value
constexpr u64 kWaveMargin = 40;

struct Difference {
  std::string what;
  u64 cycle;
};

// The bank and the row of a word of the vector data memory.
struct BankWord {
  u32 bank;
  u32 row;
};

class Comparison {
 public:
  Comparison(Rtl& rtl, const Run& run)
      : rtl_(rtl),
        run_(run),
        machine_(machine_of_this_build()),
        seen_(run.code.size() + 1) {}

  // Observes the actions of the current cycle, after the signals have settled.
  void observe() {
    const Vrpu& p = rtl_.ports();
    if (p.trace_on == 0) return;
    begun_ = true;
    if (p.trace_stall != 0) ++at(p.trace_pc).stalls[p.trace_stall_reason];
    if (p.trace_dispatch != 0) dispatch(p.trace_pc);
    for (u32 pipe = 0; pipe < 3; ++pipe)
      if (((p.trace_start >> pipe) & 1) != 0) compare("start", pc_in(p.trace_start_pc, pipe), cycle_);
    for (u32 line = 0; line < 5; ++line)
      if (((p.trace_last >> line) & 1) != 0) finish(pc_in(p.trace_last_pc, line));
  }

  // Checks the results that the clock edge at the end of the observed cycle has written, except those of stores.
  void after_edge() {
    if (begun_) ++cycle_;
    while (!due_.empty() && due_.front().first <= cycle_) {
      written(due_.front().second);
      due_.pop_front();
    }
    for (const u64 pc : finished_) written(pc);
    finished_.clear();
  }

  void end() {
    const Vrpu& p = rtl_.ports();
    check("trap", run_.outcome.trap, p.trap);
    if (run_.outcome.trap != 0) check("place of the trap", run_.outcome.pc, p.trap_pc);
    check("cycles", run_.outcome.cycles, p.cycles);
    check("finished instructions", vectors(), finishes_);
    for (u32 row = 0; row < kBankRows; ++row) {
      bool data = false;
      for (u32 bank = 0; bank < kBanks; ++bank) data = compare_word({bank, row}, rtl_.vdm_word(bank, row)) || data;
      if (!data) continue;  // to read every row through the port would take longer than the program
      const std::vector<u128> words = rtl_.read_row(row);
      for (u32 bank = 0; bank < kBanks; ++bank) compare_word({bank, row}, words[bank]);
    }
  }

  [[nodiscard]] u64 cycle() const noexcept { return cycle_; }

  [[nodiscard]] BankWord bank_word_of(u64 word) const {
    return {bank_of(machine_, word), static_cast<u32>(word / kBanks)};
  }

 private:
  struct Seen {
    std::array<u64, 4> stalls{};
  };

  template <class Port>
  static u64 pc_in(const Port& port, u32 index) {  // a port has 17 bits for each pc
    u64 pc = 0;
    for (u32 bit = 0; bit < 17; ++bit) {
      const u32 at = 17 * index + bit;
      if constexpr (std::is_integral_v<Port>) pc |= ((port >> at) & 1) << bit;
      else pc |= static_cast<u64>((port[at / 32] >> (at % 32)) & 1) << bit;
    }
    return pc;
  }

  // the bank is the exclusive or of the low bits of the address and a number that depends only on the row
  [[nodiscard]] u64 word_at(BankWord bank_word) const {
    const u64 high = u64{bank_word.row} * kBanks;
    return high + (bank_word.bank ^ bank_of(machine_, high));
  }

  // Compares a word of the hardware with the model's word. Tells whether the model's word is not zero.
  bool compare_word(BankWord bank_word, u128 found) const {
    const u64 word = word_at(bank_word);
    if (word >= kVdmWords) return false;
    const auto expected = run_.after.find(word);
    const u128 model = expected == run_.after.end() ? 0 : expected->second;
    check_value("vdm[" + std::to_string(word) + "] after the run", model, found);
    return model != 0;
  }

  Seen& at(u64 pc) { return seen_.at(pc); }

  [[nodiscard]] const Expected& expected(u64 pc) const {
    const u64 index = pc - run_.outcome.first;
    if (index >= run_.instructions.size())
      throw Difference{"instruction " + std::to_string(pc) + " runs only on the hardware", cycle_};
    return run_.instructions[index];
  }

  [[nodiscard]] u64 vectors() const {
    u64 count = 0;
    for (const Expected& in : run_.instructions)
      count += decode(in.word).instruction.info().pipe == Pipe::front_end ? 0 : 1;
    return count;
  }

  void check(const std::string& what, u64 model, u64 hardware) const {
    if (model != hardware)
      throw Difference{what + ": model " + std::to_string(model) + ", hardware " + std::to_string(hardware), cycle_};
  }
  void check_value(const std::string& what, u128 model, u128 hardware) const {
    if (model != hardware)
      throw Difference{what + ": model " + hexadecimal(model) + ", hardware " + hexadecimal(hardware), cycle_};
  }
  [[nodiscard]] std::string heading(u64 pc) const {
    return "instruction " + std::to_string(pc) + " (" + expected(pc).text + "): ";
  }

  void compare(const std::string& what, u64 pc, u64 cycle) const {
    const Expected& in = expected(pc);
    check(heading(pc) + what, what == "dispatch" ? in.dispatch : what == "start" ? in.start : in.finish, cycle);
  }

  void dispatch(u64 pc) {
    compare("dispatch", pc, cycle_);
    constexpr std::array<const char*, 4> kCauses{"slot", "busyboard", "queue", "port"};
    for (u32 cause = 0; cause < 4; ++cause)
      check(heading(pc) + "waited for the " + kCauses[cause], expected(pc).stalls[cause], at(pc).stalls[cause]);
    const Instruction in = decode(expected(pc).word).instruction;
    if (in.info().pipe == Pipe::front_end) {  // the front end itself executes this instruction
      compare("start", pc, cycle_);
      compare("finish", pc, cycle_ + RPU_SCALAR_CYCLES);
      due_.emplace_back(cycle_ + kScalarDistance, pc);
    }
    if (in.op == Op::vstore) {
      const Expected& store = expected(pc);
      stores_.emplace_back(store.finish - RPU_MEMORY_LATENCY + kBankDistance, pc);
    }
  }

  void finish(u64 pc) {
    compare("finish", pc, cycle_ + 1);
    ++finishes_;
    if (decode(expected(pc).word).instruction.op != Op::vstore) finished_.push_back(pc);
  }

  // Compares the result of instruction `pc` with the trace of steps from the simulator.
  void written(u64 pc) const {
    const Instruction in = decode(expected(pc).word).instruction;
    const auto number = [&](const char* prefix) { return "\"" + (prefix + std::to_string(in.vt)) + "\":"; };
    std::string found;
    switch (in.op) {
      case Op::sload: found = number("s") + quoted(hexadecimal(rtl_.scalar(in.vt))); break;
      case Op::aload: found = number("a") + quoted(hexadecimal(rtl_.address(in.vt))); break;
      case Op::mload: found = number("m") + quoted(hexadecimal(rtl_.modulus(in.vt))); break;
      case Op::vstore: found = "\"vdm\":" + quoted(digest_of(in, expected(pc).base)); break;
      default:
        found = vector_digest(in.vd);
        if (in.info().vd1 == Role::write) found += "," + vector_digest(in.vd1);
    }
    if (found != expected(pc).writes)
      throw Difference{heading(pc) + "wrote: model " + expected(pc).writes + ", hardware " + found, cycle_};
    if (in.op == Op::mload) {
      const u128 q = rtl_.modulus(in.vt);
      check_value(heading(pc) + "normalised", q << (leading_zeros(q) - (128 - kW)), rtl_.normal_modulus(in.vt));
    }
  }

  static std::string quoted(const std::string& text) { return "\"" + text + "\""; }
  static std::string sixteen(u64 hash) {
    std::string text = hexadecimal(hash).substr(2);
    return std::string(16 - text.size(), '0') + text;
  }
  [[nodiscard]] std::string vector_digest(u32 number) const {
    Vector vector;
    for (u32 i = 0; i < kVectorLength; ++i) vector.element[i] = rtl_.vector_element(number, i);
    return "\"v" + std::to_string(number) + "\":" + quoted(sixteen(digest(vector)));
  }
  [[nodiscard]] std::string digest_of(const Instruction& in, u64 base) const {
    Vector vector;
    for (u32 i = 0; i < kVectorLength; ++i) {
      const BankWord bank_word = bank_word_of(base + element_offset(in.mode(), in.value(), i));
      vector.element[i] = rtl_.vdm_word(bank_word.bank, bank_word.row);
    }
    return sixteen(digest(vector));
  }

 public:
  void stores() {
    while (!stores_.empty() && stores_.front().first <= cycle_) {
      written(stores_.front().second);
      stores_.pop_front();
    }
  }

 private:
  Rtl& rtl_;
  const Run& run_;
  Machine machine_;
  std::vector<Seen> seen_;
  // for scalar loads and for stores: the first cycle in which the result is in its memory, and the pc
  std::deque<std::pair<u64, u64>> due_, stores_;
  std::vector<u64> finished_;
  bool begun_ = false;  // true from cycle 0 on, in which the first instruction is in the dispatch stage
  u64 cycle_ = 0;
  u64 finishes_ = 0;
};

// Resets the machine and fills its memories. Data words that only an earlier run has filled become zero.
void load(Rtl& rtl, const Run& run, const Comparison& comparison) {
  rtl.reset();
  for (u32 i = 0; i < run.code.size(); ++i) rtl.write_instruction(i, run.code[i]);
  for (u32 i = 0; i < kSdmWords; ++i) {
    const auto found = run.sdm.find(i);
    const u128 word = found == run.sdm.end() ? 0 : found->second;
    if (word != rtl.scalar_data(i)) rtl.write_scalar_data(i, word);
  }
  std::vector<std::vector<u128>> rows(kBankRows, std::vector<u128>(kBanks));
  for (const auto& [address, word] : run.before) {
    const BankWord bank_word = comparison.bank_word_of(address);
    rows.at(bank_word.row)[bank_word.bank] = word;
  }
  for (u32 row = 0; row < kBankRows; ++row) {
    bool same = true;
    for (u32 bank = 0; bank < kBanks; ++bank) same = same && rows[row][bank] == rtl.vdm_word(bank, row);
    if (!same) rtl.write_row(row, rows[row]);
  }
}

void execute(Rtl& rtl, const Run& run, Comparison& comparison, const auto& each_cycle) {
  Vrpu& p = rtl.ports();
  p.start = 1;
  p.start_pc = static_cast<IData>(run.outcome.first);
  p.code_words = static_cast<IData>(run.code.size());
  for (u64 waited = 0;; ++waited) {
    rtl.settle();
    each_cycle();
    if (p.start == 0 && p.done != 0) break;
    comparison.observe();
    rtl.tick();
    p.start = 0;
    comparison.after_edge();
    comparison.stores();
    if (waited > run.outcome.cycles + 1000)
      throw Difference{"the program does not end: model " + std::to_string(run.outcome.cycles) + " cycles",
                       comparison.cycle()};
  }
  comparison.end();
}

#if VM_TRACE
// Runs the program again. Records the signals of the cycles before and after the difference.
void record(Rtl& rtl, const Run& run, u64 cycle, const std::string& path) {
  Comparison again(rtl, run);
  load(rtl, run, again);
  VerilatedVcdC file;
  rtl.ports().trace(&file, 99);
  file.open(path.c_str());
  const u64 begin = cycle < kWaveMargin ? 0 : cycle - kWaveMargin;
  u64 time = begin;  // one time step of the file is one cycle of the program
  try {
    execute(rtl, run, again, [&] {
      const bool begun = again.cycle() > 0 || rtl.ports().trace_on != 0;
      if (begun && again.cycle() >= begin) file.dump(time++);
    });
  } catch (const Difference&) {
    for (u64 more = 0; more < kWaveMargin; ++more) {
      rtl.tick();
      rtl.settle();
      file.dump(time++);
    }
  }
  file.close();
  std::cout << "  " << path << " begins at cycle " << begin << "\n";
}
#else
void record(Rtl&, const Run&, u64, const std::string&) { std::cout << "  this build cannot record\n"; }
#endif

bool compare_folder(Rtl& rtl, const std::string& folder, const std::string& wave) {
  const Run run = read_run(folder);
  Comparison comparison(rtl, run);
  load(rtl, run, comparison);
  try {
    execute(rtl, run, comparison, [] {});
  } catch (const Difference& difference) {
    std::cout << folder << ": cycle " << difference.cycle << ", " << difference.what << "\n";
    if (!wave.empty()) record(rtl, run, difference.cycle, wave);
    return false;
  }
  std::cout << folder << ": equal, " << run.outcome.cycles << " cycles\n";
  return true;
}

int compare_folders(const std::vector<std::string>& arguments) {
  VerilatedContext context;
#if VM_TRACE
  context.traceEverOn(true);
#endif
  Rtl rtl(context);
  std::string wave;
  bool equal = true;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i] == "--wave" && i + 1 < arguments.size()) wave = arguments[++i];
    else equal = compare_folder(rtl, arguments[i], wave) && equal;
  return equal ? 0 : 1;
}

}  // namespace
}  // namespace ringfort::rpu::rtl

int main(int count, char** values) {
  try {
    return ringfort::rpu::rtl::compare_folders({values + 1, values + count});
  } catch (const std::exception& error) {
    std::cerr << "cosimulate: " << error.what() << "\n";
    return 2;
  }
}
