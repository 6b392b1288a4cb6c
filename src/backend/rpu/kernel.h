// SPDX-License-Identifier: Apache-2.0
// A Kernel is a program in B512, the instruction set of the ring processor (hw/rpu/doc/isa.md), with its cost. The
// vector memory of a kernel consists of regions. Each region has an address register, so that the caller chooses the
// addresses of operands, results and tables for every run. The scalar memory of a run has a base for each region (the
// address where it begins), then moduli with their reduction constants, then scalars. A kernel does not depend on a
// modulus. Its table has the exponents of powers of a root of unity. Before a run, the caller computes the powers for
// the primes of the run.
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

// A word of a table: psi^exponent modulo one of the primes of a transform, where psi is the root of unity of
// backend/plan.h. If `over_n` is true, the word is divided by n. If `none` is true, it is the word 0.
struct Root {
  u32 exponent = 0;
  u8 limb = 0;
  bool over_n = false;
  bool none = false;
};

struct Kernel {
  std::string_view name;
  rpu::Image image;  // contains only code
  std::vector<Region> regions;
  u32 moduli = 0, scalars = 0;
  std::vector<Root> table;         // the first words of the last region; empty if there is no table
  std::vector<Root> root_scalars;  // only for a transform: all its scalars
  bool transforms = false;
  bool scratch = false;  // only for a transform: region 1 is a second buffer
  u32 result = 0;        // only for a transform: the region of its result
  u64 cycles = 0;        // as the cycle-level simulator counts them
  double energy_uj = 0;

  [[nodiscard]] u64 code_bytes() const noexcept { return image.code.size() * sizeof(u64); }
  [[nodiscard]] u32 scalar_words() const noexcept { return static_cast<u32>(regions.size()) + 2 * moduli + scalars; }
};

// Addresses where the regions of a program begin, in ascending order from 0, and then the end of the last region.
using Boundaries = std::vector<u32>;

// Makes a kernel from the code of a scheduler (hw/rpu/codegen). All addresses in this code are relative to one base, in
// the address register a0. Its scalar memory has this base, then the moduli, then the scalars.
[[nodiscard]] Kernel link(const std::vector<rpu::Instruction>& code, const Boundaries& boundaries, u32 moduli,
                          u32 scalars, const rpu::Machine& machine);

}  // namespace ringfort::rpu_host
