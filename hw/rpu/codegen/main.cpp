// SPDX-License-Identifier: Apache-2.0
// rpugen: generates B512 programs. See kUsage.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "codegen/c_target.h"
#include "codegen/program.h"
#include "sim/refusal.h"
#include "sim/timing/timing.h"

namespace ringfort::rpu {
namespace {

constexpr const char* kUsage =
    R"(usage: rpugen ntt | polymul | add | sub | negate | multiply | multiply_add | multiply_scalar [option ...]
  --n N                  length, a power of two in 1024 .. 131072 (default 65536)
  --modulus Q,...        a prime = 1 mod 2n for each tower, decimal or 0x (default 2^128 - 63963135)
  --bits B               instead: the largest such prime below 2^B, B = 128, 64, 32 or another
  --batch B              polynomials of each tower, interleaved (default 1)
  --inverse              of ntt: bit-reversed evaluations in, coefficients out
  --cyclic               of ntt and polymul: modulo x^n - 1; primes = 1 mod n
  --order NAME           of evaluations: canonical (bit-reversed) or private (the report's `order`; default canonical)
  --machine FILE         machine parameters, lines `name: value` (default: profile paper)
  --set NAME=VALUE,...   machine parameters on top
  --optimizer NAME       none, paper (the paper's algorithm, without and with its scheduling) or best (default paper)
  --seed S, --tries T    which and how many schedules to choose from (default 0, 16)
  --output FILE          the program, .b512
  --c FILE               the same dataflow as a program in plain C (see codegen/c_target.h)
  --json                 the report as one JSON document
The program is verified against the reference before it is written. Operands are symbols of the program: x of ntt (and y, where
the result may stand); a, b, c of the others, with the result in a (of multiply_add: c). Polynomial i of a buffer stands at word
i n; those of one tower are neighbours. `order`: the bit of the canonical index at each bit of an evaluation's position.
Exit status: 0 done, 2 refused.
)";

constexpr u128 kDefaultModulus = ~u128{0} - 63963134;  // the largest prime = 1 mod 2^20 that the design study used

struct Options {
  KernelRequest request;
  u32 bits = 0;  // of the modulus, where none is given
  std::string output;
  std::string c_output;
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

std::vector<u128> parse_moduli(const std::string& text) {
  std::vector<u128> moduli;
  std::istringstream list(text);
  for (std::string part; std::getline(list, part, ',');) moduli.push_back(parse_number("--modulus", part, 128));
  return moduli;
}

bool parse_private(const std::string& text) {
  if (text != "canonical" && text != "private")
    throw Refusal("there is no order '" + text + "'", "use canonical or private");
  return text == "private";
}

using Setter = void (*)(Options&, const std::string&);

u32 small_number(const char* name, const std::string& value, unsigned bits) {
  return static_cast<u32>(parse_number(name, value, bits));
}

const std::map<std::string, Setter> kSetters{
    {"--n", [](Options& o, const std::string& v) { o.request.n = small_number("--n", v, 32); }},
    {"--modulus", [](Options& o, const std::string& v) { o.request.moduli = parse_moduli(v); }},
    {"--bits", [](Options& o, const std::string& v) { o.bits = small_number("--bits", v, 8); }},
    {"--batch", [](Options& o, const std::string& v) { o.request.batch = small_number("--batch", v, 16); }},
    {"--order", [](Options& o, const std::string& v) { o.request.private_order = parse_private(v); }},
    {"--machine", [](Options& o, const std::string& v) { o.request.machine = read_machine(v); }},
    {"--set", [](Options& o, const std::string& v) { set_from_list(o.request.machine, v); }},
    {"--optimizer", [](Options& o, const std::string& v) { o.request.optimizer = parse_optimizer(v); }},
    {"--seed", [](Options& o, const std::string& v) { o.request.seed = small_number("--seed", v, 32); }},
    {"--tries", [](Options& o, const std::string& v) { o.request.tries = small_number("--tries", v, 16); }},
    {"--output", [](Options& o, const std::string& v) { o.output = v; }},
    {"--c", [](Options& o, const std::string& v) { o.c_output = v; }},
};

const std::map<std::string, void (*)(Options&)> kSwitches{
    {"--json", [](Options& o) { o.json = true; }},
    {"--inverse", [](Options& o) { o.request.inverse = true; }},
    {"--cyclic", [](Options& o) { o.request.negacyclic = false; }},
};

Function parse_function(const std::string& name) {
  const auto place = std::find(kFunctionNames.begin(), kFunctionNames.end(), name);
  if (place == kFunctionNames.end())
    throw Refusal("there is no program '" + name + "'", "rpugen without arguments lists those that can be generated");
  return static_cast<Function>(place - kFunctionNames.begin());
}

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  options.request.function = parse_function(arguments[0]);
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (const auto found = kSwitches.find(name); found != kSwitches.end()) {
      found->second(options);
      continue;
    }
    const auto setter = kSetters.find(name);
    if (setter == kSetters.end()) throw Refusal("unknown option " + name, "rpugen without arguments lists them");
    if (++i == arguments.size()) throw Refusal(name + " needs a value", "write it after the option");
    setter->second(options, arguments[i]);
  }
  if (options.bits != 0)
    options.request.moduli = {
        largest_prime(options.bits, options.request.negacyclic ? 2 * options.request.n : options.request.n)};
  if (options.request.moduli.empty()) options.request.moduli = {kDefaultModulus};
  return options;
}

// The cycle-level simulator's own report on the finished program.
TimingReport measure(const Program& program, const Machine& machine) {
  Functional simulator(machine, program.image);
  Timing timing(machine);
  simulator.run(program.image.kernel(""), [&timing](const Event& event) { timing.consume(event); });
  return timing.finish();
}

template <class Values>
std::string list(const Values& values) {
  std::ostringstream text;
  for (const auto& value : values) text << (text.tellp() == 0 ? "" : ", ") << value;
  return "[" + text.str() + "]";
}

void print(const Options& options, const Program& program) {
  const KernelRequest& request = options.request;
  const Machine& machine = request.machine;
  const TimingReport report = measure(program, machine);
  const auto count = [&report](Pipe pipe) { return report.pipes[static_cast<std::size_t>(pipe)].instructions; };
  const auto share = [&report](Pipe pipe) {
    return static_cast<double>(report.pipes[static_cast<std::size_t>(pipe)].busy_cycles) /
           static_cast<double>(report.cycles);
  };
  const char* separator = options.json ? ", " : "\n";
  std::cout << (options.json ? "{" : "") << "\"n\": " << request.n << separator
            << "\"polynomials\": " << request.polynomials() << separator << "\"cycles\": " << report.cycles << separator
            << "\"us\": " << report.microseconds << separator
            << "\"instructions\": {\"lsi\": " << count(Pipe::load_store) << ", \"ci\": " << count(Pipe::compute)
            << ", \"si\": " << count(Pipe::shuffle) << ", \"scalar\": " << count(Pipe::front_end) << "}" << separator
            << "\"utilisation\": {\"load_store\": " << share(Pipe::load_store)
            << ", \"compute\": " << share(Pipe::compute) << ", \"shuffle\": " << share(Pipe::shuffle) << "}"
            << separator;
  if (request.function == Function::transform) {
    const double n = request.n, theory = request.polynomials() * n * std::log2(n) /
                                         (machine.hples * static_cast<double>(machine.clock_mhz()));
    std::cout << "\"theoretical_us\": " << theory << separator << "\"ratio\": " << report.microseconds / theory
              << separator;
  }
  std::cout << "\"vdm_words\": " << program.image.vdm_words << separator << "\"result\": \"" << program.result << "\""
            << separator << "\"order\": " << list(program.order) << separator << "\"verified\": true"
            << (options.json ? "}" : "") << "\n";
}

void write(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw Refusal("cannot write " + path, "check the folder");
}

int run(const std::vector<std::string>& arguments) {
  const Options options = parse(arguments);
  const Program program = generate(options.request);
  if (!options.output.empty()) {
    const std::vector<u8> bytes = image_bytes(program.image);
    write(options.output, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  if (!options.c_output.empty()) write(options.c_output, c_source(program.plan, options.request));
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
