// SPDX-License-Identifier: Apache-2.0
// The words that each step of a job reads and writes, and a search for races. A race is two steps that use the same
// word although no `after` orders them; at least one of the steps writes the word.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "sim/instruction.h"
#include "sim/word.h"

namespace ringfort::rpu::job {

// A set of words, as disjoint ranges [begin, end) in ascending order.
class Ranges {
 public:
  void add(u64 begin, u64 end);
  [[nodiscard]] std::optional<u64> common(const Ranges& other) const;  // returns the first word of both sets

 private:
  std::map<u64, u64> ends_;  // maps the begin of each range to its end
};

struct Footprint {
  Ranges reads;
  Ranges writes;
};

// Adds the words of a vector load or store whose element 0 is at `base`.
void touch(Footprint& footprint, const Instruction& instruction, u64 base);

struct Race {
  u32 first = 0, second = 0;  // indices of the two steps
  u64 word = 0;
};

// Returns a race if there is one. `after[i]` has the indices of the steps for which step i waits.
[[nodiscard]] std::optional<Race> find_race(const std::vector<Footprint>& steps,
                                            const std::vector<std::vector<u32>>& after);

}  // namespace ringfort::rpu::job
