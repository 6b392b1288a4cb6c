// SPDX-License-Identifier: Apache-2.0
// Moves integers between the order of their slots and the order of the transform (SlotLines in kernels.h), tile by
// tile. The template argument Lines is a struct for one instruction set. Lines::V is a vector of Lines::kLanes words of
// 32 bits. Lines::permuted(v, sources) returns the vector whose lane i is lane sources[i] of v.
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
  using Wide = typename VectorOf<std::uint64_t, kLanes / 2>::V;
  using NarrowHalf = typename VectorOf<std::int32_t, kLanes / 2>::V;

  // Takes two halves of a line in 64-bit words. Returns their low words.
  template <int... I>
  [[gnu::always_inline]] static V low_words(V a, V b, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b, (2 * I)...);
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

  // Reduces integers modulo t, in words of 64 bits, and records whether they are in [-half, t - half). An integer
  // outside this range sets the highest bit of a word of `outside`.
  struct Range {
    std::uint64_t t, half;
    Wide outside{};
    [[gnu::always_inline]] Wide reduced(const std::int64_t* integers) {
      const Wide x = (Wide)load<Half>(integers), above_least = x + half;
      outside |= above_least | (t - 1 - above_least);
      return x + ((Wide)((Half)x >> 63) & t);
    }
    [[gnu::always_inline]] std::uint64_t any() const {  // its highest bit is set if an integer is not in the range
      std::uint64_t all = 0;
      for (unsigned i = 0; i < kLanes / 2; ++i) all |= outside[i];
      return all;
    }
  };

  // Calls tile(column, value) for tiles that cover all values. `column` is the index of the tile's first line in
  // SlotLines::line. `value` is the index of the tile's first value. Loads and stores that cross cache lines take twice
  // as long as others. Therefore the tiles inside a row begin at a cache line of `values`. The first tile of a row
  // begins where the row begins, and the last tile ends where the row ends. Both may overlap their neighbours.
  template <class F>
  [[gnu::always_inline]] static void for_tiles(const std::int64_t* values, std::uint32_t n, F tile) {
    const std::size_t columns = n / 2 / kLanes, last = columns - kLanes;
    const std::size_t ahead = (0 - reinterpret_cast<std::uintptr_t>(values) / 8) % 8;  // values before a cache line
    for (std::size_t row = 0; row < 2; ++row) {
      for (std::size_t j = 0;;) {
        tile(row * columns + j, row * (n / 2) + j);
        if (j == last) break;
        const std::size_t next = j == 0 && ahead != 0 ? ahead : j + kLanes;
        j = next < last ? next : last;
      }
    }
  }

  // Reads kLanes rows of kLanes integers. Runs the first step of transpose() on their residues: interleaves the words
  // of the rows i and i + kLanes / 2. Returns the result in `tile`.
  [[gnu::always_inline]] static void read_interleaved(const std::int64_t* from, std::size_t distance, Range& range,
                                                      V* tile) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kLanes / 2; ++i) {
      const std::int64_t *const even = from + i * distance, *const odd = even + kLanes / 2 * distance;
      for (std::size_t k = 0; k < 2; ++k)
        tile[2 * i + k] = (V)(range.reduced(even + k * kLanes / 2) | range.reduced(odd + k * kLanes / 2) << 32);
    }
  }

  static std::uint64_t scatter(const std::int64_t* values, std::uint32_t* words, const SlotLines& at, std::uint32_t n,
                               std::uint32_t t, std::uint32_t half) {
    Range range{t, half};
    for_tiles(values, n, [&](std::size_t column, std::size_t value) {
      V tile[kLanes];
      read_interleaved(values + value, n / 2 / kLanes, range, tile);
      transpose<kLanes, 2>(tile);
      for (std::size_t c = 0; c < kLanes; ++c) {
        const std::size_t line = at.line[column + c];
        store(words + line * kLanes, Lines::permuted(tile[c], at.from + line * kLanes));
      }
    });
    return range.any();
  }

  static std::uint64_t reduce(const std::int64_t* integers, std::uint32_t* words, std::size_t count, std::uint32_t t,
                              std::uint32_t half) {
    constexpr auto all = std::make_integer_sequence<int, kLanes>();
    Range range{t, half};
    for (std::size_t k = 0; k < count; k += kLanes) {
      const Wide low = range.reduced(integers + k), high = range.reduced(integers + k + kLanes / 2);
      store(words + k, low_words((V)low, (V)high, all));
    }
    return range.any();
  }

  static void gather(const std::uint32_t* words, std::int64_t* values, const SlotLines& at, std::uint32_t n,
                     std::uint32_t t, std::uint32_t minus) {
    for_tiles(values, n, [&](std::size_t column, std::size_t value) {
      V tile[kLanes];
      for (std::size_t c = 0; c < kLanes; ++c) {
        const std::size_t line = at.line[column + c];
        tile[c] = Lines::permuted(load<V>(words + line * kLanes), at.to + line * kLanes);
      }
      transpose<kLanes>(tile);
      for (std::size_t i = 0; i < kLanes; ++i)
        store_wide(values + value + i * (n / 2 / kLanes), centred(tile[i], t, minus));
    });
  }

  static void centre(const std::uint32_t* words, std::int64_t* integers, std::size_t count, std::uint32_t t) {
    for (std::size_t k = 0; k < count; k += kLanes) store_wide(integers + k, centred(load<V>(words + k), t, t));
  }
};

}  // namespace

}  // namespace ringfort::encoding
