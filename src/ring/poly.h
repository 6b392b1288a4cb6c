// SPDX-License-Identifier: Apache-2.0
// Batches of ring polynomials whose domain is part of their type: Poly<Coeff> and Poly<Eval> own device memory and move
// only; Slice<D> names a run of polynomials in one. Only forward() and inverse() turn one domain into the other, and they
// consume their operand, so products in the coefficient domain or sums across domains do not compile.
#pragma once

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
