// SPDX-License-Identifier: Apache-2.0
// Parses the files of a run that the simulator has written.
#include "dv/rtl/expected.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ringfort::rpu::rtl {
namespace {

std::ifstream open(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path + "; rpusim writes it");
  return file;
}

u128 hexadecimal_word(const std::string& text) {
  u128 word = 0;
  for (const char c : text) word = (word << 4) | static_cast<u128>(c <= '9' ? c - '0' : c - 'a' + 10);
  return word;
}

std::map<u64, u128> read_memory(const std::string& path) {
  std::ifstream file = open(path);
  std::map<u64, u128> memory;
  u64 address = 0;
  for (std::string line; file >> line;) {
    if (line[0] == '@') address = std::stoull(line.substr(1), nullptr, 16);
    else memory[address++] = hexadecimal_word(line);
  }
  return memory;
}

Outcome read_outcome(const std::string& path) {
  std::ifstream file = open(path);
  std::map<std::string, u64> value;
  std::string name;
  for (u64 number = 0; file >> name >> number;) value[name] = number;
  return {value.at("first"), value.at("instructions"), value.at("executed"),
          value.at("trap"),  value.at("pc"),           value.at("cycles")};
}

std::string between(const std::string& text, const std::string& left, const std::string& right) {
  const auto begin = text.find(left);
  if (begin == std::string::npos) return {};
  const auto from = begin + left.size();
  return text.substr(from, text.find(right, from) - from);
}

}  // namespace

Run read_run(const std::string& folder) {
  Run run;
  run.outcome = read_outcome(folder + "/outcome");
  run.code.resize(run.outcome.instructions);
  for (const auto& [address, word] : read_memory(folder + "/im.hex")) run.code.at(address) = static_cast<u64>(word);
  run.sdm = read_memory(folder + "/sdm.hex");
  run.before = read_memory(folder + "/vdm_before.hex");
  run.after = read_memory(folder + "/vdm_after.hex");
  std::ifstream schedule = open(folder + "/schedule.csv"), steps = open(folder + "/steps");
  std::string line, step;
  std::getline(schedule, line);
  while (std::getline(schedule, line) && std::getline(steps, step)) {
    Expected in;
    std::istringstream fields(line);
    char comma = 0;
    u64 pc = 0;
    fields >> pc >> comma >> in.dispatch >> comma >> in.start >> comma >> in.finish;
    for (u64& stall : in.stalls) fields >> comma >> stall;
    in.word = run.code.at(pc);
    in.text = between(line, "\"", "\"");
    in.writes = between(step, "\"writes\":{", "}");
    const std::string base = between(step, "\"base\":", "}");
    in.base = base.empty() ? 0 : std::stoull(base);
    run.instructions.push_back(in);
  }
  return run;
}

}  // namespace ringfort::rpu::rtl
