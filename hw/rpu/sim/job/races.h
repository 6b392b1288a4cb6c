// SPDX-License-Identifier: Apache-2.0
// The words that each step of a job reads and writes. Searches for two steps that use the same words although no
// `after` orders the steps.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "sim/instruction.h"
#include "sim/word.h"

namespace ringfort::rpu::job {

// Ranges [begin, end) of words, disjoint and ascending.
class Ranges {
 public:
  void add(u64 begin, u64 end);
  [[nodiscard]] std::optional<u64> common(const Ranges& other) const;  // the first common word

 private:
  std::map<u64, u64> ends_;  // begin to end
};

struct Footprint {
  Ranges reads;
  Ranges writes;
};

// Adds the words of a vector load or store whose element 0 is at `base`.
void touch(Footprint& footprint, const Instruction& instruction, u64 base);

struct Race {
  u32 first = 0, second = 0;  // steps
  u64 word = 0;
};

// Returns a race, if any. `after[i]` has indices of steps before i.
[[nodiscard]] std::optional<Race> find_race(const std::vector<Footprint>& steps,
                                            const std::vector<std::vector<u32>>& after);

}  // namespace ringfort::rpu::job
