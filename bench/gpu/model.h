// SPDX-License-Identifier: Apache-2.0
// A model of the time that a variant of a transform, or an operation, would take on a known chip. The time is computed,
// not measured. For a variant, it follows from counts of the emulator. For an operation, it follows from what its verbs
// state. A launch starts a kernel. A wavefront is one pass of shared memory, which serves up to 32 lanes. The blocks of
// a cluster can access each other's shared memory. The model is
//   time = launches * start of a launch + the longest of
//     instructions:  of products and sums, as NVIDIA's assembler compiles them for sm_90, and of loads and stores
//     memory:        sectors of 32 bytes at the bandwidth of a copy
//     shared memory: a wavefront per clock and multiprocessor, also for accesses to the memory of another block of a
//                    cluster. The speed of these accesses is not known. Therefore, for clusters, the time is a lower
//                    limit
// For chains of products, the start of the launch does not count. For an operation, shared memory does not count. The
// model assumes that the work occupies the whole chip. A single small transform takes longer than its modelled time.
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include "backend/device/emu/launch.h"
#include "backend/device/variants.h"

namespace ringfort::bench::gpu {

struct Chip {
  const char* name;
  double units, clock_mhz;  // multiprocessors
  double bytes_per_us;      // speed of a copy within its memory
  bool has_clusters;
};
inline constexpr std::array kChips{Chip{"A100", 108, 1410, 1.75e6, false}, Chip{"H200", 132, 1980, 4.3e6, true},
                                   Chip{"RTX 5090", 170, 2410, 1.6e6, true}};
inline constexpr double kLanesOfClock = 128;  // instructions of lanes, per clock cycle and multiprocessor
inline constexpr double kStartUs = 2.2;       // start of a launch, in a sequence of launches

// Returns the number of instructions of one modular product in machine code for sm_90. Branches do not count. The
// numbers come from tests/gpu/compiled_kernels.json, where a kernel reduce_* has 16 products and about 26 other
// instructions. Harvey's product is Shoup's product without the correction, which is a last conditional subtraction of
// q.
//
// With the built-in remainder, a product of 32-bit residues takes one division of 64-bit words, and a product of 64-bit
// residues takes two. A division calls a function of 63 instructions (remainder) or 67 (quotient), which the kernel
// contains once. At each call, the kernel also contains 18 or 19 instructions for the case that both operands are below
// 2^32. This case is so rare that the model leaves it out. Therefore a product takes
//   (506 - 26 - 63) / 16 + (63 - 18) = 71 or (2023 - 26 - 67) / 16 + 2 * (67 - 19) = 217
[[nodiscard]] inline double instructions_of_product(device::Reduction reduction, bool is_short) {
  switch (reduction) {
    case device::Reduction::builtin: return is_short ? 71 : 217;
    case device::Reduction::classical: return is_short ? 8 : 55;
    case device::Reduction::dhem:
    case device::Reduction::proposed: return is_short ? 7 : 49;
    case device::Reduction::montgomery: return is_short ? 10 : 29;
    case device::Reduction::shoup: return is_short ? 4 : 23;
    case device::Reduction::harvey: break;
  }
  return is_short ? 3 : 17;
}

// Returns the number of instructions of the sum and the difference of a butterfly, with corrections. A correction takes
// 1 instruction for u32 and 6 for u64. Harvey's whole butterfly takes 6 instructions for u32 and 25 for u64.
[[nodiscard]] inline double instructions_of_sums(device::Reduction reduction, bool is_short) {
  if (reduction == device::Reduction::harvey) return is_short ? 3 : 8;
  return is_short ? 4 : 16;
}

struct Counted {
  double launches, products;
  bool is_chain;  // true: sums of butterflies and starts of launches do not count
  emu::Counters counters;
};

[[nodiscard]] inline double modelled_us(const Chip& chip, device::Reduction reduction, bool is_short,
                                        const Counted& of) {
  const auto& counters = of.counters;
  using emu::Access;
  constexpr double kWarp = 32, kSectorBytes = 32;
  const double sums = of.is_chain ? 0 : instructions_of_sums(reduction, is_short);
  double accesses = 0, wavefronts = 0;
  for (const emu::Traffic& each : counters.traffic) accesses += static_cast<double>(each.requests) * kWarp;
  for (const Access access : {Access::shared_load, Access::shared_store, Access::remote_load, Access::remote_store})
    wavefronts += static_cast<double>(counters.of(access).units);
  const double sectors = static_cast<double>(counters.of(Access::load).units + counters.of(Access::store).units);
  // an access takes two instructions: one computes the address
  const double instructions = of.products * (instructions_of_product(reduction, is_short) + sums) + 2 * accesses;
  const double issue = instructions / (chip.units * kLanesOfClock * chip.clock_mhz);
  const double memory = sectors * kSectorBytes / chip.bytes_per_us;
  const double shared = wavefronts / (chip.units * chip.clock_mhz);
  return (of.is_chain ? 0 : of.launches * kStartUs) + std::max({issue, memory, shared});
}

// The work of an operation, from what its verbs and launches state: products of residues, and bytes of operands.
struct Stated {
  double launches, products, bytes;
  bool is_short;  // residues have 32 bits
};

// Returns the modelled time of this work. Each product counts as a butterfly of Harvey.
[[nodiscard]] inline double modelled_us(const Chip& chip, const Stated& of) {
  constexpr auto kHarvey = device::Reduction::harvey;
  const double instructions =
      instructions_of_product(kHarvey, of.is_short) + instructions_of_sums(kHarvey, of.is_short);
  const double issue = of.products * instructions / (chip.units * kLanesOfClock * chip.clock_mhz);
  return of.launches * kStartUs + std::max(issue, of.bytes / chip.bytes_per_us);
}

}  // namespace ringfort::bench::gpu
