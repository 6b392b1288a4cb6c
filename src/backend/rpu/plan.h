// SPDX-License-Identifier: Apache-2.0
// RpuPlan: a plan on a ring processor - its primes with their roots, the cut of its polynomials into what the vector
// memory holds, and every program that its verbs may run. Verbs find all of it made.
#pragma once

#include "backend/rpu/processor.h"

namespace ringfort::rpu_host {

inline constexpr u32 kMostTogether = 16;  // polynomials that a program transforms

struct Field {
  rpu::Modulus q;
  u32 bits = 0;              // of q
  std::vector<u128> powers;  // psi^0 .. psi^(n - 1)
  u128 inverse_length = 0;   // of what one program transforms
};

struct RpuPlan : PreparedPlan {
  using PreparedPlan::PreparedPlan;
  std::shared_ptr<Processor> processor;
  std::vector<Field> fields;
  u32 rows = 1;                                       // polynomials side by side in a block: above 1 where n < 1024
  u32 parts = 1;                                      // 2 where the vector memory holds transforms of n / 2 alone
  u32 tile = 0;                                       // words of an operand of a routine
  std::vector<Program*> forward, inverse;             // of 2^i polynomials
  std::array<Program*, kRoutines> routines{};         // of one term
  std::array<std::vector<Program*>, kRoutines> sums;  // of 2^i terms: dot, dot_add, scaled_sum

  [[nodiscard]] Program& routine(Routine which) const noexcept { return *routines[static_cast<std::size_t>(which)]; }
  [[nodiscard]] const std::vector<Program*>& sum(Routine which) const noexcept {
    return sums[static_cast<std::size_t>(which)];
  }
  [[nodiscard]] u128 power(u32 limb, u32 exponent) const noexcept;     // of psi, exponent < 2n
  [[nodiscard]] u128 root(u32 limb, const Root& root) const noexcept;  // of what one program transforms
  [[nodiscard]] u32 place(u32 operand) const noexcept { return operand * tile; }
};

// A routine on `words` words of every place, a piece after the other.
void run_tiles(const RpuPlan& p, Program& program, std::span<const u32> places, u32 words,
               std::span<const rpu::Modulus> moduli, std::span<const u128> scalars);

// Refuses by rpu::Refusal what the machine cannot hold; nullptr for a plan outside the contract.
[[nodiscard]] std::shared_ptr<const RpuPlan> prepare(const Plan& plan, std::shared_ptr<Processor> processor);

using host::with_word;

// Calls f(piece) for `batch` polynomials.
template <class F>
void for_each_tile(const RpuPlan& p, u32 batch, F f) {
  const u32 n = p.plan.n;
  for (u32 b = 0; b < batch; b += p.rows) {
    const u32 rows = std::min(p.rows, batch - b);
    for (u32 offset = 0; offset < n; offset += p.tile) f(Tile{b, rows, offset, std::min(n, p.tile)});
  }
}

}  // namespace ringfort::rpu_host
