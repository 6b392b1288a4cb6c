// SPDX-License-Identifier: Apache-2.0
// Lower limits of times. A limit is the time that the work would take if only one resource took time. limit_share of a
// row is the limit divided by the measured time. These kinds of limits are shared by several benchmarks:
//   vectors     The processor does two operations on vectors of 64 bytes per cycle (AVX-512, two ports). A butterfly (a
//               step of a transform) of eight lanes takes 3 multiplications with the 52-bit multiplier (IFMA) or with
//               31-bit residues. It takes 10 multiplications if 64-bit products consist of 32-bit products. ChaCha20,
//               the random generator, makes 16 blocks of 64 bytes at a time, in 20 rounds of 4 quarter rounds of 12
//               operations (additions, xors and rotations). Thus a block takes 20 x 4 x 12 / 16 = 60 operations.
//   bytes       All bytes are read from memory once, at the bandwidth of reading 256 MiB with the threads of the row.
//   operations  For operations of CKKS, BFV and BGV, the limit is the longer of two times. The first is the time of the
//               products of residues that the verbs report. A product takes the multiplications for its two halves (for
//               eight lanes, 2 with the 52-bit multiplier or 31-bit residues, otherwise 4). The multiplications of its
//               reduction do not count. The second is the time that it takes to move operands, keys and result once, at
//               the bandwidth of reading the same number of bytes repeatedly.
// For instruction sets below AVX-512, the formulas give no limit by vectors. Then a row whose limit needs vectors has
// no limit_share.
#pragma once

#include <optional>
#include <string_view>

#include "math/types.h"

namespace ringfort::bench {

// Measures the clock of this core with a chain of dependent additions, which take one cycle each.
[[nodiscard]] double cycles_per_microsecond();
inline constexpr std::size_t kBeyondCaches = std::size_t{1} << 28;
[[nodiscard]] double bytes_per_microsecond(unsigned threads, std::size_t bytes = kBeyondCaches);

inline constexpr double kVectorsACycle = 2;
inline constexpr double kLanes = 8;
inline constexpr double kChaChaVectorsABlock = 60;

[[nodiscard]] inline bool states_vector_limit(std::string_view instruction_set) {
  return instruction_set == "ifma" || instruction_set == "avx512";
}

[[nodiscard]] inline double butterflies(u32 n) {
  double stages = 0;
  while ((u64{1} << static_cast<u32>(stages)) < n) ++stages;
  return n / 2.0 * stages;
}

// Returns the vectors of multiplications for one transform of n coefficients.
[[nodiscard]] inline double transform_vectors(std::string_view instruction_set, u32 n, u64 q) {
  const bool quick = q >> 31 == 0 || (q >> 50 == 0 && instruction_set == "ifma");
  return butterflies(n) / kLanes * (quick ? 3 : 10);
}

// Returns the vectors of multiplications for `products` products of residues.
[[nodiscard]] inline double product_vectors(std::string_view instruction_set, u64 products, u64 q) {
  const bool quick = q >> 31 == 0 || (q >> 50 == 0 && instruction_set == "ifma");
  return static_cast<double>(products) / kLanes * (quick ? 2 : 4);
}

}  // namespace ringfort::bench
