// SPDX-License-Identifier: Apache-2.0
// The transforms of the embedding of CKKS (scheme/ckks/embedding.h), which are complex Fourier transforms, on vectors
// of doubles. A butterfly combines two elements. The butterflies of stage h combine elements at the distance h. A pass
// over the data runs two stages. If the number of stages is odd, another pass runs one stage. A block of kLeaf elements
// runs all its stages while it is in the first-level cache. The stages between elements of one vector run on a
// transposed tile. Every element gets the same operations in the same order as in a radix-2 transform.
#pragma once

#include <type_traits>

#include "ring/encoding/kernels.h"
#include "ring/encoding/vectors.h"

namespace ringfort::encoding {

namespace {

template <unsigned kLanes>
struct Transform {
  using V = typename VectorOf<double, kLanes>::V;
  struct Complex {
    V re, im;
  };
  static constexpr std::size_t kLeaf = 1024;  // elements of 16 bytes: 16 KiB
  static constexpr std::size_t kTile = std::size_t{kLanes} * kLanes;
  static_assert(kTile <= kLeastSlots && kLeaf >= 4 * kTile);

  [[gnu::always_inline]] static Complex load_at(Complexes v, std::size_t at) {
    return {load<V>(v.re + at), load<V>(v.im + at)};
  }
  [[gnu::always_inline]] static Complex load_at(Roots v, std::size_t at) {
    return {load<V>(v.re + at), load<V>(v.im + at)};
  }
  [[gnu::always_inline]] static void store_at(Complexes v, std::size_t at, const Complex& x) {
    store(v.re + at, x.re);
    store(v.im + at, x.im);
  }
  [[gnu::always_inline]] static Complex repeated(Roots v, std::size_t at) {
    return {v.re[at] - V{}, v.im[at] - V{}};  // keeps the sign of a zero
  }

  struct ToSlots {
    [[gnu::always_inline]] static void butterfly(Complex& a, Complex& b, const Complex& w) {
      const Complex t{b.re * w.re - b.im * w.im, b.re * w.im + b.im * w.re};
      b = {a.re - t.re, a.im - t.im};
      a = {a.re + t.re, a.im + t.im};
    }
    // Runs the stages h = quarter and h = 2 quarter on four vectors. The vectors are `quarter` elements apart, which is
    // a quarter of a block.
    [[gnu::always_inline]] static void two_stages(Complex* x, const Complex& first, const Complex* second) {
      butterfly(x[0], x[1], first);
      butterfly(x[2], x[3], first);
      butterfly(x[0], x[2], second[0]);
      butterfly(x[1], x[3], second[1]);
    }
  };
  struct FromSlots {
    [[gnu::always_inline]] static void butterfly(Complex& a, Complex& b, const Complex& w) {
      const Complex d{a.re - b.re, a.im - b.im};
      a = {a.re + b.re, a.im + b.im};
      b = {d.re * w.re + d.im * w.im, d.im * w.re - d.re * w.im};
    }
    [[gnu::always_inline]] static void two_stages(Complex* x, const Complex& first, const Complex* second) {
      butterfly(x[0], x[2], second[0]);
      butterfly(x[1], x[3], second[1]);
      butterfly(x[0], x[1], first);
      butterfly(x[2], x[3], first);
    }
  };

  // Runs the stages h = size / 4 and h = size / 2 on a block of `size` elements. Requires size >= 4 kLanes.
  template <class Way>
  static void pass_of_two(Complexes v, Roots roots, std::size_t at, std::size_t size) {
    const std::size_t quarter = size / 4;
    for (std::size_t j = 0; j < quarter; j += kLanes) {
      Complex x[4];
      for (std::size_t i = 0; i < 4; ++i) x[i] = load_at(v, at + i * quarter + j);
      const Complex second[2] = {load_at(roots, 2 * quarter + j), load_at(roots, 3 * quarter + j)};
      Way::two_stages(x, load_at(roots, quarter + j), second);
      for (std::size_t i = 0; i < 4; ++i) store_at(v, at + i * quarter + j, x[i]);
    }
  }

  // Runs the stage h = kLanes on a block of two vectors.
  template <class Way>
  [[gnu::always_inline]] static void pass_of_one(Complexes v, Roots roots, std::size_t at) {
    Complex a = load_at(v, at), b = load_at(v, at + kLanes);
    Way::butterfly(a, b, load_at(roots, kLanes));
    store_at(v, at, a);
    store_at(v, at + kLanes, b);
  }

  template <class Way>
  [[gnu::always_inline]] static void stage_of_tile(V* re, V* im, Roots roots, unsigned h) {
    for (unsigned block = 0; block < kLanes; block += 2 * h) {
      for (unsigned j = block; j < block + h; ++j) {
        Complex a{re[j], im[j]}, b{re[j + h], im[j + h]};
        Way::butterfly(a, b, repeated(roots, h + j - block));
        re[j] = a.re, im[j] = a.im, re[j + h] = b.re, im[j + h] = b.im;
      }
    }
  }

  // Runs the stages h < kLanes on kLanes blocks of kLanes elements. After a transposition, vector e has element e of
  // every block.
  template <class Way>
  static void tile(Complexes v, Roots roots, std::size_t at) {
    V re[kLanes], im[kLanes];
    for (unsigned i = 0; i < kLanes; ++i) {
      re[i] = load<V>(v.re + at + i * kLanes);
      im[i] = load<V>(v.im + at + i * kLanes);
    }
    transpose<kLanes>(re);
    transpose<kLanes>(im);
    if constexpr (std::is_same_v<Way, ToSlots>) {
      for (unsigned h = 1; h < kLanes; h *= 2) stage_of_tile<Way>(re, im, roots, h);
    } else {
      for (unsigned h = kLanes / 2; h >= 1; h /= 2) stage_of_tile<Way>(re, im, roots, h);
    }
    transpose<kLanes>(re);
    transpose<kLanes>(im);
    for (unsigned i = 0; i < kLanes; ++i) {
      store(v.re + at + i * kLanes, re[i]);
      store(v.im + at + i * kLanes, im[i]);
    }
  }

  static void to_slots(Complexes v, Roots roots, std::size_t at, std::size_t size) {
    if (size > kLeaf) {
      for (std::size_t i = 0; i < 4; ++i) to_slots(v, roots, at + i * (size / 4), size / 4);
      return pass_of_two<ToSlots>(v, roots, at, size);
    }
    const std::size_t end = at + size;
    for (std::size_t i = at; i < end; i += kTile) tile<ToSlots>(v, roots, i);
    std::size_t done = kLanes;
    if (is_odd_power(size / kLanes)) {
      done = 2 * kLanes;
      for (std::size_t i = at; i < end; i += done) pass_of_one<ToSlots>(v, roots, i);
    }
    for (done *= 4; done <= size; done *= 4)
      for (std::size_t i = at; i < end; i += done) pass_of_two<ToSlots>(v, roots, i, done);
  }

  static void from_slots(Complexes v, Roots roots, std::size_t at, std::size_t size) {
    if (size > kLeaf) {
      pass_of_two<FromSlots>(v, roots, at, size);
      for (std::size_t i = 0; i < 4; ++i) from_slots(v, roots, at + i * (size / 4), size / 4);
      return;
    }
    const std::size_t end = at + size;
    std::size_t left = size;
    for (; left >= 4 * kLanes; left /= 4)
      for (std::size_t i = at; i < end; i += left) pass_of_two<FromSlots>(v, roots, i, left);
    if (left == 2 * kLanes)
      for (std::size_t i = at; i < end; i += left) pass_of_one<FromSlots>(v, roots, i);
    for (std::size_t i = at; i < end; i += kTile) tile<FromSlots>(v, roots, i);
  }

  static bool is_odd_power(std::size_t x) { return (x & 0xAAAAAAAAAAAAAAAA) != 0; }

  static void all_to_slots(Complexes v, Roots roots, std::size_t slots) { to_slots(v, roots, 0, slots); }
  static void all_from_slots(Complexes v, Roots roots, std::size_t slots) { from_slots(v, roots, 0, slots); }
};

}  // namespace

}  // namespace ringfort::encoding
