// SPDX-License-Identifier: Apache-2.0
// Square tiles of vectors, for the kernels of the encoders. avx2.cpp and avx512.cpp include this file through other
// headers, and have different compiler flags. Therefore everything is in an unnamed namespace, and each of these files
// has its own copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ringfort::encoding {

namespace {

// V is a vector of kLanes values of type T. Unaligned is the same vector at any address.
template <class T, unsigned kLanes>
struct VectorOf {
  using V [[gnu::vector_size(sizeof(T) * kLanes), gnu::may_alias]] = T;
  using Unaligned [[gnu::vector_size(sizeof(T) * kLanes), gnu::aligned(sizeof(T)), gnu::may_alias]] = T;
};

template <class V, class T>
[[gnu::always_inline]] inline V load(const T* from) {
  using Unaligned = typename VectorOf<T, sizeof(V) / sizeof(T)>::Unaligned;
  return *reinterpret_cast<const Unaligned*>(from);
}
template <class T, class V>
[[gnu::always_inline]] inline void store(T* to, V v) {
  using Unaligned = typename VectorOf<T, sizeof(V) / sizeof(T)>::Unaligned;
  *reinterpret_cast<Unaligned*>(to) = v;
}

// Interleaves the first halves (kFirst = 0) or the second halves (kFirst = kLanes / 2) of two vectors.
template <unsigned kFirst, class V, int... I>
[[gnu::always_inline]] inline V interleaved(V a, V b, std::integer_sequence<int, I...>) {
  constexpr int lanes = sizeof...(I);
  return __builtin_shufflevector(a, b, (static_cast<int>(kFirst) + I / 2 + (I % 2) * lanes)...);
}
template <unsigned kLanes, class V>
[[gnu::always_inline]] inline V interleave_low(V a, V b) {
  return interleaved<0>(a, b, std::make_integer_sequence<int, kLanes>());
}
template <unsigned kLanes, class V>
[[gnu::always_inline]] inline V interleave_high(V a, V b) {
  return interleaved<kLanes / 2>(a, b, std::make_integer_sequence<int, kLanes>());
}

// Transposes a tile of kLanes vectors in log2(kLanes) steps. Each step interleaves the two halves of the tile. If the
// caller has done the first step, kFirst is 2.
template <unsigned kLanes, unsigned kFirst = 1, class V>
[[gnu::always_inline]] inline void transpose(V* tile) {
  for (unsigned step = kFirst; step < kLanes; step *= 2) {
    V next[kLanes];
    for (unsigned i = 0; i < kLanes / 2; ++i) {
      next[2 * i] = interleave_low<kLanes>(tile[i], tile[i + kLanes / 2]);
      next[2 * i + 1] = interleave_high<kLanes>(tile[i], tile[i + kLanes / 2]);
    }
    for (unsigned i = 0; i < kLanes; ++i) tile[i] = next[i];
  }
}

}  // namespace

}  // namespace ringfort::encoding
