// SPDX-License-Identifier: Apache-2.0
// Batches of ring polynomials with the domain in their type: Poly<Coeff> has coefficients, and Poly<Eval> their
// transform. Both own device memory and are move-only. Slice<D> refers to a range of polynomials of a Poly, or to some
// of their limbs. Only forward(), inverse(), inverse_into() and reuse() of Ring change the domain. They consume the
// object whose memory they use. The other functions of Ring state the domains of their operands. Therefore neither a
// product in the coefficient domain nor a sum of two domains compiles.
//
// share() and Ring::receive() make a second Poly with the same words. After this, the words are read-only. If the words
// are on another device, a call that returns a slice (all, polynomials, limbs, first) first copies them to this device
// (runtime/device_batch.h).
#pragma once

#include "base/assert.h"
#include "runtime/device_batch.h"

namespace ringfort {

struct Coeff {
  static constexpr Domain kDomain = Domain::coefficient;
};
struct Eval {
  static constexpr Domain kDomain = Domain::evaluation;
};

template <class D>
class Slice {
 public:
  explicit Slice(const View& view) : view_(view) {}
  [[nodiscard]] const View& view() const noexcept { return view_; }
  [[nodiscard]] u32 batch() const noexcept { return view_.batch; }
  [[nodiscard]] Slice polynomials(std::size_t first, u32 count) const noexcept {
    return Slice(view_.polynomials(first, count));
  }
  // Returns `count` polynomials, from number `first` on. Their distance is `stride`.
  [[nodiscard]] Slice strided(u32 stride, std::size_t first, u32 count) const noexcept {
    View some = view_.polynomials(first, count);
    if (count > 1) some.stride = static_cast<u32>(stride * view_.limb_stride());
    return Slice(some);
  }
  // Returns the same polynomials, but only the limbs `limbs`. Limbs are numbered as in the plan, and the slice must
  // contain all of `limbs`.
  [[nodiscard]] Slice limbs(Limbs limbs) const noexcept {
    RF_ASSERT(limbs.first >= view_.limbs.first && limbs.end() <= view_.limbs.end());
    return Slice(view_.in(limbs));
  }
  [[nodiscard]] Limbs limbs() const noexcept { return view_.limbs; }

 private:
  View view_;
};

template <class D>
class Poly {
 public:
  Poly() = default;  // an empty batch, without slices
  explicit Poly(std::shared_ptr<DeviceBatch> words) noexcept : words_(std::move(words)) {}
  // Move-only. share() makes a second object.
  Poly(Poly&&) noexcept = default;
  Poly& operator=(Poly&&) noexcept = default;
  [[nodiscard]] u32 batch() const noexcept { return words_ == nullptr ? 0 : words_->shape().batch; }
  [[nodiscard]] Limbs limbs() const noexcept { return words_->shape().limbs; }
  [[nodiscard]] Slice<D> all() const { return Slice<D>(words_->view()); }
  [[nodiscard]] Slice<D> polynomials(std::size_t first, u32 count) const { return all().polynomials(first, count); }
  [[nodiscard]] Slice<D> limbs(Limbs limbs) const { return all().limbs(limbs); }
  // Returns the limbs `limbs` of the first `count` polynomials. If the batch is on another device, this call copies
  // words to this device. It copies only the requested words if they are at most half of the batch and no words were
  // copied before. Otherwise it copies all words of the batch that this device lacks.
  [[nodiscard]] Slice<D> first(u32 count, Limbs limbs) const { return Slice<D>(words_->view({count, limbs})); }
  void keep_contents() noexcept { words_->keep_contents(); }

  [[nodiscard]] bool is_shared() const noexcept { return words_->is_shared(); }
  [[nodiscard]] Poly share() const noexcept {  // a second object with the same words
    words_->share();
    return Poly(words_);
  }

 private:
  friend class Ring;
  template <class To>
  [[nodiscard]] Poly<To> retyped() && {
    RF_ASSERT(!is_shared());
    return Poly<To>(std::move(words_));
  }
  std::shared_ptr<DeviceBatch> words_;
};

}  // namespace ringfort
