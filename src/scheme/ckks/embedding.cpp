// SPDX-License-Identifier: Apache-2.0
#include "scheme/ckks/embedding.h"

#include <bit>
#include <cmath>

#include "base/assert.h"
#include "math/circle.h"

namespace ringfort::ckks {

namespace {

struct Wing {                                            // one half of a block of butterflies
  double* re;
  double* im;
};

void butterflies_to_slots(Wing a, Wing b, const double* wr, const double* wi, u32 h) noexcept {
  for (u32 j = 0; j < h; ++j) {
    const double tr = b.re[j] * wr[j] - b.im[j] * wi[j], ti = b.re[j] * wi[j] + b.im[j] * wr[j];
    const double ar = a.re[j], ai = a.im[j];
    a.re[j] = ar + tr;
    a.im[j] = ai + ti;
    b.re[j] = ar - tr;
    b.im[j] = ai - ti;
  }
}

void butterflies_from_slots(Wing a, Wing b, const double* wr, const double* wi, u32 h) noexcept {
  for (u32 j = 0; j < h; ++j) {
    const double dr = a.re[j] - b.re[j], di = a.im[j] - b.im[j];
    a.re[j] += b.re[j];
    a.im[j] += b.im[j];
    b.re[j] = dr * wr[j] + di * wi[j];
    b.im[j] = di * wr[j] - dr * wi[j];
  }
}

}  // namespace

Embedding::Embedding(u32 slots) : slots_(slots), re_(slots), im_(slots) {
  RF_ASSERT(std::has_single_bit(slots) && slots <= (1u << 17));
  if (slots == 1) return;
  const u32 order = 4 * slots;
  const Circle circle(order);
  for (u32 h = 1; h < slots; h *= 2) {
    u32 power = 1;
    for (u32 j = 0; j < h; ++j) {
      const CirclePoint root = circle.point(power * (order / (8 * h)));
      re_[h + j] = root.x;
      im_[h + j] = root.y;
      power = power * 5 % (8 * h);
    }
  }
}

void Embedding::to_slots(Parts v) const noexcept {
  RF_ASSERT(v.re.size() == slots_ && v.im.size() == slots_);
  for (u32 h = 1; h < slots_; h *= 2) {
    for (u32 at = 0; at < slots_; at += 2 * h) {
      butterflies_to_slots({&v.re[at], &v.im[at]}, {&v.re[at + h], &v.im[at + h]}, &re_[h], &im_[h], h);
    }
  }
}

void Embedding::from_slots(Parts v) const noexcept {
  RF_ASSERT(v.re.size() == slots_ && v.im.size() == slots_);
  for (u32 h = slots_ / 2; h >= 1; h /= 2) {
    for (u32 at = 0; at < slots_; at += 2 * h) {
      butterflies_from_slots({&v.re[at], &v.im[at]}, {&v.re[at + h], &v.im[at + h]}, &re_[h], &im_[h], h);
    }
  }
}

double embedding_error(u32 slots) noexcept {
  const int stages = std::countr_zero(slots);
  return (7 * stages + 2) * 0x1p-53 * std::sqrt(static_cast<double>(slots));
}

}  // namespace ringfort::ckks
