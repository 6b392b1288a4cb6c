// SPDX-License-Identifier: Apache-2.0
// The busyboard: a scoreboard of the vector registers that instructions in flight (between dispatch and finish) use
// [Soni23, Section IV-A]. With the rule `strict`, any use of a register blocks every later use. With the rule
// `hazards`, a reader waits for earlier writers, and a writer waits for earlier readers and writers. An instruction
// blocks its registers from its dispatch to its finish. The finish is known when the start is known. Until then, the
// member `pending` of each of its registers counts the instruction. hw/rpu/README.md explains the terms.
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "sim/instruction.h"
#include "sim/machine.h"

namespace ringfort::rpu {

class BusyboardModel {
 public:
  explicit BusyboardModel(Busyboard rule) : strict_(rule == Busyboard::kStrict) {}

  // Returns a register that blocks an instruction with these registers in cycle `now`, if there is one.
  [[nodiscard]] std::optional<u32> blocking(const VectorUse& use, u64 now) const noexcept {
    for (u64 rest = use.all(); rest != 0; rest &= rest - 1) {
      const u32 r = static_cast<u32>(std::countr_zero(rest));
      const bool writes = strict_ || ((use.writes >> r) & 1) != 0;
      if (busy(writers_[r], now) || (writes && busy(readers_[r], now))) return r;
    }
    return std::nullopt;
  }

  // known_until() returns the first cycle in which register r is free, or a lower bound if that cycle is not known yet.
  // holder() returns the pc of the instruction that uses the register last.
  [[nodiscard]] u64 known_until(u32 r) const noexcept { return std::max(writers_[r].until, readers_[r].until); }
  [[nodiscard]] u32 holder(u32 r) const noexcept {
    return writers_[r].until >= readers_[r].until ? writers_[r].pc : readers_[r].pc;
  }

  void dispatch(const VectorUse& use, u32 pc) noexcept {
    each(use, [pc](Hold& hold) {
      ++hold.pending;
      hold.pc = pc;
    });
  }
  void start(const VectorUse& use, u64 finish) noexcept {
    each(use, [finish](Hold& hold) {
      --hold.pending;
      hold.until = std::max(hold.until, finish);
    });
  }

 private:
  struct Hold {
    u64 until = 0;
    u32 pending = 0;
    u32 pc = 0;
  };
  static bool busy(const Hold& hold, u64 now) noexcept { return hold.pending != 0 || hold.until > now; }

  template <class F>
  void each(const VectorUse& use, F f) noexcept {
    for (u64 rest = use.reads; rest != 0; rest &= rest - 1) f(readers_[static_cast<u32>(std::countr_zero(rest))]);
    for (u64 rest = use.writes; rest != 0; rest &= rest - 1) f(writers_[static_cast<u32>(std::countr_zero(rest))]);
  }

  bool strict_;
  std::array<Hold, kRegisters> readers_{};
  std::array<Hold, kRegisters> writers_{};
};

}  // namespace ringfort::rpu
