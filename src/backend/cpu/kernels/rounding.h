// SPDX-License-Identifier: Apache-2.0
// Arithmetic in doubles is exact only if sums are rounded to the nearest number (doubles.h). A program may have chosen
// another rounding mode, or denormal numbers as zeros. These classes compute in the default mode and restore the other.
#pragma once

#include <xmmintrin.h>

namespace ringfort::cpu::kernels {

class DefaultRounding {
 public:
  [[gnu::always_inline]] DefaultRounding() : saved_(_mm_getcsr()) {
    if ((saved_ & kModes) != 0) _mm_setcsr(saved_ & ~kModes);
  }
  [[gnu::always_inline]] ~DefaultRounding() {
    if ((saved_ & kModes) != 0) _mm_setcsr(saved_);
  }
  DefaultRounding(const DefaultRounding&) = delete;
  DefaultRounding& operator=(const DefaultRounding&) = delete;

 private:
  static constexpr unsigned kModes = 0xE040;  // rounding, flush to zero, denormals are zeros
  unsigned saved_;
};

// Calls a kernel in the default mode. The compiler cannot move arithmetic out of a function that it does not inline.
template <auto kKernel>
struct Rounded;
template <class... Arguments, void (*kKernel)(Arguments...)>
struct Rounded<kKernel> {
  [[gnu::noinline]] static void compute(Arguments... arguments) { kKernel(arguments...); }
  static void call(Arguments... arguments) {
    const DefaultRounding mode;
    compute(arguments...);
  }
};

}  // namespace ringfort::cpu::kernels
