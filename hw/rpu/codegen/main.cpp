// SPDX-License-Identifier: Apache-2.0
// rpugen: generates B512 programs. See kUsage.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <sstream>

#include "codegen/c_target.h"
#include "codegen/program.h"
#include "codegen/tiled_program.h"
#include "sim/output_file.h"
#include "sim/refusal.h"
#include "sim/timing/timing.h"

namespace ringfort::rpu {
namespace {

constexpr const char* kUsage =
    R"(usage: rpugen ntt | polymul | add | sub | negate | multiply | multiply_add | multiply_scalar [option ...]
  --n N                  length, a power of two in 1024 .. 131072 (default 65536)
  --modulus Q,...        a modulus for each limb, decimal or 0x (default 2^128 - 63963135);
                         of ntt and polymul: primes = 1 mod 2n
  --bits B               instead of --modulus: the largest prime = 1 mod 2n below 2^B
  --batch B              polynomials of each limb (default 1)
  --inverse              of ntt: bit-reversed evaluations in, coefficients out
  --cyclic               of ntt and polymul: modulo x^n - 1; primes = 1 mod n
  --order NAME           of evaluations: canonical (bit-reversed) or private (the report's `order`; default canonical)
  --machine FILE         machine parameters, lines `name: value` (default: profile paper)
  --set NAME=VALUE,...   machine parameters that replace those set before
  --optimizer NAME       none, paper (the paper's algorithm, without and with its scheduling) or best (default paper)
  --seed S, --tries T    seed and number of the schedules to choose from (default 0, 16)
  --output FILE          NAME.b512: the program; NAME.job: a job of kernels and transfers, with
                         NAME.*.b512 and NAME.*.bin
  --c FILE               the same dataflow as a program in plain C (see codegen/c_target.h)
  --json                 the report as one JSON document
A program that exceeds the vector data memory becomes a job of several kernels and of transfers.
The program is verified against the reference before it is written. Operands are symbols of the program: x of ntt (and
y, which may have the result); a, b, c of the others, with the result in a (multiply_add: in c). Polynomial i starts at
word i n; the polynomials of one limb are adjacent. `order` in the report lists, for each bit of an evaluation's
position, the bit of the canonical index.
Exit status: 0 done, 2 error.
)";

constexpr u128 kDefaultModulus = ~u128{0} - 63963134;  // the largest prime = 1 mod 2^20 below 2^128

struct Options {
  KernelRequest request;
  u32 bits = 0;  // size of the default modulus
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
                  "write it in decimal, or in hexadecimal as in 0xff");
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
  for (std::string modulus; std::getline(list, modulus, ',');)
    moduli.push_back(parse_number("--modulus", modulus, 128));
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
  const auto found = std::find(kFunctionNames.begin(), kFunctionNames.end(), name);
  if (found == kFunctionNames.end())
    throw Refusal("there is no program '" + name + "'", "rpugen without arguments lists the programs");
  return static_cast<Function>(found - kFunctionNames.begin());
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

// Runs the finished program in the cycle-level simulator. Returns the simulator's report.
TimingReport measure(const Program& program, const Machine& machine) {
  Functional simulator(machine, program.image);
  Timing timing(machine);
  simulator.run(program.image.kernel(""), [&timing](const Event& event) { timing.consume(event); });
  return timing.finish();
}

template <class Values>
std::string list(const Values& values) {
  std::ostringstream text;
  const char* separator = "";
  text << '[';
  for (const auto& value : values) {
    text << separator << value;
    separator = ", ";
  }
  text << ']';
  return text.str();
}

// Writes named values as one JSON document, or as one line for each.
class Fields {
 public:
  explicit Fields(bool json) : separator_(json ? ", " : "\n"), end_(json ? "}\n" : "\n") {
    if (json) std::cout << "{";
  }
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;
  ~Fields() { std::cout << end_; }

  template <class Value>
  Fields& add(const char* name, const Value& value) {
    std::cout << (first_ ? "" : separator_) << "\"" << name << "\": " << value;
    first_ = false;
    return *this;
  }

 private:
  const char* separator_;
  const char* end_;
  bool first_ = true;
};

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

// Returns the number of instructions of each kind, as JSON.
std::string counts_of(const std::vector<u64>& code) {
  std::array<u64, 4> counts{};
  for (const u64 word : code) ++counts[static_cast<std::size_t>(decode(word).instruction.info().pipe)];
  const auto count = [&counts](Pipe pipe) { return counts[static_cast<std::size_t>(pipe)]; };
  std::ostringstream text;
  text << "{\"lsi\": " << count(Pipe::load_store) << ", \"ci\": " << count(Pipe::compute)
       << ", \"si\": " << count(Pipe::shuffle) << ", \"scalar\": " << count(Pipe::front_end) << "}";
  return text.str();
}

std::string utilisation_of(const std::array<PipeReport, 4>& pipes, u64 cycles) {
  const auto share = [&](Pipe pipe) {
    return static_cast<double>(pipes[static_cast<std::size_t>(pipe)].busy_cycles) / static_cast<double>(cycles);
  };
  std::ostringstream text;
  text << "{\"load_store\": " << share(Pipe::load_store) << ", \"compute\": " << share(Pipe::compute)
       << ", \"shuffle\": " << share(Pipe::shuffle) << "}";
  return text.str();
}

void add_theory(Fields& fields, const KernelRequest& request, double microseconds) {
  if (request.function != Function::transform) return;
  const double n = request.n, theory = request.polynomials() * n * std::log2(n) /
                                       (request.machine.hples * static_cast<double>(request.machine.clock_mhz()));
  fields.add("theoretical_us", theory).add("ratio", microseconds / theory);
}

void print(const Options& options, const Program& program) {
  const KernelRequest& request = options.request;
  const TimingReport report = measure(program, request.machine);
  Fields fields(options.json);
  fields.add("n", request.n).add("polynomials", request.polynomials()).add("cycles", report.cycles);
  fields.add("us", report.microseconds).add("instructions", counts_of(program.image.code));
  fields.add("utilisation", utilisation_of(report.pipes, report.cycles));
  add_theory(fields, request, report.microseconds);
  fields.add("vdm_words", program.image.vdm_words).add("result", quoted(program.result));
  fields.add("order", list(program.order)).add("verified", "true");
}

void print(const Options& options, const TiledProgram& program) {
  const job::Report& report = program.report;
  const Image& image = program.job.programs[0].image;
  Fields fields(options.json);
  fields.add("n", options.request.n).add("polynomials", options.request.polynomials()).add("cycles", report.cycles);
  fields.add("us", report.microseconds).add("instructions", counts_of(image.code));
  fields.add("utilisation", utilisation_of(report.pipes, report.cycles));
  add_theory(fields, options.request, report.microseconds);
  fields.add("kernels", image.kernels.size()).add("kernel_cycles", report.busy(job::Unit::rpu));
  fields.add("hbm_bytes", report.bytes()).add("hbm_busy_cycles", report.busy(job::Unit::hbm));
  fields.add("overlap_cycles", report.overlap_cycles);
  fields.add("vdm_words", image.vdm_words).add("result", quoted(program.result));
  fields.add("order", list(program.order)).add("verified", "true");
}

void write(const std::string& path, std::string_view bytes) {
  write_file(path, [&](std::ostream& out) { out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())); });
}

void write_image(const std::string& path, const Image& image) {
  const std::vector<u8> bytes = image_bytes(image);
  write(path, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

void write_job(const std::filesystem::path& path, const job::Job& job) {
  const std::string stem = path.stem().string();
  const auto beside = [&path](const std::string& name) { return (path.parent_path() / name).string(); };
  write(path.string(), job_text(job, stem));
  for (const job::Program& program : job.programs) write_image(beside(file_of(stem, program)), program.image);
  for (const job::Array& array : job.arrays) {
    if (!has_data(array)) continue;
    std::string bytes(16 * array.words.size(), '\0');
    for (std::size_t i = 0; i < array.words.size(); ++i)
      store_word(reinterpret_cast<u8*>(&bytes[16 * i]), array.words[i]);
    write(beside(file_of(stem, array)), bytes);
  }
}

// Returns the path of the output file, with `suffix` appended if the path has no suffix.
std::string output_of(const Options& options, const std::string& suffix) {
  const std::filesystem::path named(options.output);
  if (named.extension().empty()) return options.output + suffix;
  if (suffix == ".job" && named.extension() != suffix)
    throw Refusal("the program exceeds the vector data memory and is a job of several kernels",
                  "name the output NAME.job, choose a smaller n, or enlarge vdm_words");
  return options.output;
}

void run_tiled(const Options& options) {
  const std::string output = options.output.empty() ? "" : output_of(options, ".job");
  if (!options.c_output.empty())
    throw Refusal("a job cannot be written in C", "set vdm_words so that the program fits, or choose a smaller n");
  const TiledProgram program = generate_tiled(options.request);
  if (!output.empty()) write_job(output, program.job);
  print(options, program);
}

void run_whole(const Options& options) {
  const Program program = generate(options.request);
  if (!options.output.empty()) write_image(output_of(options, ".b512"), program.image);
  if (!options.c_output.empty()) write(options.c_output, c_source(program.plan, options.request));
  print(options, program);
}

int generate_files(const std::vector<std::string>& arguments) {
  const Options options = parse(arguments);
  options.output.ends_with(".job") || outgrows_memory(options.request) ? run_tiled(options) : run_whole(options);
  flush_output();
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
    return ringfort::rpu::generate_files({values + 1, values + count});
  } catch (const std::exception& error) {
    std::cerr << "rpugen: " << error.what() << "\n";
    return 2;
  }
}
