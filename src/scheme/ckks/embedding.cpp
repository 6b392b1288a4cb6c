// SPDX-License-Identifier: Apache-2.0
// The transforms between coefficients and slots of CKKS, in doubles or 128-bit integers (embedding.h).
#include "scheme/ckks/embedding.h"

#include <bit>
#include <cmath>

#include "base/assert.h"
#include "math/circle.h"
#include "ring/encoding/chosen.h"

namespace ringfort::ckks {

namespace {

double times(double x, double root) noexcept { return x * root; }

i64 high_of(i128 x) noexcept { return static_cast<i64>(static_cast<u64>(static_cast<u128>(x) >> 64)); }
u64 low_of(i128 x) noexcept { return static_cast<u64>(x) >> 1; }  // without the last bit
FixedRoot fixed_root(i128 x) noexcept { return {high_of(x), static_cast<i64>(low_of(x))}; }

// Returns x root / 2^126. The result is computed from the 64-bit halves of both factors, and is at most 8 units too
// small or 2 units too large.
i128 times(i128 x, FixedRoot root) noexcept {
  const i64 high = high_of(x), low = static_cast<i64>(low_of(x));
  return (static_cast<i128>(high) * root.high << 2) + (static_cast<i128>(low) * root.high >> 61) +
         (static_cast<i128>(high) * root.low >> 61);
}

template <class Number>
struct Wing {  // one half of a block of butterflies
  Number* re;
  Number* im;
};

template <class Root>
struct Twiddle {
  const Root* re;
  const Root* im;
};

template <class Number, class Root>
void butterflies_to_slots(Wing<Number> a, Wing<Number> b, Twiddle<Root> w, u32 h) noexcept {
  for (u32 j = 0; j < h; ++j) {
    const Number tr = times(b.re[j], w.re[j]) - times(b.im[j], w.im[j]),
                 ti = times(b.re[j], w.im[j]) + times(b.im[j], w.re[j]);
    const Number ar = a.re[j], ai = a.im[j];
    a.re[j] = ar + tr;
    a.im[j] = ai + ti;
    b.re[j] = ar - tr;
    b.im[j] = ai - ti;
  }
}

template <class Number, class Root>
void butterflies_from_slots(Wing<Number> a, Wing<Number> b, Twiddle<Root> w, u32 h) noexcept {
  for (u32 j = 0; j < h; ++j) {
    const Number dr = a.re[j] - b.re[j], di = a.im[j] - b.im[j];
    a.re[j] += b.re[j];
    a.im[j] += b.im[j];
    b.re[j] = times(dr, w.re[j]) + times(di, w.im[j]);
    b.im[j] = times(di, w.re[j]) - times(dr, w.im[j]);
  }
}

template <class Number, class Roots>
void all_to_slots(ComplexParts<Number> v, const Roots& roots) noexcept {
  const u32 slots = static_cast<u32>(roots.re.size());
  RF_ASSERT(v.re.size() == slots && v.im.size() == slots);
  for (u32 h = 1; h < slots; h *= 2) {
    for (u32 at = 0; at < slots; at += 2 * h) {
      butterflies_to_slots(Wing<Number>{&v.re[at], &v.im[at]}, {&v.re[at + h], &v.im[at + h]},
                           Twiddle{&roots.re[h], &roots.im[h]}, h);
    }
  }
}

template <class Number, class Roots>
void all_from_slots(ComplexParts<Number> v, const Roots& roots) noexcept {
  const u32 slots = static_cast<u32>(roots.re.size());
  RF_ASSERT(v.re.size() == slots && v.im.size() == slots);
  for (u32 h = slots / 2; h >= 1; h /= 2) {
    for (u32 at = 0; at < slots; at += 2 * h) {
      butterflies_from_slots(Wing<Number>{&v.re[at], &v.im[at]}, {&v.re[at + h], &v.im[at + h]},
                             Twiddle{&roots.re[h], &roots.im[h]}, h);
    }
  }
}

}  // namespace

Embedding::Embedding(u32 slots) : slots_(slots) {
  RF_ASSERT(std::has_single_bit(slots) && slots <= (1u << 16));
  for (auto* numbers : {&roots_.re, &roots_.im}) numbers->resize(slots);
  for (auto* numbers : {&fixed_roots_.re, &fixed_roots_.im}) numbers->resize(slots);
  if (slots == 1) return;
  const u32 order = 4 * slots;
  const Circle circle(order);
  for (u32 h = 1; h < slots; h *= 2) {
    u32 power = 1;
    for (u32 j = 0; j < h; ++j, power = power * 5 % (8 * h)) {
      const CirclePoint<double> root = circle.point(power * (order / (8 * h)));
      const CirclePoint<i128> fixed = circle.fixed_point(power * (order / (8 * h)));
      roots_.re[h + j] = root.x;
      roots_.im[h + j] = root.y;
      fixed_roots_.re[h + j] = fixed_root(fixed.x);
      fixed_roots_.im[h + j] = fixed_root(fixed.y);
    }
  }
}

void Embedding::to_slots(ComplexParts<double> values) const noexcept {
  const auto transform = encoding::chosen_kernels().to_slots;
  if (transform == nullptr || slots_ < encoding::kLeastSlots) return all_to_slots(values, roots_);
  RF_ASSERT(values.re.size() == slots_ && values.im.size() == slots_);
  transform({values.re.data(), values.im.data()}, {roots_.re.data(), roots_.im.data()}, slots_);
}
void Embedding::from_slots(ComplexParts<double> values) const noexcept {
  const auto transform = encoding::chosen_kernels().from_slots;
  if (transform == nullptr || slots_ < encoding::kLeastSlots) return all_from_slots(values, roots_);
  RF_ASSERT(values.re.size() == slots_ && values.im.size() == slots_);
  transform({values.re.data(), values.im.data()}, {roots_.re.data(), roots_.im.data()}, slots_);
}
void Embedding::to_slots(ComplexParts<i128> values) const noexcept { all_to_slots(values, fixed_roots_); }
void Embedding::from_slots(ComplexParts<i128> values) const noexcept { all_from_slots(values, fixed_roots_); }

double embedding_error(u32 slots, Precision precision) noexcept {
  if (precision == Precision::integers) return 0x1p-84;
  return (7 * std::countr_zero(slots) + 2) * 0x1p-53 * std::sqrt(static_cast<double>(slots));
}

}  // namespace ringfort::ckks
