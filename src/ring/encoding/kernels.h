// SPDX-License-Identifier: Apache-2.0
// Vector kernels of the encoders of CKKS (scheme/ckks/embedding.h, encode.h) and of integers (ring/batch.h,
// ring/ntt.cpp), and of the decryption of integers (rlwe/integers/ring.h), as a table of functions for each instruction
// set. A null entry means that the caller's scalar code runs. A kernel gives the same bits as the scalar code: it
// computes with doubles in the same order, without fused multiply-add. No branch and no index depends on a value. Files
// compiled for more than the base instruction set include this header. Therefore it has only plain types, and no
// function with external linkage.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ringfort::encoding {

// Arrays of real and imaginary parts.
struct Complexes {
  double* re;
  double* im;
};
struct Roots {
  const double* re;
  const double* im;
};

// Tables of the permutation between slots (ring/slots.h) and the words of a transform. A line is L consecutive words.
// Let c = n / 2 / L. One line has the slots of one row in the columns j, j + c, j + 2c .., for one j < c. A kernel
// permutes the words of each line, and transposes tiles of L lines. line[row c + j] is the index of the line. Its word
// p has the slot of column j + from[line L + p] c; the slot of column j + i c is its word to[line L + i].
struct SlotLines {
  const std::uint32_t* line;
  const std::uint8_t* from;
  const std::uint8_t* to;
};

// A prime q_i of a chain whose product is Q, in the conversion to a modulus t: value is a residue w mod t, and value32
// is 2^32 w mod t. fraction / 2^63 is 1 / q_i times 2^(64 - shift) (RnsBasis::fraction).
struct PlainWeight {
  std::uint64_t value, value32, fraction;
  std::uint32_t shift;
};
struct PlainModulus {
  std::uint64_t value;             // t < 2^31
  std::uint64_t ratio;             // floor(2^64 / t)
  std::uint64_t power32, power64;  // 2^32 and 2^64 mod t
  std::uint64_t whole;             // the residue that is added for every Q in the sum
};
inline constexpr unsigned kFractionBits = 56;

struct Kernels {
  // The transforms of class Embedding (embedding.h); `slots` is a power of two, at least kLeastSlots.
  void (*to_slots)(Complexes values, Roots roots, std::size_t slots) = nullptr;
  void (*from_slots)(Complexes values, Roots roots, std::size_t slots) = nullptr;
  // out[k] = values[at] * factor, rounded to nearest, ties to even, where k is `at` with its bits reversed. `count` is
  // a power of two, at least kLeastSlots; |values * factor| < 2^126.
  void (*round_reversed)(const double* values, double factor, __int128* out, std::size_t count) = nullptr;

  // Returns a number whose highest bit is set if a word is not below q. q is shorter than a word.
  std::uint32_t (*above32)(const std::uint32_t* words, std::size_t count, std::uint32_t q) = nullptr;
  std::uint64_t (*above64)(const std::uint64_t* words, std::size_t count, std::uint64_t q) = nullptr;

  // The kernels below are for integers modulo t < 2^31. `lanes` is L of SlotLines, or 0 without kernels; n >= 2 L^2.
  std::uint32_t lanes = 0;
  // Writes the residues of n values, in the order of slots, to words in the order of the transform. Returns a number
  // whose highest bit is set if a value is not in [-half, t - half).
  std::uint64_t (*place)(const std::int64_t* values, std::uint32_t* words, const SlotLines& at, std::uint32_t n,
                         std::uint32_t t, std::uint32_t half) = nullptr;
  // Writes words in the order of the transform to values in the order of slots. Subtracts `minus` (t or 0) from words
  // above t / 2.
  void (*pick)(const std::uint32_t* words, std::int64_t* values, const SlotLines& at, std::uint32_t n, std::uint32_t t,
               std::uint32_t minus) = nullptr;
  // words[k] = integers[k] mod t. Returns a number whose highest bit is set if one is not in [-half, t - half). `count`
  // is a multiple of the lanes.
  std::uint64_t (*reduce)(const std::int64_t* integers, std::uint32_t* words, std::size_t count, std::uint32_t t,
                          std::uint32_t half) = nullptr;
  // integers[k] = words[k], minus t if it is above t / 2. `count` is a multiple of the lanes.
  void (*centre)(const std::uint32_t* words, std::int64_t* integers, std::size_t count, std::uint32_t t) = nullptr;

  // out[j] = sum_i r_i w_i + round(sum_i r_i / q_i) whole mod t, where r_i = residues[i n + j] < 2^62 and i < count <=
  // 128. The fractions have kFractionBits bits. n is a multiple of 8.
  void (*convert_to_plain)(const std::uint64_t* residues, std::uint64_t* out, std::size_t n, const PlainWeight* weights,
                           std::size_t count, const PlainModulus& t) = nullptr;
};

inline constexpr std::size_t kLeastSlots = 64;

#if defined(__x86_64__)
extern const Kernels kAvx2;
extern const Kernels kAvx512;
#endif

}  // namespace ringfort::encoding
