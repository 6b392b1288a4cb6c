// SPDX-License-Identifier: Apache-2.0
// Arithmetic in doubles is exact only if sums are rounded to the nearest number (doubles.h). Minima of words that are
// read as doubles are exact only if the CPU does not replace denormal numbers by zero (ifma/engine.h). A program may
// have chosen other modes, and may trap exceptions. These classes compute in the default mode, then restore the
// program's modes and exception flags.
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
  static constexpr unsigned kMasked = 0x1F80;  // no exception traps; rounding to nearest, denormals kept
  unsigned saved_;
};
#else
class DefaultMode {  // the kernels of other processors compute in integers
 public:
  DefaultMode() noexcept {}
};
#endif

// Calls a kernel in the default mode. The compiler cannot move arithmetic out of a function that it does not inline.
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
