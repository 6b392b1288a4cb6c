// SPDX-License-Identifier: Apache-2.0
// Transforms of what stands in the vector memory: a program with its tables for the primes at hand.
#pragma once

#include "backend/rpu/plan.h"

namespace ringfort::rpu_host {

class Transformer {
 public:
  Transformer(const RpuPlan& p, bool inverse) noexcept : p_(p), programs_(inverse ? p.inverse : p.forward) {}

  // Programs take 1, 2, 4 .. most() polynomials at a time; where n < 1024, one block of them side by side.
  [[nodiscard]] u32 most() const noexcept { return 1u << (programs_.size() - 1); }
  // Words of the second buffer, which may hold the result, and of the tables.
  [[nodiscard]] u32 scratch_words(u32 count) const noexcept;
  [[nodiscard]] u32 table_words(u32 count) const noexcept;

  // Limb t of `count` has prime first_limb + t % limbs of the plan.
  struct TransformBatch {
    u32 count, first_limb, limbs;
  };
  // Fills the tables at `table`, and loads them.
  void tables(const TransformBatch& batch, u32 table);
  // Transforms what stands at x with the tables of `limbs`; returns where the result stands: x or scratch.
  [[nodiscard]] u32 transform(const TransformBatch& batch, u32 x, u32 scratch, u32 table);

 private:
  [[nodiscard]] const Kernel& kernel(u32 count) const noexcept { return *program(count).kernel; }
  [[nodiscard]] Program& program(u32 count) const noexcept {
    return *programs_[static_cast<u32>(std::countr_zero(count))];
  }

  const RpuPlan& p_;
  const std::vector<Program*>& programs_;
};

}  // namespace ringfort::rpu_host
