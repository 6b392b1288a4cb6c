// SPDX-License-Identifier: Apache-2.0
// The times of the parts of a job (job.h), in cycles since the job began. Two units work in parallel, as in a job of
// hw/rpu/sim/job/plan.h: the off-chip memory, which transfers words, and the processor, which computes. Each unit does
// one operation at a time. Programs run in the order of the calls. All transfers are known before the job begins.
//
// The vector memory is the processor's on-chip memory. A region of it consists of whole vectors of 512 words. A load
// moves words to a region, and a store moves words from a region to off-chip memory. A load waits until the old words
// of its region are no longer used. Then it takes the first period that is long enough and in which the off-chip memory
// is idle (the timeline keeps the last kMostIdle such periods). If there is none, it follows all earlier transfers.
// Therefore operands arrive while programs run. A store waits until it delays no load. It begins earlier if a load or a
// program must overwrite its region, or if another transfer must follow it.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "math/types.h"

namespace ringfort::rpu_host {

class Timeline {
 public:
  explicit Timeline(u32 words) : grains_(words / kGrain + 1) {}

  struct Region {
    u32 first, words;
    [[nodiscard]] bool meets(const Region& o) const noexcept {
      return first < o.first + o.words && o.first < first + words;
    }
  };
  struct Span {
    u64 begin = 0, end = 0;
  };
  struct Use {
    Region region;
    bool written;
  };

  void begin() noexcept;
  // Adds a load. `not_before` is the time when off-chip memory has the words.
  Span load(Region region, u64 cycles, u64 not_before = 0);
  // Adds a store. Returns its number, for stored(). `not_before` is the time when the old words in off-chip memory have
  // been read.
  u32 store(Region region, u64 cycles, u64 not_before = 0);
  [[nodiscard]] u64 stored(u32 number);  // runs the store; returns the time when off-chip memory has the words
  void drain();                          // runs all waiting stores
  // Transfers words within off-chip memory, after all earlier transfers. It does not use the vector memory.
  Span stream(u64 cycles);
  // Fetches the instructions of a kernel from off-chip memory.
  Span fetch(u64 cycles) { return transfer(cycles, 0); }
  // Runs a kernel, which uses the regions until it ends. `code_ready` is the time when its instructions have arrived.
  Span run_kernel(std::span<const Use> uses, u64 cycles, u64 code_ready);

  [[nodiscard]] u64 free_at(Region region) const noexcept;  // time when the last use of the region ends
  // Returns the time when a load that takes `cycles` cycles would end.
  [[nodiscard]] u64 loaded_at(Region region, u64 cycles) const noexcept;
  [[nodiscard]] u64 processor_free() const noexcept { return processor_free_; }
  [[nodiscard]] std::span<const Span> stores() const noexcept { return stores_; }
  [[nodiscard]] u64 end() const noexcept { return std::max(memory_free_, processor_free_); }

 private:
  static constexpr u32 kGrain = 512;  // words of a vector
  static constexpr std::size_t kMostIdle = 256;
  struct Grain {              // times of one vector of the vector memory
    u64 ready = 0, free = 0;  // time when its words arrive; time when their last use ends
    u32 job = 0;              // the times are those of this job
  };
  struct Waiting {  // a store that has not begun
    Region region;
    u64 cycles, ready;
    u32 number;
  };
  template <class F>
  void each(Region region, F f);
  // Returns the index of the first idle period that is long enough, or idle_.size() if there is none.
  [[nodiscard]] std::size_t fitting(u64 cycles, u64 not_before) const noexcept;
  Span transfer(u64 cycles, u64 not_before);

  std::vector<Grain> grains_;
  void happen(const Waiting& store);  // runs a waiting store
  template <class F>
  void happen_where(F condition);

  std::vector<Waiting> waiting_;
  std::vector<Span> stores_;  // index: number of the store
  std::vector<Span> idle_;    // the last kMostIdle idle periods of the off-chip memory
  u32 job_ = 0;
  u64 memory_free_ = 0, processor_free_ = 0;
};

}  // namespace ringfort::rpu_host
