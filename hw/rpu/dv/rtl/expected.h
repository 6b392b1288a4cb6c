// SPDX-License-Identifier: Apache-2.0
// Reads a run of the simulator from the files that `rpusim` has written into a folder with the options --memory,
// --schedule and --steps.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/word.h"

namespace ringfort::rpu::rtl {

struct Outcome {
  u64 first = 0, instructions = 0, executed = 0, trap = 0, pc = 0, cycles = 0;
};

struct Expected {
  u64 word = 0;
  std::string text;
  u64 dispatch = 0, start = 0, finish = 0;
  std::array<u64, 4> stalls{};
  std::string writes;  // text of the trace of steps, for example "v8":"0123456789abcdef"
  u64 base = 0;        // address of element 0 of a store
};

struct Run {
  Outcome outcome;
  std::vector<u64> code;
  std::map<u64, u128> sdm, before, after;  // words that are not zero
  std::vector<Expected> instructions;      // in the order of the program
};

[[nodiscard]] Run read_run(const std::string& folder);

}  // namespace ringfort::rpu::rtl
