// SPDX-License-Identifier: Apache-2.0
// Rounds doubles to integers of two words, as to_nearest() of math/conversions.h does, and stores the integers in
// bit-reversed order. It works on tiles of kLanes x kLanes values. The indices of the values of a tile differ only in
// their highest and lowest bits. Therefore, after a transposition, every vector of the tile has consecutive results.
#pragma once

#include "ring/encoding/vectors.h"

namespace ringfort::encoding {

namespace {

template <unsigned kLanes>
struct Rounding {
  using V = typename VectorOf<double, kLanes>::V;
  using Words = typename VectorOf<std::uint64_t, kLanes>::V;
  using Signed = typename VectorOf<std::int64_t, kLanes>::V;

  [[gnu::always_inline]] static Signed smaller(Signed a, Signed b) { return a < b ? a : b; }
  [[gnu::always_inline]] static Signed larger(Signed a, Signed b) { return a > b ? a : b; }

  [[gnu::always_inline]] static void store_nearest(V x, __int128* to) {
    const Words bits = (Words)x, field = bits >> 52 & 0x7FF, sign = (Words)((Signed)bits < 0);
    const Signed shift = (Signed)field - 1075;
    const Words right = (Words)smaller(larger(-shift, Signed{}), Signed{} + 63), left = (Words)larger(shift, Signed{});
    const Words m = (bits & ((std::uint64_t{1} << 52) - 1)) | ((Words)(field != 0) & std::uint64_t{1} << 52);
    const Words shifted = (Words)(right != 0) & 1, odd = m >> right & shifted;
    const Words bias = ((Words{} + 1) << right >> 1) - shifted + odd;
    const Words magnitude = (m + bias) >> right, by = left & 63, far = (Words)(left > 63);
    const Words lower = magnitude << by, upper = magnitude >> 1 >> (63 - by);
    const Words low = ((lower & ~far) ^ sign) - sign,
                high = (((upper & ~far) | (lower & far)) ^ sign) + ((Words)(low == 0) & sign & 1);
    auto* words = reinterpret_cast<std::uint64_t*>(to);
    store(words, interleave_low<kLanes>(low, high));
    store(words + kLanes, interleave_high<kLanes>(low, high));
  }

  static constexpr std::size_t reversed(std::size_t index, std::size_t count) {  // index < count, a power of two
    std::size_t out = 0;
    for (; count > 1; count /= 2, index /= 2) out = out * 2 | (index & 1);
    return out;
  }

  static void round_reversed(const double* values, double factor, __int128* out, std::size_t count) {
    const std::size_t stride = count / kLanes, tiles = stride / kLanes;
    for (std::size_t middle = 0; middle < tiles; ++middle) {
      V tile[kLanes];
      for (unsigned r = 0; r < kLanes; ++r)
        tile[r] = load<V>(values + reversed(r, kLanes) * stride + middle * kLanes) * factor;
      transpose<kLanes>(tile);
      __int128* const to = out + reversed(middle, tiles) * kLanes;
      for (unsigned r = 0; r < kLanes; ++r) store_nearest(tile[r], to + reversed(r, kLanes) * stride);
    }
  }
};

}  // namespace

}  // namespace ringfort::encoding
