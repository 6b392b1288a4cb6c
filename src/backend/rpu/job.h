// SPDX-License-Identifier: Apache-2.0
// Job: what the verbs of one run() do, written down before anything happens. Verbs name places ("register" here) that
// they load, run programs on and store; every result is a value of its own, so that a place is a name and no address.
// Words that a later verb loads are the value that an earlier one stored: they are not moved. Order and addresses:
// order.cpp, processor.cpp.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "backend/plan.h"
#include "backend/rpu/kernel.h"

namespace ringfort::rpu_host {

struct Program;

inline constexpr u32 kNone = ~u32{0};
// When a value is used next: the number of a step, or
inline constexpr u32 kHeld = kNone - 2;  // by a later verb, perhaps
inline constexpr u32 kNever = kNone - 1;

// Words of a buffer, one row behind the other in the vector memory.
struct ByteRange {
  DeviceBuffer* buffer;
  std::size_t begin, end;  // in bytes
  bool operator==(const ByteRange&) const = default;
};
struct Rows {
  std::vector<ByteRange> ranges;
  Word word = Word::u64;
  u32 words = 0;  // in the vector memory; zeros behind the last row
  u32 moved = 0;  // those that a transfer takes
};

// Where off-chip memory has a value, or shall have it when the job ends.
struct Home {
  u32 value = kNone;
  Rows rows;
  bool written = false;    // it has it
  bool current = true;     // no later value belongs there
  u32 store = kNone;       // its number on the timeline
  u64 read = 0;            // when it was last read
  std::vector<u32> older;  // homes of values that a store would end
  bool ends = false;       // with the job: nobody reads there afterwards
};

struct Value {
  u32 words = 0;
  u32 step = kNone;   // that makes it
  u32 place = kNone;  // in the vector memory
  u32 next = kNever;
  bool held = false;        // a register has it
  bool spilled = false;     // to off-chip memory of the job's own
  u32 spill_store = kNone;  // its number on the timeline
  u32 fill = kNone;         // of a table
  std::vector<u32> homes;
};

// A region of a program's run: the value that it reads, the one that it leaves, each kNone where it does not.
struct Operand {
  u32 in = kNone, out = kNone, name = kNone, after = kNever;  // after: when `in` is used next
};

struct Step {
  Program* program = nullptr;
  u32 operands = 0, regions = 0, words = 0, scalars = 0;  // where they begin; how many
  u32 tiles = 1, verb = 0, group = 0;
};

struct Job {
  std::vector<Value> values;
  std::vector<Home> homes;
  std::vector<Operand> operands;
  std::vector<u128> words;  // scalar data of the steps
  std::vector<Step> steps;
  struct Table {
    std::function<void(std::span<u128>)> fill;
    u64 cycles;  // of a load
  };
  std::vector<Table> tables;
  std::map<std::pair<const void*, u32>, u32> known_tables;
  std::map<u32, u32> registers;  // name to value
  struct Part {
    std::size_t end;
    u32 home;
  };
  std::map<std::pair<DeviceBuffer*, std::size_t>, Part> memory;  // current homes, stretch by stretch
  u32 verb = 0, groups = 0;
  u32 now = 0;  // the step that runs, counted in the order
  bool grouped = false;
  bool ends = false;  // no step comes after these

  void end_steps();  // all have run
  [[nodiscard]] bool is_saved(u32 value) const;
  [[nodiscard]] bool is_owed(u32 home) const;     // its value has yet to go there
  [[nodiscard]] bool is_needed(u32 value) const;  // by a step, or where it belongs
  [[nodiscard]] u32 add_value(u32 value_words);
  [[nodiscard]] u32 add_home(u32 value, Rows&& rows, bool written);
  // The value of these rows, kNone where no home has them; `mixed`: some are another home's in part.
  [[nodiscard]] u32 find(const Rows& rows, bool& mixed) const;
  [[nodiscard]] std::vector<u32> meeting(const Rows& rows) const;  // current homes that have some of the rows
  void leave(u32 home);                                            // the home is no longer current
  // Orders in which the steps may run, each once: as they were written down; and each step before what it is needed
  // for, begun with the first that nothing needs, so that a limb goes through all verbs before the next one - operands
  // in turn, or those that were written down last first: sums before what is added to them.
  [[nodiscard]] std::vector<std::vector<u32>> orders() const;
};

}  // namespace ringfort::rpu_host
