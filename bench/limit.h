// SPDX-License-Identifier: Apache-2.0
// Lower limits of times. A limit is the time that the work would take if only one resource took time. limit_share of a
// row is the limit divided by the measured time. These kinds of limits are shared by several benchmarks:
//   vectors     The processor does two operations on vectors of 64 bytes per cycle (AVX-512, two ports). The classes
//               below state the multiplications of eight lanes: for a butterfly (a step of a transform), and for a
//               product of two residues without its reduction. ChaCha20, the random generator, makes 16 blocks of 64
//               bytes at a time, in 20 rounds of 4 quarter rounds of 12 operations (additions, xors and rotations).
//               Thus a block takes 20 x 4 x 12 / 16 = 60 operations.
//   bytes       All bytes are read from memory once, at the bandwidth of reading 256 MiB with the threads of the row.
//   operations  For operations of CKKS, BFV and BGV, the limit is the longer of two times. The first is the time of the
//               products of residues that the verbs report. The second is the time that it takes to move operands, keys
//               and result once, at the bandwidth of reading the same number of bytes repeatedly.
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

// The multiplications of vectors for eight butterflies, and for eight products of residues, modulo q. A butterfly
// multiplies for a quotient, for a product, and for the quotient times q.
//   q < 2^31  One 32-bit multiplication computes a whole product. A butterfly takes three.
//   q < 2^50  With the 52-bit multiplier (IFMA), a product takes two, for its low and its high half, and a butterfly
//             three. In doubles, a product also takes two, for its rounded value and the rounding error. A butterfly
//             takes four.
//   above     A product consists of four 32-bit products, and its low half of three. A butterfly takes 4 + 3 + 3.
struct Multiplications {
  double butterfly, product;
};
[[nodiscard]] constexpr Multiplications multiplications_of(std::string_view instruction_set, u64 q) {
  if (q >> 31 == 0) return {3, 1};
  if (q >> 50 == 0) return {instruction_set == "ifma" ? 3.0 : 4.0, 2};
  return {10, 4};
}
static_assert(multiplications_of("ifma", (u64{1} << 31) - 1).product == 1);
static_assert(multiplications_of("ifma", u64{1} << 31).product == 2);
static_assert(multiplications_of("avx512", (u64{1} << 50) - 1).product == 2);
static_assert(multiplications_of("ifma", u64{1} << 50).product == 4);

// Returns the vectors of multiplications for one transform of n coefficients.
[[nodiscard]] inline double transform_vectors(std::string_view instruction_set, u32 n, u64 q) {
  return butterflies(n) / kLanes * multiplications_of(instruction_set, q).butterfly;
}

// Returns the vectors of multiplications for `products` products of residues.
[[nodiscard]] inline double product_vectors(std::string_view instruction_set, double products, u64 q) {
  return products / kLanes * multiplications_of(instruction_set, q).product;
}

}  // namespace ringfort::bench
