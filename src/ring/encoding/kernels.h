// SPDX-License-Identifier: Apache-2.0
// Vector kernels of the encoders, which convert numbers to the polynomial that is encrypted, and back. Kernels is a
// table of functions; every instruction set has such a table, which may be empty. The encoder of CKKS
// (scheme/ckks/embedding.h, encode.h), the encoder of integers (ring/batch.h, ring/ntt.cpp) and the decryption of
// integers (rlwe/integers/ring.h) call the functions. If an entry is null, the scalar code of the caller runs. A kernel
// gives the same bits as this scalar code: it computes with doubles in the same order, without fused multiply-add. No
// branch and no index depends on a value.
//
// Files that are compiled for more than the base instruction set include this header. Therefore it has only plain
// types, and no function with external linkage.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ringfort::encoding {

// Complex numbers: one array of the real parts and one array of the imaginary parts.
struct Complexes {
  double* re;
  double* im;
};
struct Roots {
  const double* re;
  const double* im;
};

// Tables of the permutation between slots (ring/slots.h) and the words of a transform. A line is L consecutive words; L
// is the number of lanes. Let n be the ring degree, and let c = n / 2 / L. A line has the slots of one row in the
// columns j, j + c, j + 2c, ..., for one j < c. A kernel permutes the words of each line, and transposes tiles of L
// lines. The tables contain, for the line of column j:
// * line[row c + j] is the index of the line.
// * The word p of the line has the slot of column j + from[line L + p] c.
// * The slot of column j + i c is the word to[line L + i] of the line.
struct SlotLines {
  const std::uint32_t* line;
  const std::uint8_t* from;
  const std::uint8_t* to;
};

// A prime q_i in the conversion of residues from a chain of primes to a modulus t. Q is the product of the chain.
// `value` is the weight w of the residues modulo q_i in the conversion, w < t. value32 is 2^32 w mod t. `fraction` and
// `shift` represent the inverse of the prime: fraction / 2^63 = 2^(64 - shift) / q_i (RnsBasis::fraction).
struct PlainWeight {
  std::uint64_t value, value32, fraction;
  std::uint32_t shift;
};
struct PlainModulus {
  std::uint64_t value;             // t < 2^31
  std::uint64_t ratio;             // floor(2^64 / t), or one less
  std::uint64_t power32, power64;  // 2^32 and 2^64 mod t
  std::uint64_t whole;             // residue modulo t that is added for every Q in the sum
};
inline constexpr unsigned kFractionBits = 56;

struct Kernels {
  // The transforms of class Embedding (embedding.h). `slots` is a power of two, at least kLeastSlots.
  void (*to_slots)(Complexes values, Roots roots, std::size_t slots) = nullptr;
  void (*from_slots)(Complexes values, Roots roots, std::size_t slots) = nullptr;
  // Computes out[k] = values[at] * factor, rounded to nearest, ties to even. Index k is `at` with its bits reversed.
  // `count` is a power of two, at least kLeastSlots. Requires |values * factor| < 2^126.
  void (*round_reversed)(const double* values, double factor, __int128* out, std::size_t count) = nullptr;

  // Returns a number whose highest bit is set if any of the words is q or larger. The modulus q is shorter than a word.
  std::uint32_t (*above32)(const std::uint32_t* words, std::size_t count, std::uint32_t q) = nullptr;
  std::uint64_t (*above64)(const std::uint64_t* words, std::size_t count, std::uint64_t q) = nullptr;

  // Compute out = a + b and out = a - b mod q. `out` may be a or b, but no array overlaps a part of another. q < 2^63.
  void (*add64)(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::size_t n,
                std::uint64_t q) = nullptr;
  void (*subtract64)(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::size_t n,
                     std::uint64_t q) = nullptr;

  // The kernels below are for integers modulo t < 2^31. `lanes` is the L of SlotLines; it is 0 if the table has no such
  // kernels. These kernels require n >= 2 L^2.
  std::uint32_t lanes = 0;
  // Reduces n values modulo t. Reads them in the order of the slots, and writes the residues in the order of the
  // transform. Returns a number whose highest bit is set if a value is not in [-half, t - half).
  std::uint64_t (*scatter)(const std::int64_t* values, std::uint32_t* words, const SlotLines& at, std::uint32_t n,
                           std::uint32_t t, std::uint32_t half) = nullptr;
  // Writes n words, which are in the order of the transform, to `values` in the order of the slots. Subtracts `minus`
  // (t or 0) from words above t / 2.
  void (*gather)(const std::uint32_t* words, std::int64_t* values, const SlotLines& at, std::uint32_t n,
                 std::uint32_t t, std::uint32_t minus) = nullptr;
  // Computes words[k] = integers[k] mod t. Returns a number whose highest bit is set if an integer is not in
  // [-half, t - half). `count` is a multiple of the lanes.
  std::uint64_t (*reduce)(const std::int64_t* integers, std::uint32_t* words, std::size_t count, std::uint32_t t,
                          std::uint32_t half) = nullptr;
  // Computes integers[k] = words[k]. Subtracts t from words above t / 2. `count` is a multiple of the lanes. The words
  // may be in the upper half of the memory of the integers.
  void (*centre)(const std::uint32_t* words, std::int64_t* integers, std::size_t count, std::uint32_t t) = nullptr;

  // Computes out[j] = sum_i r_i w_i + whole * round(sum_i r_i / q_i) mod t. Here r_i = residues[i n + j] < 2^62, and
  // i < count <= 128. The kernel computes r_i / q_i to kFractionBits bits after the point. The degree n is a multiple
  // of 8.
  void (*convert_to_plain)(const std::uint64_t* residues, std::uint64_t* out, std::size_t n, const PlainWeight* weights,
                           std::size_t count, const PlainModulus& t) = nullptr;
};

inline constexpr std::size_t kLeastSlots = 64;

#if defined(__x86_64__)
extern const Kernels kAvx2;
extern const Kernels kAvx512;
#endif

}  // namespace ringfort::encoding
