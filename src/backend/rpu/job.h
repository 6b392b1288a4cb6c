// SPDX-License-Identifier: Apache-2.0
// A Job records the work of one run() before anything executes. Verbs load values, run programs on them, and store
// them. A verb gives names to values. This file calls the names registers. They are not addresses. Every result is a
// new value. If a verb loads words that an earlier verb stored, it gets the stored value without a transfer. job.cpp
// chooses the order of the steps. execute.cpp chooses the address of each value in the vector memory, which is on the
// chip.
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
// The next use of a value is the number of a step, or one of these constants.
inline constexpr u32 kLater = kNone - 2;  // no recorded step uses the value, but a later verb may
inline constexpr u32 kNever = kNone - 1;  // neither a step nor a later verb uses the value

// Ranges of buffers. In the vector memory, their words are contiguous rows.
struct ByteRange {
  DeviceBuffer* buffer;
  std::size_t begin, end;  // in bytes
  bool operator==(const ByteRange&) const = default;
};
struct Rows {
  std::vector<ByteRange> ranges;
  Word word = Word::u64;
  u32 words = 0;  // size in the vector memory, including zeros after the last row
  u32 moved = 0;  // words that a transfer moves
};

// A home is a location in off-chip memory. A value is there, or must be there when the job ends.
struct Home {
  u32 value = kNone;
  Rows rows;
  bool written = false;    // off-chip memory has the value
  bool current = true;     // no later value has this location
  u32 store = kNone;       // number of the store in the timeline
  u64 read = 0;            // time of the last read
  std::vector<u32> older;  // homes of the values that a store here would overwrite
  bool ends = false;       // no verb reads this location after the job, because of DeviceBuffer::ends
};

struct Value {
  u32 words = 0;
  u32 step = kNone;         // the step that computes the value
  u32 address = kNone;      // in the vector memory
  u32 next = kNever;        // next use
  bool named = false;       // a register has the value
  bool spilled = false;     // the value is in off-chip scratch memory
  u32 spill_store = kNone;  // number of the store to scratch memory in the timeline
  u32 fill = kNone;         // index in Job::tables
  std::vector<u32> homes;
};

// A region of a program run (kernel.h). `in` is the value that the run reads there, and `out` is the value that it
// writes. Either may be kNone. `name` is the register.
struct Operand {
  u32 in = kNone, out = kNone, name = kNone, after = kNever;  // after: next use of `in`
};

// A step runs a program `tiles` times, one run after the other. `verb` is the number of the verb that recorded it. The
// steps of a group stay together, without other steps between them. `group` is the number of the group.
struct Step {
  Program* program = nullptr;
  u32 operands = 0, regions = 0;  // index of the first operand in Job::operands; number of operands
  u32 words = 0, scalars = 0;     // index of the first word in Job::words; number of words
  u32 tiles = 1, verb = 0, group = 0;
};

struct Job {
  std::vector<Value> values;
  std::vector<Home> homes;
  std::vector<Operand> operands;
  std::vector<u128> words;  // moduli and scalars of the steps
  std::vector<Step> steps;
  struct Table {  // words that `fill` computes, such as powers of a root of unity
    std::function<void(std::span<u128>)> fill;
    u64 cycles;  // time of a load
  };
  std::vector<Table> tables;
  std::map<std::pair<const void*, u32>, u32> known_tables;
  std::map<u32, u32> registers;  // key: name; value: index of a value
  struct HomeRange {
    std::size_t end;
    u32 home;
  };
  std::map<std::pair<DeviceBuffer*, std::size_t>, HomeRange> memory;  // current homes, one entry for each range
  u32 verb = 0, groups = 0;
  u32 now = 0;  // position of the running step in the order
  bool grouped = false;
  bool ends = false;  // no step follows the steps of this job

  void end_steps();  // removes all steps, which must have run
  [[nodiscard]] bool is_saved(u32 value) const;
  [[nodiscard]] bool is_owed(u32 home) const;     // the value of the home must still be stored
  [[nodiscard]] bool is_needed(u32 value) const;  // a step needs the value, or a home must get it
  [[nodiscard]] u32 add_value(u32 value_words);
  u32 add_home(u32 value, Rows&& rows, bool written);
  // Returns the value of these rows. Returns kNone if no home has exactly these rows. Sets `mixed` if other homes
  // overlap the rows.
  [[nodiscard]] u32 find(const Rows& rows, bool& mixed) const;
  [[nodiscard]] std::vector<u32> meeting(const Rows& rows) const;  // current homes that overlap the rows
  void leave(u32 home);                                            // the home is no longer current
  // Returns up to three orders of the steps, without repetitions. The caller chooses one. The first is the order in
  // which the steps were recorded. The other two orders are depth first: for each step whose result no other step
  // needs, they list the steps that compute its operands, and then this step. Therefore a limb passes through all verbs
  // before the next limb begins. The second order visits the operands of a step in their order. The third order begins
  // with the operand whose step was recorded last. A sum of many addends can be a chain of steps, each of which adds
  // one addend to the sum so far. If all addends were recorded before the chain, the third order computes an addend
  // only when the sum of the addends before it is complete. Therefore few addends wait in the vector memory.
  [[nodiscard]] std::vector<std::vector<u32>> orders() const;
};

}  // namespace ringfort::rpu_host
