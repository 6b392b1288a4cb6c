// SPDX-License-Identifier: Apache-2.0
// Transforms in the vector memory of device `rpu` (verbs.h): programs, and their tables for given primes.
#pragma once

#include "backend/rpu/plan.h"

namespace ringfort::rpu_host {

class Transformer {
 public:
  Transformer(const RpuPlan& p, bool inverse) noexcept : p_(p), programs_(inverse ? p.inverse : p.forward) {}

  // A program transforms 1, 2, 4, ... or most() polynomials at a time. If n < 1024, the only program transforms a block
  // of polynomials that are side by side.
  [[nodiscard]] u32 most() const noexcept { return 1u << (programs_.size() - 1); }
  // These functions return sizes in words: the size of the second buffer, which may get the result, and the size of the
  // tables.
  [[nodiscard]] u32 scratch_words(u32 count) const noexcept;
  [[nodiscard]] u32 table_words(u32 count) const noexcept;

  // A batch of `count` limbs. Limb t has the prime of limb first_limb + t % limbs of the plan.
  struct TransformBatch {
    u32 count, first_limb, limbs;
  };
  // Gives the name `table` to the tables of the batch.
  void tables(const TransformBatch& batch, u32 table);
  // Transforms the batch at `x`, with the tables at `table`. Returns the name of the result, which is `x` or
  // `scratch`.
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
