// SPDX-License-Identifier: Apache-2.0
// Batches of ring polynomials whose domain is part of their type: Poly<Coeff> and Poly<Eval> own device memory and move
// only; Slice<D> names a run of polynomials in one, or of their limbs. Only forward() and inverse() turn one domain into the other, and they
// consume their operand, so products in the coefficient domain or sums across domains do not compile.
#pragma once

#include "base/assert.h"
#include "runtime/open_device.h"

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
  Slice(const View& view, std::size_t stride) : view_(view), stride_(stride) {}
  [[nodiscard]] const View& view() const noexcept { return view_; }
  [[nodiscard]] u32 batch() const noexcept { return view_.batch; }
  [[nodiscard]] Slice part(std::size_t first, u32 count) const noexcept {
    View view = view_;
    view.offset += first * stride_;
    view.batch = count;
    return {view, stride_};
  }
  // Limbs numbered as in the plan; they must be among those of the slice.
  [[nodiscard]] Slice limbs(Limbs limbs) const noexcept {
    RF_ASSERT(limbs.first >= view_.first_limb && limbs.end() <= view_.first_limb + view_.limbs);
    return {limbs_of(view_, limbs, static_cast<u32>(stride_ / view_.step())), stride_};
  }
  [[nodiscard]] Limbs limbs() const noexcept { return {view_.first_limb, view_.limbs}; }

 private:
  friend class Ring;
  View view_;
  std::size_t stride_;             // words from one polynomial to the next
};

template <class D>
class Poly {
 public:
  Poly() = default;
  Poly(Buffer buffer, const View& view, std::size_t stride) : buffer_(std::move(buffer)), view_(view), stride_(stride) {}
  [[nodiscard]] u32 batch() const noexcept { return view_.batch; }
  [[nodiscard]] Slice<D> all() const noexcept { return {view_, stride_}; }
  [[nodiscard]] Slice<D> part(std::size_t first, u32 count) const noexcept { return all().part(first, count); }
  [[nodiscard]] Slice<D> limbs(Limbs limbs) const noexcept { return all().limbs(limbs); }
  [[nodiscard]] Limbs limbs() const noexcept { return all().limbs(); }
  void keep_contents() noexcept { buffer_.keep_contents(); }

 private:
  friend class Ring;
  template <class To>
  [[nodiscard]] Poly<To> retyped() && {
    return {std::move(buffer_), view_, stride_};
  }
  Buffer buffer_;
  View view_;
  std::size_t stride_ = 0;
};

}  // namespace ringfort
