// SPDX-License-Identifier: Apache-2.0
// Runs the steps of a job one after another on the simulators. Records their times, and the words that they use.
#include "sim/job/execute.h"

#include <algorithm>

#include "sim/functional.h"
#include "sim/job/races.h"
#include "sim/refusal.h"

namespace ringfort::rpu::job {
namespace {

constexpr u64 kBytesOfAWord = 16;
constexpr u64 kBytesOfAnInstruction = 8;

u64 scalar_words(const Image& image) {
  u64 words = 0;
  for (const Segment& segment : image.segments)
    if (segment.space == Space::sdm) words += segment.words.size();
  return words;
}

class Executor {
 public:
  Executor(Job& job, const Machine& machine) : job_(job), machine_(machine), memory_(machine.vdm_words) {
    u64 at = machine.vdm_words;  // in the search for races, array words are numbered after the words of vdm
    for (const Array& array : job.arrays) {
      array_at_.push_back(at);
      at += array.words.size();
    }
    u64 instructions = 0;
    for (const Program& program : job.programs) {
      instructions += program.image.code.size();
      if (instructions > kInstructionMemory)
        throw Refusal(job.file + ": the programs have " + std::to_string(instructions) +
                          " instructions, the instruction memory holds " + std::to_string(kInstructionMemory),
                      "split the job");
      simulators_.emplace_back(machine, program.image);
    }
  }

  Report execute_job() {
    for (const Program& program : job_.programs)
      add_transfer(program.name + ": instructions and scalars", "program",
                   kBytesOfAnInstruction * program.image.code.size() + kBytesOfAWord * scalar_words(program.image), {});
    for (const Step& step : job_.steps) {
      try {
        step.kind == Kind::run ? run_kernel(step) : transfer(step);
      } catch (const std::runtime_error& refusal) { throw std::runtime_error(job_.location(step) + refusal.what()); }
    }
    check_races();
    set_spans();
    return std::move(report_);
  }

 private:
  [[nodiscard]] std::vector<u32> predecessors(const Step& step) const {
    std::vector<u32> found;
    for (const u32 earlier : step.after) found.push_back(earlier + static_cast<u32>(job_.programs.size()));
    return found;
  }

  void add_transfer(const std::string& name, const char* kind, u64 words_bytes, std::vector<u32> after) {
    report_.entries.push_back(
        {name, kind, words_bytes, {Unit::hbm, transfer_cycles(machine_, words_bytes), std::move(after)}, {}});
  }

  void check_room(u64 address, u64 words) const {
    if (address + words > memory_.size())
      throw Refusal(std::to_string(words) + " words from word " + std::to_string(address) +
                        " on do not fit in vdm, which has " + std::to_string(memory_.size()) + " words",
                    "use another place, or enlarge vdm_words");
  }

  void transfer(const Step& step) {
    Footprint footprint;
    u64 words = 0;
    if (step.kind == Kind::load_program) words = load_program(step, footprint);
    else words = move_words(step, footprint);
    footprints_.push_back(std::move(footprint));
    add_transfer(step.name, kKindNames[static_cast<std::size_t>(step.kind)], kBytesOfAWord * words, predecessors(step));
  }

  u64 load_program(const Step& step, Footprint& footprint) {
    u64 words = 0;
    for (const Segment& segment : job_.programs[step.program].image.segments) {
      if (segment.space != Space::vdm) continue;
      const u64 begin = step.address + segment.address, end = begin + segment.words.size();
      check_room(begin, segment.words.size());
      std::copy(segment.words.begin(), segment.words.end(), memory_.begin() + static_cast<std::ptrdiff_t>(begin));
      footprint.writes.add(begin, end);
      words += segment.words.size();
    }
    return words;
  }

  u64 move_words(const Step& step, Footprint& footprint) {
    u64 words = 0;
    for (const Move& move : step.moves) {
      std::vector<u128>& array = job_.arrays[move.array].words;
      check_room(move.address, move.words);
      const auto here = memory_.begin() + static_cast<std::ptrdiff_t>(move.address);
      const auto there = array.begin() + static_cast<std::ptrdiff_t>(move.first);
      const u64 of_array = array_at_[move.array] + move.first;
      const bool load = step.kind == Kind::load;
      if (load) std::copy_n(there, move.words, here);
      else std::copy_n(here, move.words, there);
      (load ? footprint.reads : footprint.writes).add(of_array, of_array + move.words);
      (load ? footprint.writes : footprint.reads).add(move.address, move.address + move.words);
      words += move.words;
    }
    return words;
  }

  void run_kernel(const Step& step) {
    const Image& image = job_.programs[step.program].image;
    Functional& simulator = simulators_[step.program];
    State& state = simulator.state();
    state.written = {};  // registers are empty when a kernel starts
    load_scalars(state, image, step);
    std::swap(state.vdm, memory_);
    Timing timing(machine_);
    Footprint footprint;
    const Outcome outcome = simulator.run(step.kernel, [&](const Event& event) {
      timing.consume(event);
      report_.activity.add(event.instruction);
      touch(footprint, event.instruction, event.base);
    });
    std::swap(state.vdm, memory_);
    if (outcome.trap != Trap::none)
      throw Refusal("the kernel trapped at instruction " + std::to_string(outcome.pc) + ": " +
                        std::string(trap_info(outcome.trap).doc),
                    std::string(trap_info(outcome.trap).fix));
    std::vector<u32> after = predecessors(step);
    after.push_back(step.program);
    const u64 scalars = scalar_words(image) + step.settings.size();
    const TimingReport timed = timing.finish();
    add_pipes(timed);
    report_.entries.push_back({step.name, "run", 0, {Unit::rpu, timed.cycles + scalars, after}, {}});
    footprints_.push_back(std::move(footprint));
  }

  void add_pipes(const TimingReport& timed) {
    for (std::size_t p = 0; p < timed.pipes.size(); ++p) {
      const PipeReport& from = timed.pipes[p];
      PipeReport& to = report_.pipes[p];
      to.instructions += from.instructions;
      to.busy_cycles += from.busy_cycles;
      for (std::size_t cause = 0; cause < from.stalls.size(); ++cause) to.stalls[cause] += from.stalls[cause];
    }
  }

  static void load_scalars(State& state, const Image& image, const Step& step) {
    for (const Segment& segment : image.segments)
      if (segment.space == Space::sdm)
        std::copy(segment.words.begin(), segment.words.end(), state.sdm.begin() + segment.address);
    for (const Setting& setting : step.settings) state.sdm[setting.address] = setting.value;
  }

  void check_races() const {
    std::vector<std::vector<u32>> after;
    for (const Step& step : job_.steps) after.push_back(step.after);
    const auto race = find_race(footprints_, after);
    if (!race) return;
    const Step &first = job_.steps[race->first], &second = job_.steps[race->second];
    const auto past = std::upper_bound(array_at_.begin(), array_at_.end(), race->word);
    const std::string where = past == array_at_.begin()
                                  ? "word " + std::to_string(race->word) + " of vdm"
                                  : "array " + job_.arrays[static_cast<std::size_t>(past - array_at_.begin()) - 1].name;
    throw std::runtime_error(Refusal(job_.location(second) + second.name + " and " + first.name + " touch " + where +
                                         ", and nothing orders them",
                                     "add `after " + first.name + "`, or use another place")
                                 .what());
  }

  void set_spans() {
    std::vector<Task> tasks;
    for (const Entry& entry : report_.entries) tasks.push_back(entry.task);
    const std::vector<Span> spans = plan(tasks);
    for (std::size_t i = 0; i < spans.size(); ++i) {
      report_.entries[i].span = spans[i];
      report_.cycles = std::max(report_.cycles, spans[i].finish);
    }
    report_.overlap_cycles = overlap(tasks, spans);
    report_.microseconds = static_cast<double>(report_.cycles) / machine_.clock_mhz();
  }

  Job& job_;
  const Machine& machine_;
  std::vector<u128> memory_;
  std::vector<u64> array_at_;
  std::vector<Functional> simulators_;
  std::vector<Footprint> footprints_;
  Report report_;
};

}  // namespace

u64 Report::bytes() const noexcept {
  u64 sum = 0;
  for (const Entry& entry : entries) sum += entry.bytes;
  return sum;
}

u64 Report::busy(Unit unit) const noexcept {
  u64 sum = 0;
  for (const Entry& entry : entries)
    if (entry.task.unit == unit) sum += entry.task.cycles;
  return sum;
}

u64 transfer_cycles(const Machine& machine, u64 bytes) noexcept {
  const u64 rate = u64{machine.hbm_gigabytes} * 1000;  // from 10^9 bytes/s to 10^6 bytes/s, because the clock is in MHz
  return machine.hbm_latency + (bytes * machine.clock_mhz() + rate - 1) / rate;
}

Report execute(Job& job, const Machine& machine) { return Executor(job, machine).execute_job(); }

}  // namespace ringfort::rpu::job
