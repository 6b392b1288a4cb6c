// SPDX-License-Identifier: Apache-2.0
// Exact arithmetic modulo q < 2^50 on doubles with fused multiply-add, which rounds a b + c once. A residue is a
// centred integer in a double. Residues, their sums and their differences are at most 2^53 in magnitude. Therefore
// additions are exact. D is the type of a vector: Doubles4 or Doubles8.
//
// A product with a constant w is r = a w - m q, where m approximates a w / q. Let w be in [-q/2, q/2], w' the double
// nearest to w/q, and |a| <= 2^52:
//   m = a w' rounded to an integer. The addition of 1.5 2^52 rounds to the nearest integer (rounding.h): |a w'| <=
//       2^51, and therefore the sum is in [2^52, 2^53], where doubles are the integers. w' differs from w/q by at most
//       2^-55. Hence |m - a w/q| <= 1/2 + |a| 2^-55.
//   h = a w, rounded. l = a w - h and d = h - m q are exact. d is an integer below 2^53: h is an integer, and its
//       distance from a w is at most 2^47.
//   r = d + l is exact, and |r| <= q (1/2 + |a| 2^-55).
//
// There are two kinds of transforms (transform.h defines passes and stages). The compiler checks their bounds
// (DoubleBounds):
//   Tight  q < 2^50: |a| <= 4q. Each forward pass but the first reduces the first operands of its first stage. An
//          inverse pass reduces sums in every second stage.
//   Wide   q < 2^48: |a| <= 16q. A forward transform has no range correction. An inverse pass reduces the sums of its
//          last stage.
#pragma once

#include "backend/cpu/kernels/table.h"

namespace ringfort::cpu::kernels {

// Returns 2^exponent, for the exponents of normal doubles, -1022 .. 1023.
static inline constexpr double power_of_two(int exponent) {
  return __builtin_bit_cast(double, static_cast<u64>(exponent + 1023) << 52);
}

// Bounds on the values in a transform. Their unit is q. kUnit is the largest value of q / 2^55.
template <bool kTight>
struct DoubleBounds {
  static constexpr double kUnit = kTight ? 1.0 / 32 : 1.0 / 128, kMost = kTight ? 4 : 16, kInput = 1.25,
                          kReduced = 0.5 + 0x1p-40;
  static constexpr double product(double operand) { return 0.5 + operand * kUnit; }
  // Tells whether a stage of the inverse transform reduces its sums. `stage`: its number in a group of `stages` stages.
  static constexpr bool reduces_sum(unsigned stage, unsigned stages) {
    return kTight ? stage % 2 == 0 : stage + 1 == stages;
  }

  // The groups of stages of a transform, in the order of the forward transform. `vertical`: the number of stages before
  // the stages of a block (transform.h).
  struct Groups {
    unsigned stages[12] = {}, count = 0;
    constexpr Groups(unsigned vertical, unsigned inside) {
      for (unsigned rest = vertical; rest != 0; rest -= stages[count - 1]) stages[count++] = stages_of_pass(rest);
      stages[count++] = kBlockStages;
      stages[count++] = inside;
    }
  };
  // These two functions return a bound on the operands of products in a transform. The inputs of a forward transform
  // are words, or words that were converted to another prime (doubles_fused.h). The inputs of an inverse transform are
  // words.
  static constexpr double largest_forward(const Groups& groups) {
    double bound = kInput, largest = 0;
    for (unsigned g = 0; g < groups.count; ++g) {
      for (unsigned stage = 0; stage < groups.stages[g]; ++stage) {
        largest = bound > largest ? bound : largest;
        const bool reduces = kTight && g != 0 && g + 1 != groups.count && stage == 0;
        bound = (reduces ? kReduced : bound) + product(bound);
      }
    }
    return largest;
  }
  static constexpr double largest_inverse(const Groups& groups) {
    double bound = 1, largest = 0;
    for (unsigned g = groups.count; g-- != 0;) {
      for (unsigned stage = 0; stage < groups.stages[g]; ++stage) {
        const double operand = 2 * bound, sum = reduces_sum(stage, groups.stages[g]) ? kReduced : operand;
        largest = operand > largest ? operand : largest;
        bound = sum > product(operand) ? sum : product(operand);
      }
    }
    return largest;
  }
  // Checks the bounds for all n up to 2^17 that the vectors allow. The last products must be below q.
  static constexpr bool hold(unsigned log_lanes) {
    bool all = true;
    for (unsigned vertical = 1; vertical + log_lanes + kBlockStages <= 17; ++vertical) {
      const Groups groups(vertical, log_lanes);
      all &= largest_forward(groups) <= kMost && largest_inverse(groups) <= kMost;
    }
    return all && product(kMost) < 1;
  }
};
static_assert(DoubleBounds<true>::hold(2) && DoubleBounds<false>::hold(2));
static_assert(DoubleBounds<true>::hold(3) && DoubleBounds<false>::hold(3));

template <class D_, bool kTight>
struct Centred {
  using D = D_;
  using Bounds = DoubleBounds<kTight>;
  using Word = u64;
  using Cell = double;
  using Lanes = typename D::Words;
  using V = typename D::V;
  using Twiddle = Pair<D>;
  static constexpr unsigned kLanes = D::kLanes, kLogLanes = D::kLogLanes;
  Tables<D, Word> tables;
  V q, inverse, rounder;

  [[gnu::always_inline]] explicit Centred(const Limb<u64>& limb)
      : tables(limb),
        q(D::broadcast(static_cast<double>(limb.q))),
        inverse(D::broadcast(1.0 / static_cast<double>(limb.q))),
        rounder(D::broadcast(1.5 * power_of_two(D::kPrecision - 1))) {}

  [[gnu::always_inline]] V load(const double* p) const { return D::load(p); }
  [[gnu::always_inline]] void store(double* p, V v) const { D::store(p, v); }
  [[gnu::always_inline]] V load(const u64* p) const { return from_words(Lanes::load(p)); }
  [[gnu::always_inline]] void store(u64* p, V v) const { Lanes::store(p, to_words(v)); }
  // Converts words below 2^52: 2^52 + x has the bits of x as its fraction.
  [[gnu::always_inline]] static V from_words(typename Lanes::V words) {
    const V shifted = (V)(words | Lanes::broadcast(kExponent52));
    return shifted - D::broadcast(0x1p52);
  }
  // Requires integers in [0, 2^52). Converts -0.0 to 0.
  [[gnu::always_inline]] static typename Lanes::V to_words(V v) {
    return (typename Lanes::V)(v + D::broadcast(0x1p52)) ^ Lanes::broadcast(kExponent52);
  }

  [[gnu::always_inline]] V enter(V v) const { return v; }
  [[gnu::always_inline]] V bound(unsigned) const { return V{}; }

  [[gnu::always_inline]] V lazy_product(V a, const Twiddle& w) const { return lazy_product(a, w, q); }
  [[gnu::always_inline]] V lazy_product(V a, const Twiddle& w, V modulus) const {
    const V quotient = D::multiply_add(a, w.companion, rounder) - rounder;
    const V high = a * w.value, low = D::multiply_subtract(a, w.value, high);
    return D::subtract_product(high, quotient, modulus) + low;
  }
  // Multiplies residues with |a b| <= 1.5 q^2. Three roundings make the quotient differ from a b / q by at most
  // 1/2 + 3/8. Therefore the result is below q in magnitude.
  [[gnu::always_inline]] V variable_product(V a, V b) const {
    const V high = a * b, low = D::multiply_subtract(a, b, high);
    const V quotient = D::multiply_add(high, inverse, rounder) - rounder;
    return D::subtract_product(high, quotient, q) + low;
  }
  [[gnu::always_inline]] V reduce(V v) const {
    return D::subtract_product(v, D::multiply_add(v, inverse, rounder) - rounder, q);
  }
  // Maps an integer in (-q, q) to the same residue in [0, q).
  [[gnu::always_inline]] V canonical(V v) const { return v < 0 ? v + q : v; }
  [[gnu::always_inline]] V finish(V v) const { return canonical(reduce(v)); }
  [[gnu::always_inline]] V product(V a, const Twiddle& w) const { return canonical(lazy_product(a, w)); }

  template <bool kCanonical, unsigned kStage>
  [[gnu::always_inline]] void ct(V& a, V& b, const Twiddle& w, bool) const {
    const V first = kTight && !kCanonical && kStage == 0 ? reduce(a) : a, second = lazy_product(b, w);
    a = first + second;
    b = first - second;
  }
  template <bool kCanonical, unsigned kStage, unsigned kStages>
  [[gnu::always_inline]] void gs(V& a, V& b, const Twiddle& w, V, bool) const {
    const V difference = a - b, sum = a + b;
    a = Bounds::reduces_sum(kStage, kStages) ? reduce(sum) : sum;
    b = lazy_product(difference, w);
  }

 private:
  static constexpr u64 kExponent52 = u64{0x433} << 52;  // the exponent field of 2^52
};

template <class D>
struct DoubleMultiplier {
  using E = Centred<D, true>;
  using V = typename D::V;
  using Word = u64;
  static constexpr unsigned kLanes = D::kLanes;
  E e;
  V q;

  [[gnu::always_inline]] explicit DoubleMultiplier(const Limb<u64>& limb) : e(limb), q(e.q) {}
  [[gnu::always_inline]] V load(const u64* p) const { return e.load(p); }
  [[gnu::always_inline]] void store(u64* p, V v) const { e.store(p, v); }
  [[gnu::always_inline]] V multiply(V a, V b) const { return e.canonical(e.variable_product(a, b)); }
  [[gnu::always_inline]] V add(V a, V b) const {
    const V sum = a + b;
    return sum >= q ? sum - q : sum;
  }
};

template <class D, bool kTight>
struct DoubleTransforms {
  using E = Centred<D, kTight>;
  using M = DoubleMultiplier<D>;
  // Words and doubles have eight bytes. Therefore every transform works in place.
  static double* cells(u64* words) { return reinterpret_cast<double*>(words); }

  static void forward(const Limb<u64>& limb, u64* a) { kernels::forward(E(limb), a, cells(a), a); }
  static void forward_digit(const Limb<u64>& limb, const DigitRow<u64>& row, u32 k, const Prefetch&) {
    const E e(limb);
    u64* const out = row.digits + k * std::size_t{limb.n};
    with_digit(e, limb, row, k, [&](const auto& in) { kernels::forward(e, in, cells(out), out); });
  }
  static void inverse(const Limb<u64>& limb, u64* a) { inverse_of(limb, a, a); }
  static void inverse_of(const Limb<u64>& limb, u64* out, const u64* a) {
    kernels::inverse(E(limb), a, cells(out), out);
  }
  static void multiply_scalar(const Limb<u64>& limb, u64* out, const u64* a, const Factor<u64>& scalar, std::size_t n) {
    const E e(limb);
    const auto factor = doubles_of<D>(scalar.value, limb.q);
    for (std::size_t j = 0; j < n; j += E::kLanes) e.store(out + j, e.product(e.load(a + j), factor));
  }
};

}  // namespace ringfort::cpu::kernels
