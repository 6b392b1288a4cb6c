// SPDX-License-Identifier: Apache-2.0
// Modes of the floating-point unit in which kernels give exact results. Arithmetic in doubles (doubles.h) is exact only
// if sums are rounded to the nearest number. Some kernels (ifma/engine.h) use words as doubles and take their minimum.
// This minimum is exact only if the CPU does not replace denormal numbers by zero. A program may have chosen other
// modes, and may trap exceptions. On x86-64, the classes below compute in the default mode. Then they restore the modes
// and the exception flags of the program.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace ringfort::cpu::kernels {

#if defined(__x86_64__)
class DefaultMode {
 public:
  [[gnu::always_inline]] DefaultMode() : saved_(_mm_getcsr()) {
    if ((saved_ & ~kFlags) != kMasked) _mm_setcsr(kMasked);
  }
  [[gnu::always_inline]] ~DefaultMode() { _mm_setcsr(saved_); }
  DefaultMode(const DefaultMode&) = delete;
  DefaultMode& operator=(const DefaultMode&) = delete;

 private:
  static constexpr unsigned kFlags = 0x3F;
  static constexpr unsigned kMasked = 0x1F80;  // exceptions are masked, rounding is to nearest, denormals are kept
  unsigned saved_;
};
#else
class DefaultMode {  // on other processors all kernels compute in integers
 public:
  DefaultMode() noexcept {}
};
#endif

// Calls a kernel in the default mode. compute() is never inlined, because the compiler cannot move arithmetic out of a
// function that is not inlined.
template <auto kKernel>
struct InDefaultMode;
template <class... Arguments, void (*kKernel)(Arguments...)>
struct InDefaultMode<kKernel> {
  [[gnu::noinline]] static void compute(Arguments... arguments) { kKernel(arguments...); }
  static void call(Arguments... arguments) {
    const DefaultMode mode;
    compute(arguments...);
  }
};

}  // namespace ringfort::cpu::kernels
