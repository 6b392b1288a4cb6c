// SPDX-License-Identifier: Apache-2.0
// RpuPlan is a plan that the ring processor has prepared. It has the primes with their roots, and the programs of all
// verbs. It also has the size of tiles: polynomials are divided into tiles, which fit into the vector memory.
#pragma once

#include "backend/rpu/processor.h"

namespace ringfort::rpu_host {

inline constexpr u32 kMostTogether = 16;  // most polynomials that a program transforms

struct Field {  // constants of a prime
  rpu::Modulus q;
  u32 bits = 0;              // length of q in bits
  std::vector<u128> powers;  // psi^0 .. psi^(n - 1)
  u128 inverse_length = 0;   // 1 / (n / parts)
};

struct RpuPlan : PreparedPlan {
  using PreparedPlan::PreparedPlan;
  std::shared_ptr<Processor> processor;
  std::vector<Field> fields;
  u32 rows = 1;                                       // polynomials side by side in a tile; more than 1 if n < 1024
  u32 parts = 1;                                      // 2 if only transforms of length n / 2 fit into the vector memory
  u32 tile = 0;                                       // words of an operand of a routine
  std::vector<Program*> forward, inverse;             // transforms; element i is for 2^i polynomials
  std::array<Program*, kRoutines> routines{};         // programs with one term
  std::array<std::vector<Program*>, kRoutines> sums;  // programs with 2^i terms, for dot, dot_add, scaled_sum

  [[nodiscard]] Program& routine(Routine which) const noexcept { return *routines[static_cast<std::size_t>(which)]; }
  [[nodiscard]] const std::vector<Program*>& sum(Routine which) const noexcept {
    return sums[static_cast<std::size_t>(which)];
  }
  [[nodiscard]] u128 power(u32 limb, u32 exponent) const noexcept;     // returns psi^exponent; exponent < 2n
  [[nodiscard]] u128 root(u32 limb, const Root& root) const noexcept;  // for a transform of length n / parts
  [[nodiscard]] u32 name(u32 operand) const noexcept { return operand * tile; }
};

// Runs a routine on `words` words of every operand, one tile after the other.
void run_tiles(const RpuPlan& p, Program& program, std::span<const u32> names, u32 words,
               std::span<const rpu::Modulus> moduli, std::span<const u128> scalars);

// Prepares a plan. Throws rpu::Refusal if the machine is too small for it. Returns nullptr if its degree or a modulus
// is outside the ranges in backend/plan.h.
[[nodiscard]] std::shared_ptr<const RpuPlan> prepare(const Plan& plan, std::shared_ptr<Processor> processor);

using host::with_word;

// Calls f(tile) for every tile of `batch` polynomials.
template <class F>
void for_each_tile(const RpuPlan& p, u32 batch, F f) {
  const u32 n = p.plan.n;
  for (u32 b = 0; b < batch; b += p.rows) {
    const u32 rows = std::min(p.rows, batch - b);
    for (u32 offset = 0; offset < n; offset += p.tile) f(Tile{b, rows, offset, std::min(n, p.tile)});
  }
}

}  // namespace ringfort::rpu_host
