// SPDX-License-Identifier: Apache-2.0
// rpusim: runs a .b512 program on the modelled machine. kUsage describes its options.
#include <chrono>
#include <fstream>
#include <iostream>
#include <optional>

#include "sim/output_file.h"
#include "sim/refusal.h"
#include "sim/report.h"
#include "sim/timing/replay.h"
#include "sim/timing/timing.h"
#include "sim/trace/schedule.h"
#include "sim/trace/steps.h"
#include "sim/trace/timeline.h"

namespace ringfort::rpu {
namespace {

constexpr const char* kUsage =
    R"(usage: rpusim PROGRAM.b512 [option ...]
  --kernel NAME          kernel to run (default: the first)
  --machine FILE         machine parameters, lines `name: value` (default: profile paper)
  --set NAME=VALUE,...   machine parameters that replace those set before
  --data SYMBOL=FILE     fills the symbol before the run with words of 16 bytes, little endian (repeatable)
  --store SYMBOL=FILE    writes the symbol's words after the run (repeatable)
  --state FILE           all registers after the run: v (64 x 512 words), s, m, a (64 words each)
  --functional           values only, no timing
  --replay               also executes in the order of time, and compares the final states
  --steps FILE           one JSON line per instruction: the scalars and the digests of the vectors that it changes
  --schedule FILE        table: dispatch, start and finish of every instruction, and what it waited for
  --memory FOLDER        writes im.hex, sdm.hex, vdm_before.hex, vdm_after.hex (for $readmemh of Verilog), and outcome
  --konata FILE, --chrome FILE   timelines
  --json                 the report as one JSON document
Exit status: 0 done, 1 the program trapped or the replay differs, 2 error.
)";

struct Options {
  std::string program, kernel, state, steps, schedule, memory, konata, chrome;
  std::vector<std::pair<std::string, std::string>> data, store;
  Machine machine;
  bool functional = false, replay = false, json = false;
};

std::pair<std::string, std::string> split_pair(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Refusal("expected SYMBOL=FILE, found '" + text + "'", "write for example x=input.bin");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

bool set_flag(Options& options, const std::string& name) {
  bool* flag = name == "--functional" ? &options.functional
               : name == "--replay"   ? &options.replay
               : name == "--json"     ? &options.json
                                      : nullptr;
  if (flag != nullptr) *flag = true;
  return flag != nullptr;
}

void set_option(Options& options, const std::string& name, const std::string& value) {
  constexpr std::array<std::pair<std::string_view, std::string Options::*>, 7> kTexts{
      {{"--kernel", &Options::kernel},
       {"--state", &Options::state},
       {"--steps", &Options::steps},
       {"--schedule", &Options::schedule},
       {"--memory", &Options::memory},
       {"--konata", &Options::konata},
       {"--chrome", &Options::chrome}}};
  for (const auto& [option, member] : kTexts)
    if (name == option) {
      options.*member = value;
      return;
    }
  if (name == "--machine") options.machine = read_machine(value);
  else if (name == "--set") set_from_list(options.machine, value);
  else if (name == "--data") options.data.push_back(split_pair(value));
  else if (name == "--store") options.store.push_back(split_pair(value));
  else throw Refusal("unknown option " + name, "rpusim without arguments lists them");
}

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (!word.starts_with("--")) {
      if (!options.program.empty())
        throw Refusal("two programs: " + options.program + " and " + word, "run one at a time");
      options.program = word;
    } else if (!set_flag(options, word)) {
      if (i + 1 == arguments.size()) throw Refusal(word + " needs a value", "write it after the option");
      set_option(options, word, arguments[++i]);
    }
  }
  if (options.program.empty()) throw Refusal("no program given", "rpusim without arguments prints its usage");
  const bool timed = options.replay || !options.schedule.empty() || !options.memory.empty() ||
                     !options.konata.empty() || !options.chrome.empty();
  if (options.functional && timed)
    throw Refusal("--functional has no timing",
                  "omit --functional, or omit --replay, --schedule, --memory, --konata and --chrome");
  return options;
}

void write_words(std::ostream& out, std::span<const u128> words) {
  std::array<u8, 16> bytes{};
  for (const u128 word : words) {
    store_word(bytes.data(), word);
    out.write(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
}

std::span<u128> words_of(State& state, const Symbol& symbol) {
  auto& memory = symbol.space == Space::vdm ? state.vdm : state.sdm;
  if (u64{symbol.address} + symbol.words > memory.size())
    throw Refusal("the symbol '" + symbol.name + "' is outside the memory", "enlarge the memory");
  return std::span(memory).subspan(symbol.address, symbol.words);
}

void fill(State& state, const Symbol& symbol, const std::string& path) {
  const std::vector<u8> bytes = read_file(path);
  const auto words = words_of(state, symbol);
  if (bytes.size() != 16 * words.size())
    throw Refusal(path + " has " + std::to_string(bytes.size()) + " bytes, '" + symbol.name + "' takes " +
                      std::to_string(16 * words.size()),
                  "give 16 bytes for each word");
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = load_word(&bytes[16 * i]);
}

void write_state(const std::string& path, const State& state) {
  write_file(path, [&](std::ostream& out) {
    for (const Vector& vector : state.v) write_words(out, vector.element);
    write_words(out, state.s);
    std::vector<u128> rest;
    for (const Modulus& modulus : state.m) rest.push_back(modulus.value());
    rest.insert(rest.end(), state.a.begin(), state.a.end());
    write_words(out, rest);
  });
}

// Writes the memories as files. Only vdm has one file from before the run and one from after it, because no instruction
// writes the instruction memory or the scalar data memory.
void write_memories(const Options& options, const Image& image, const State& state, const char* vdm_name) {
  const std::string folder = options.memory + "/";
  write_file(folder + "im.hex", [&](std::ostream& out) { write_memory(out, image.code); });
  write_file(folder + "sdm.hex", [&](std::ostream& out) { write_memory(out, state.sdm); });
  write_file(folder + vdm_name, [&](std::ostream& out) { write_memory(out, state.vdm); });
}

// Runs the functional simulator. Without --functional, also runs the timing model on its events.
Result simulate(const Options& options, const Image& image, Functional& simulator) {
  Timing timing(options.machine);
  std::optional<std::ofstream> steps;
  if (!options.steps.empty()) steps = create_file(options.steps);
  const std::optional<State> before = options.replay ? std::optional(simulator.state()) : std::nullopt;
  Result result;
  const Observer observer = [&](const Event& event) {
    result.activity.add(event.instruction);
    if (!options.functional) timing.consume(event);
    if (steps) write_step(*steps, event, image.code[event.pc], simulator.state());
  };
  const auto begin = std::chrono::steady_clock::now();
  result.outcome = simulator.run(image.kernel(options.kernel), observer);
  if (!options.functional) result.timing = timing.finish();
  if (steps) close_file(*steps, options.steps);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (before && result.outcome.trap == Trap::none)
    result.replay_agrees =
        same_values(replay_in_time(options.machine, image, *before, timing.records()), simulator.state());
  const auto records = [&](auto write) {
    return [&timing, write](std::ostream& out) { write(out, timing.records()); };
  };
  if (!options.schedule.empty()) write_file(options.schedule, records(write_schedule));
  if (!options.konata.empty()) write_file(options.konata, records(write_konata));
  if (!options.chrome.empty()) write_file(options.chrome, records(write_chrome));
  return result;
}

int simulate_program(const std::vector<std::string>& arguments) {
  const Options options = parse(arguments);
  const Image image = read_image(options.program);
  Functional simulator(options.machine, image);
  for (const auto& [symbol, path] : options.data) fill(simulator.state(), image.symbol(symbol), path);
  if (!options.memory.empty()) write_memories(options, image, simulator.state(), "vdm_before.hex");
  const Result result = simulate(options, image, simulator);
  if (!options.memory.empty()) {
    write_memories(options, image, simulator.state(), "vdm_after.hex");
    write_file(options.memory + "/outcome", [&](std::ostream& out) {
      write_outcome(out, image.kernel(options.kernel), image.code.size(), result.outcome, result.timing->cycles);
    });
  }
  for (const auto& [name, path] : options.store) {
    const std::span<u128> words = words_of(simulator.state(), image.symbol(name));
    write_file(path, [&](std::ostream& out) { write_words(out, words); });
  }
  if (!options.state.empty()) write_state(options.state, simulator.state());
  options.json ? write_json(std::cout, result) : write_text(std::cout, result);
  flush_output();
  return result.outcome.trap == Trap::none && result.replay_agrees.value_or(true) ? 0 : 1;
}

}  // namespace
}  // namespace ringfort::rpu

int main(int count, char** values) {
  if (count < 2) {
    std::cerr << ringfort::rpu::kUsage;
    return 2;
  }
  try {
    return ringfort::rpu::simulate_program({values + 1, values + count});
  } catch (const std::exception& error) {
    std::cerr << "rpusim: " << error.what() << "\n";
    return 2;
  }
}
