// SPDX-License-Identifier: Apache-2.0
// Moves integers between the order of their slots and the order of the transform (SlotLines in kernels.h), tile by
// tile. The template argument Lines is a struct for one instruction set. Lines::V is a vector of Lines::kLanes words of
// 32 bits. Lines::permuted(v, places) returns the vector whose lane i is lane places[i] of v.
#pragma once

#include "ring/encoding/kernels.h"
#include "ring/encoding/vectors.h"

namespace ringfort::encoding {

namespace {

// Implements Kernels::above32 and above64. The compiler vectorises the loop.
template <class W>
W above(const W* words, std::size_t count, W q) {
  W all = 0;
  for (std::size_t i = 0; i < count; ++i) all |= words[i] | static_cast<W>(q - 1 - words[i]);
  return all;
}

template <class Lines>
struct Slots {
  static constexpr unsigned kLanes = Lines::kLanes;
  using V = typename Lines::V;
  using SignedWords = typename VectorOf<std::int32_t, kLanes>::V;
  using Half = typename VectorOf<std::int64_t, kLanes / 2>::V;  // half a line, as words of 64 bits
  using NarrowHalf = typename VectorOf<std::int32_t, kLanes / 2>::V;

  // Takes two halves of a line in 64-bit words. Returns their low words (kFirst = 0) or their high words (kFirst = 1).
  template <int kFirst, int... I>
  [[gnu::always_inline]] static V words_of(V a, V b, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b, (2 * I + kFirst)...);
  }
  template <int kFirst, int... I>
  [[gnu::always_inline]] static NarrowHalf half_of(V v, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector((SignedWords)v, (SignedWords)v, (kFirst + I)...);
  }
  [[gnu::always_inline]] static void store_wide(std::int64_t* to, V v) {
    constexpr auto half = std::make_integer_sequence<int, kLanes / 2>();
    store(to, __builtin_convertvector(half_of<0>(v, half), Half));
    store(to + kLanes / 2, __builtin_convertvector(half_of<kLanes / 2>(v, half), Half));
  }
  // t < 2^31. Therefore the highest bit of t / 2 - word is set exactly for words above t / 2.
  [[gnu::always_inline]] static V centred(V v, std::uint32_t t, std::uint32_t minus) {
    return v - ((V)((SignedWords)(t / 2 - v) >> 31) & minus);
  }

  // Reduces integers modulo t, and records whether they are in [-half, t - half). `long_ones` collects the bits by
  // which an integer differs from a 32-bit integer with extended sign. All integers are in the range exactly if
  // `long_ones` is zero and no word of `outside` has its highest bit set.
  struct Range {
    std::uint32_t t, half;
    V long_ones{}, outside{};
    [[gnu::always_inline]] V reduced(const std::int64_t* integers) {
      constexpr auto all = std::make_integer_sequence<int, kLanes>();
      const auto* words = reinterpret_cast<const std::uint32_t*>(integers);
      const V a = load<V>(words), b = load<V>(words + kLanes);
      const V low = words_of<0>(a, b, all), high = words_of<1>(a, b, all), sign = (V)((SignedWords)low >> 31);
      const V above_least = low + half;
      long_ones |= high ^ sign;
      outside |= above_least | (t - 1 - above_least);
      return low + (sign & t);
    }
    [[gnu::always_inline]] std::uint64_t any() const {  // its highest bit is set if an integer is not in the range
      std::uint64_t all_long = 0, all_outside = 0;
      for (unsigned i = 0; i < kLanes; ++i) all_long |= long_ones[i], all_outside |= outside[i];
      return (0 - all_long) | all_outside << 32;
    }
  };

  static std::uint64_t place(const std::int64_t* values, std::uint32_t* words, const SlotLines& at, std::uint32_t n,
                             std::uint32_t t, std::uint32_t half) {
    const std::size_t columns = n / 2 / kLanes;
    Range range{t, half};
    const std::int64_t* row = values;
    for (std::size_t first = 0; first < 2 * columns; first += kLanes) {
      if (first == columns) row += n / 2 - columns;
      const std::int64_t* from = row + first;
      V tile[kLanes];
      for (std::size_t i = 0; i < kLanes; ++i) tile[i] = range.reduced(from + i * columns);
      transpose<kLanes>(tile);
      for (std::size_t c = 0; c < kLanes; ++c) {
        const std::size_t line = at.line[first + c];
        store(words + line * kLanes, Lines::permuted(tile[c], at.from + line * kLanes));
      }
    }
    return range.any();
  }

  static std::uint64_t reduce(const std::int64_t* integers, std::uint32_t* words, std::size_t count, std::uint32_t t,
                              std::uint32_t half) {
    Range range{t, half};
    for (std::size_t k = 0; k < count; k += kLanes) store(words + k, range.reduced(integers + k));
    return range.any();
  }

  static void pick(const std::uint32_t* words, std::int64_t* values, const SlotLines& at, std::uint32_t n,
                   std::uint32_t t, std::uint32_t minus) {
    const std::size_t columns = n / 2 / kLanes;
    std::int64_t* row = values;
    for (std::size_t first = 0; first < 2 * columns; first += kLanes) {
      if (first == columns) row += n / 2 - columns;
      std::int64_t* to = row + first;
      V tile[kLanes];
      for (std::size_t c = 0; c < kLanes; ++c) {
        const std::size_t line = at.line[first + c];
        tile[c] = Lines::permuted(load<V>(words + line * kLanes), at.to + line * kLanes);
      }
      transpose<kLanes>(tile);
      for (std::size_t i = 0; i < kLanes; ++i) store_wide(to + i * columns, centred(tile[i], t, minus));
    }
  }

  static void centre(const std::uint32_t* words, std::int64_t* integers, std::size_t count, std::uint32_t t) {
    for (std::size_t k = 0; k < count; k += kLanes) store_wide(integers + k, centred(load<V>(words + k), t, t));
  }
};

}  // namespace

}  // namespace ringfort::encoding
