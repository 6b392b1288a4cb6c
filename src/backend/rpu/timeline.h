// SPDX-License-Identifier: Apache-2.0
// When the parts of a job happen, in cycles since it began. Two units work side by side, as in a job of
// hw/rpu/sim/job/plan.h: the off-chip memory moves, the processor computes, one thing each at a time. Programs run in
// the order in which they are asked for. All transfers are known before the job begins: a load goes where the memory
// has nothing to do, as early as its place allows, so that operands arrive while programs run; a store waits until it
// delays no load or must happen. A stretch of the vector memory is a multiple of a vector; it is loaded when nobody
// uses what stood there any more.
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
    Region place;
    bool written;
  };

  void begin() noexcept;
  // Not before off-chip memory has the words.
  Span load(Region place, u64 cycles, u64 not_before = 0);
  // Not before nobody reads what stood in off-chip memory. The result is a number for stored().
  u32 store(Region place, u64 cycles, u64 not_before = 0);
  [[nodiscard]] u64 stored(u32 number);  // when off-chip memory has it
  void drain();                          // stores that wait
  // Between two stretches of off-chip memory, past the vector memory, after all that has happened.
  Span stream(u64 cycles);
  // A kernel's instructions from off-chip memory.
  Span fetch(u64 cycles) { return transfer(cycles, 0); }
  // The places are held until the kernel ends. `code_ready`: when its instructions are there.
  Span run_kernel(std::span<const Use> uses, u64 cycles, u64 code_ready);

  [[nodiscard]] u64 free_at(Region place) const noexcept;  // when nobody uses it
  // when a load of so many cycles would have ended
  [[nodiscard]] u64 loaded_at(Region place, u64 cycles) const noexcept;
  [[nodiscard]] u64 processor_free() const noexcept { return processor_free_; }
  [[nodiscard]] std::span<const Span> stores() const noexcept { return stores_; }
  [[nodiscard]] u64 end() const noexcept { return std::max(memory_free_, processor_free_); }

 private:
  static constexpr u32 kGrain = 512;
  static constexpr std::size_t kMostIdle = 256;
  struct Grain {
    u64 ready = 0, free = 0;  // its words are there; nobody uses them any more
    u32 job = 0;
  };
  struct Waiting {
    Region place;
    u64 cycles, ready;
    u32 number;
  };
  template <class F>
  void each(Region place, F f);
  // The first of the idle times that fits, its number of all of them where none does.
  [[nodiscard]] std::size_t fitting(u64 cycles, u64 not_before) const noexcept;
  Span transfer(u64 cycles, u64 not_before);

  std::vector<Grain> grains_;
  void happen(const Waiting& store);
  template <class F>
  void happen_where(F condition);

  std::vector<Waiting> waiting_;
  std::vector<Span> stores_;  // by number
  std::vector<Span> idle_;    // of the memory, the last kMostIdle times
  u32 job_ = 0;
  u64 memory_free_ = 0, processor_free_ = 0;
};

}  // namespace ringfort::rpu_host
