// SPDX-License-Identifier: Apache-2.0
// Transforms in the vector memory: a program with its tables for given primes.
#pragma once

#include "backend/rpu/plan.h"

namespace ringfort::rpu_host {

class Transformer {
 public:
  Transformer(const RpuPlan& p, bool inverse) noexcept : p_(p), programs_(inverse ? p.inverse : p.forward) {}

  // There are programs for 1, 2, 4 .. most() polynomials at a time. If n < 1024, a program takes one block of
  // polynomials side by side instead.
  [[nodiscard]] u32 most() const noexcept { return 1u << (programs_.size() - 1); }
  // Return the words of the second buffer, which may hold the result, and of the tables.
  [[nodiscard]] u32 scratch_words(u32 count) const noexcept;
  [[nodiscard]] u32 table_words(u32 count) const noexcept;

  // Limb t of `count` has prime first_limb + t % limbs of the plan.
  struct TransformBatch {
    u32 count, first_limb, limbs;
  };
  // Gives the tables of a batch the place `table`.
  void tables(const TransformBatch& batch, u32 table);
  // Transforms the batch at x with its tables; returns the place of the result: x or scratch.
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
