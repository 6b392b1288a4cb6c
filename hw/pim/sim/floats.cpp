// SPDX-License-Identifier: Apache-2.0
// Computes the results and costs of the floating-point calls of a DPU program (floats.h). Operands and results are in
// the registers of the RV32 soft-float convention. If the result of an arithmetic operation is not a number (NaN), it
// is the first NaN operand, made quiet (its highest fraction bit set). If no operand is a NaN, this result is the
// positive quiet NaN. A conversion between float and double turns a NaN into the quiet NaN of the same sign. With these
// rules, no bit of a result depends on the host. Conversions to integers round towards zero and saturate. A NaN with a
// positive sign converts to the largest integer, and a NaN with a negative sign to the smallest, as in the compiler's
// own library. hw/pim/README.md explains the terms.
#include "floats.h"

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "operations.h"

namespace ringfort::pim::op {
namespace {

constexpr std::size_t kA0 = 10;

template <class Float>
using BitsOf = std::conditional_t<sizeof(Float) == 4, u32, u64>;

template <class Word>
Word get(const Tasklet& t, std::size_t reg) {
  if constexpr (sizeof(Word) == 4) return std::bit_cast<Word>(t.x[reg]);
  else return std::bit_cast<Word>(t.x[reg] | u64{t.x[reg + 1]} << 32);
}

template <class Word>
void put(Tasklet& t, Word value) {
  const auto bits = std::bit_cast<BitsOf<Word>>(value);
  t.x[kA0] = static_cast<u32>(bits);
  if constexpr (sizeof(Word) == 8) t.x[kA0 + 1] = static_cast<u32>(bits >> 32);
}

template <class Float>
constexpr BitsOf<Float> kQuiet = BitsOf<Float>{1} << (std::numeric_limits<Float>::digits - 2);

template <class Float>
Float quiet(Float value) {
  return std::bit_cast<Float>(std::bit_cast<BitsOf<Float>>(value) | kQuiet<Float>);
}

template <class Float>
Float arithmetic(u32 which, Float a, Float b) {
  if (std::isnan(a)) return quiet(a);
  if (std::isnan(b)) return quiet(b);
  const Float result = which == kDpuAddF32 ? a + b : which == kDpuSubF32 ? a - b : which == kDpuMulF32 ? a * b : a / b;
  return std::isnan(result) ? std::numeric_limits<Float>::quiet_NaN() : result;
}

template <class Float>
i32 comparison(u32 which, Float a, Float b) {
  const bool unordered = std::isnan(a) || std::isnan(b);
  if (which == kDpuUnorderedF32) return unordered;
  if (unordered) return which == kDpuGreaterF32 ? -1 : 1;
  return a < b ? -1 : a == b ? 0 : 1;
}

template <class Integer, class Float>
Integer converted(Float value) {
  using Limits = std::numeric_limits<Integer>;
  const Float end = std::ldexp(Float{1}, Limits::digits);  // the first number above the range
  if (std::isnan(value) || value >= end || value < -end) return std::signbit(value) ? Limits::min() : Limits::max();
  if (std::is_unsigned_v<Integer> && value < 0) return 0;
  return static_cast<Integer>(value);
}

// Runs an operation on values of type Float. `which` is the number in enum DpuCall of the operation on float,
// even if Float is double.
template <class Float>
void compute_operation(Tasklet& t, u32 which) {
  const auto a = get<Float>(t, kA0), b = get<Float>(t, kA0 + sizeof(Float) / 4);
  switch (which) {
    case kDpuF32ToI32: return put(t, converted<i32>(a));
    case kDpuF32ToU32: return put(t, converted<u32>(a));
    case kDpuF32ToI64: return put(t, converted<i64>(a));
    case kDpuF32ToU64: return put(t, converted<u64>(a));
    case kDpuI32ToF32: return put(t, static_cast<Float>(get<i32>(t, kA0)));
    case kDpuU32ToF32: return put(t, static_cast<Float>(get<u32>(t, kA0)));
    case kDpuI64ToF32: return put(t, static_cast<Float>(get<i64>(t, kA0)));
    case kDpuU64ToF32: return put(t, static_cast<Float>(get<u64>(t, kA0)));
    default: break;
  }
  if (which <= kDpuDivF32) put(t, arithmetic(which, a, b));
  else put(t, comparison(which, a, b));
}

void change_width(Tasklet& t, u32 which) {
  if (which == kDpuF64ToF32) {
    const auto wide = get<double>(t, kA0);
    return put(t, std::isnan(wide) ? quiet(std::copysign(std::numeric_limits<float>::quiet_NaN(),
                                                         static_cast<float>(std::signbit(wide) ? -1 : 1)))
                                   : static_cast<float>(wide));
  }
  const auto narrow = get<float>(t, kA0);
  put(t, std::isnan(narrow) ? std::copysign(std::numeric_limits<double>::quiet_NaN(), std::signbit(narrow) ? -1.0 : 1.0)
                            : static_cast<double>(narrow));
}

// Returns the number of issue slots of an operation. The published throughputs were measured with loops that compute
// one operation on each element. For arithmetic, the number of slots is 350 MHz divided by the operations per second,
// minus five for the other instructions of the loop. For double, two of these five instructions move the second word.
// No throughput of comparisons and conversions is published. We assume that a comparison or conversion takes as long as
// unpacking the operands and packing the result.
u32 slots_of(u32 which) {
  constexpr u32 kArithmetic[2][4] = {{66, 71, 178, 1024}, {99, 106, 654, 2181}};
  constexpr u32 kOthers = 24;
  const bool is_double = which >= kDpuF64Base;
  const u32 base = is_double ? which - 16 : which;
  return base <= kDpuDivF32 ? kArithmetic[is_double][base - kDpuAddF32] : kOthers;
}

}  // namespace

Outcome float_call(Machine&, Tasklet& t, const Operation& o) {
  const u32 which = o.extra;
  if (which >= kDpuF32ToF64) change_width(t, which);
  else if (which >= kDpuF64Base) compute_operation<double>(t, which - 16);
  else compute_operation<float>(t, which);
  charge(t, &o + 1, slots_of(which) - 2, &kIdleSlot);
  return Outcome::goes_on;
}

}  // namespace ringfort::pim::op
