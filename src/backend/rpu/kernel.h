// SPDX-License-Identifier: Apache-2.0
// Kernel: a B512 program as verbs run it, and what it takes. Its vector memory falls into regions, each reached through
// an address register of its own, so that the caller decides at every run where operands, results and tables stand.
// Scalar memory of a run: a base for each region, then moduli with their reduction constants, then scalars. A kernel
// knows no modulus: tables of roots are kept as exponents and filled for the primes that are at hand.
#pragma once

#include <string_view>
#include <vector>

#include "codegen/plan.h"
#include "sim/activity.h"
#include "sim/image.h"
#include "sim/machine.h"

namespace ringfort::rpu_host {

using rpu::u128;
using rpu::u32;
using rpu::u64;
using rpu::u8;

struct Region {
  u32 words = 0;
  bool read = false, written = false;
};

// psi^exponent of one of a transform's primes, perhaps over n; `none` stands for the word 0.
struct Root {
  u32 exponent = 0;
  u8 limb = 0;
  bool over_n = false;
  bool none = false;
};

struct Kernel {
  std::string_view name;
  rpu::Image image;  // code alone
  std::vector<Region> regions;
  u32 moduli = 0, scalars = 0;
  std::vector<Root> table;         // what the last region begins with, where it is not empty
  std::vector<Root> root_scalars;  // of a transform: all its scalars
  bool transforms = false;
  bool scratch = false;  // of a transform: region 1 is a second buffer
  u32 result = 0;        // and the region of its result
  u64 cycles = 0;        // of the cycle-level simulator
  double energy_uj = 0;

  [[nodiscard]] u64 code_bytes() const noexcept { return image.code.size() * sizeof(u64); }
  [[nodiscard]] u32 scalar_words() const noexcept { return static_cast<u32>(regions.size()) + 2 * moduli + scalars; }
};

// Where a program's regions begin in its addresses, in ascending order from 0, and where the last one ends.
using Boundaries = std::vector<u32>;

// `code` as a scheduler gives it: one base in a0, moduli from word 1 of the scalar memory on, scalars behind them.
[[nodiscard]] Kernel link(const std::vector<rpu::Instruction>& code, const Boundaries& boundaries, u32 moduli,
                          u32 scalars, const rpu::Machine& machine);

}  // namespace ringfort::rpu_host
