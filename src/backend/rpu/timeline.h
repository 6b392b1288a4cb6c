// SPDX-License-Identifier: Apache-2.0
// When the parts of one verb happen, in cycles since it began. Two units work side by side, as in a job of
// hw/rpu/sim/job/plan.h: the off-chip memory moves, the processor computes, one thing each at a time and in the order in which
// they are asked for - but a store waits until the load that is asked for next has gone ahead, so that a verb which alternates
// between two places loads the next operands while it computes (double buffering).
// A place is a stretch of the vector memory, named by its first word; stretches of one verb never overlap in part.
#pragma once

#include <algorithm>
#include <vector>

#include "math/types.h"

namespace ringfort::rpu_host {

class Timeline {
 public:
  explicit Timeline(u32 words) : places_(words / kGrain + 1) {}

  void begin() noexcept;
  void load(u32 place, u64 cycles) noexcept;
  void store(u32 place, u64 cycles) noexcept;
  // Between two stretches of off-chip memory, past the vector memory.
  void stream(u64 cycles) noexcept { memory_free_ += cycles; }

  struct Use {
    u32 place;
    bool written;
  };
  // `code_ready`: see fetch(). The places are held until the kernel ends.
  void run(const Use* uses, std::size_t count, u64 cycles, u64 code_ready) noexcept;
  // A kernel's instructions from off-chip memory; when they are there.
  [[nodiscard]] u64 fetch(u64 cycles) noexcept { return memory_free_ += cycles; }

  [[nodiscard]] u64 end() noexcept;               // of everything

 private:
  static constexpr u32 kGrain = 512;              // words; places are multiples of a vector
  struct Place {
    u64 ready = 0, free = 0;                      // its words are there; nobody uses them any more
    u32 verb = 0;
  };
  [[nodiscard]] Place& at(u32 place) noexcept;
  void flush() noexcept;

  std::vector<Place> places_;
  u32 verb_ = 0;
  u64 memory_free_ = 0, processor_free_ = 0;
  bool waiting_ = false;                          // a store
  u32 waiting_place_ = 0;
  u64 waiting_cycles_ = 0;
};

}  // namespace ringfort::rpu_host
