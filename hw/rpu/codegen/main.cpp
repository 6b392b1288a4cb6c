// SPDX-License-Identifier: Apache-2.0
// rpugen: generates B512 programs. See kUsage.
#include <cmath>
#include <fstream>
#include <iostream>

#include "codegen/program.h"
#include "sim/refusal.h"
#include "sim/timing/timing.h"

namespace ringfort::rpu {
namespace {

constexpr const char* kUsage =
    R"(usage: rpugen ntt [option ...]
  --n N                  length, a power of two in 1024 .. 131072 (default 65536)
  --modulus Q            a prime that is 1 mod 2 N, decimal or 0x (default 2^128 - 63963135)
  --machine FILE         machine parameters, lines `name: value` (default: profile paper)
  --set NAME=VALUE,...   machine parameters on top
  --optimizer NAME       none, paper (the paper's algorithm, without and with its scheduling) or best (default paper)
  --seed S, --tries T    which and how many schedules to choose from (default 0, 16)
  --output FILE          the program, .b512
  --json                 the report as one JSON document
The program is verified against the reference transform before it is written. Exit status: 0 done, 2 refused.
)";

constexpr u128 kDefaultModulus = ~u128{0} - 63963134;  // the largest prime = 1 mod 2^20 that the design study used

struct Options {
  TransformRequest request;
  std::string output;
  bool json = false;
};

u128 parse_number(const std::string& name, const std::string& text, unsigned bits) {
  const bool hexadecimal = text.starts_with("0x");
  u128 value = 0;
  bool valid = text.size() > (hexadecimal ? 2U : 0U);
  for (const char c : text.substr(hexadecimal ? 2 : 0)) {
    const std::size_t digit = std::string_view("0123456789abcdef").find(c);
    const u128 base = hexadecimal ? 16 : 10;
    valid = valid && digit < base && value <= (~u128{0} - digit) / base;
    if (valid) value = value * base + digit;
  }
  if (!valid || (bits < 128 && value >> bits != 0))
    throw Refusal(name + " = " + text + " is not a number of at most " + std::to_string(bits) + " bits",
                  "write it in decimal or after 0x");
  return value;
}

Optimizer parse_optimizer(const std::string& text) {
  if (text == "none") return Optimizer::none;
  if (text == "paper") return Optimizer::paper;
  if (text == "best") return Optimizer::best;
  throw Refusal("there is no optimizer '" + text + "'", "use none, paper or best");
}

void set_option(Options& options, const std::string& name, const std::string& value) {
  TransformRequest& request = options.request;
  if (name == "--n")
    request.n = static_cast<u32>(parse_number(name, value, 32));
  else if (name == "--modulus")
    request.modulus = parse_number(name, value, 128);
  else if (name == "--machine")
    request.machine = read_machine(value);
  else if (name == "--set")
    set_from_list(request.machine, value);
  else if (name == "--optimizer")
    request.optimizer = parse_optimizer(value);
  else if (name == "--seed")
    request.seed = static_cast<u64>(parse_number(name, value, 32));
  else if (name == "--tries")
    request.tries = static_cast<u32>(parse_number(name, value, 16));
  else if (name == "--output")
    options.output = value;
  else
    throw Refusal("unknown option " + name, "rpugen without arguments lists them");
}

Options parse(const std::vector<std::string>& arguments) {
  if (arguments[0] != "ntt")
    throw Refusal("there is no program '" + arguments[0] + "'", "the one that can be generated is ntt");
  Options options;
  options.request.modulus = kDefaultModulus;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i] == "--json") {
      options.json = true;
      continue;
    }
    if (i + 1 == arguments.size()) throw Refusal(arguments[i] + " needs a value", "write it after the option");
    const std::string& name = arguments[i++];
    set_option(options, name, arguments[i]);
  }
  return options;
}

// The cycle-level simulator's own report on the finished program.
TimingReport measure(const Program& program, const Machine& machine) {
  Functional simulator(machine, program.image);
  Timing timing(machine);
  simulator.run(program.image.kernel(""), [&timing](const Event& event) { timing.consume(event); });
  return timing.finish();
}

void print(const Options& options, const Program& program) {
  const Machine& machine = options.request.machine;
  const TimingReport report = measure(program, machine);
  const auto count = [&report](Pipe pipe) { return report.pipes[static_cast<std::size_t>(pipe)].instructions; };
  const auto share = [&report](Pipe pipe) {
    return static_cast<double>(report.pipes[static_cast<std::size_t>(pipe)].busy_cycles) /
           static_cast<double>(report.cycles);
  };
  const double n = options.request.n,
               theory = n * std::log2(n) / (machine.hples * static_cast<double>(machine.clock_mhz()));
  const char* separator = options.json ? ", " : "\n";
  std::cout << (options.json ? "{" : "") << "\"n\": " << options.request.n << separator
            << "\"cycles\": " << report.cycles << separator << "\"us\": " << report.microseconds << separator
            << "\"instructions\": {\"lsi\": " << count(Pipe::load_store) << ", \"ci\": " << count(Pipe::compute)
            << ", \"si\": " << count(Pipe::shuffle) << ", \"scalar\": " << count(Pipe::front_end) << "}" << separator
            << "\"utilisation\": {\"load_store\": " << share(Pipe::load_store)
            << ", \"compute\": " << share(Pipe::compute) << ", \"shuffle\": " << share(Pipe::shuffle) << "}"
            << separator << "\"theoretical_us\": " << theory << separator
            << "\"ratio\": " << report.microseconds / theory << separator << "\"result\": \"" << program.result << "\""
            << separator << "\"verified\": true" << (options.json ? "}" : "") << "\n";
}

int run(const std::vector<std::string>& arguments) {
  const Options options = parse(arguments);
  const Program program = forward_transform(options.request);
  if (!options.output.empty()) {
    const std::vector<u8> bytes = image_bytes(program.image);
    std::ofstream file(options.output, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file) throw Refusal("cannot write " + options.output, "check the folder");
  }
  print(options, program);
  return 0;
}

}  // namespace
}  // namespace ringfort::rpu

int main(int count, char** values) {
  if (count < 2) {
    std::cerr << ringfort::rpu::kUsage;
    return 2;
  }
  try {
    return ringfort::rpu::run({values + 1, values + count});
  } catch (const std::exception& error) {
    std::cerr << "rpugen: " << error.what() << "\n";
    return 2;
  }
}
