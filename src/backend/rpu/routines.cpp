// SPDX-License-Identifier: Apache-2.0
// Generates the code of the coefficient-wise routines (routines.h) for the ring processor. The comment of a routine
// lists its scalar words s0, s1, ... and its moduli m0, m1, ...
#include "backend/rpu/routines.h"

#include <functional>
#include <stdexcept>

namespace ringfort::rpu_host {
namespace {

using rpu::Dataflow;
using rpu::Op;
using rpu::ValueId;

constexpr u32 kVectorsOfBlock = 8;

// Code for one vector (512 words) of every operand. load() and store() take the number of an operand. The other members
// emit arithmetic.
class VectorCode {
 public:
  VectorCode(Dataflow& flow, u32 words, u32 at) : flow_(flow), words_(words), at_(at) {}

  [[nodiscard]] ValueId load(u32 operand) { return flow_.load(operand * words_ + at_); }
  void store(ValueId value, u32 operand) { flow_.store(value, operand * words_ + at_); }
  ValueId add(ValueId x, ValueId y, u8 m = 0) { return flow_.combine(Op::vaddmod, x, y, m); }
  ValueId subtract(ValueId x, ValueId y, u8 m = 0) { return flow_.combine(Op::vsubmod, x, y, m); }
  ValueId multiply(ValueId x, ValueId y, u8 m = 0) { return flow_.combine(Op::vmulmod, x, y, m); }
  ValueId scale(ValueId x, u8 s, u8 m = 0) { return flow_.scaled(Op::vsmulmod, x, s, m); }
  ValueId plus(ValueId x, u8 s, u8 m) { return flow_.scaled(Op::vsaddmod, x, s, m); }
  ValueId minus(ValueId x, u8 s, u8 m) { return flow_.scaled(Op::vssubmod, x, s, m); }

  // The two parts of x: low = x mod m, and high = x - low modulo kWide. A product of `high` and an inverse power of two
  // is an exact quotient.
  struct Split {
    ValueId low, high;
  };
  Split split(ValueId x, u8 one, u8 m, u8 wide) {
    const ValueId low = scale(x, one, m);
    return {low, subtract(x, low, wide)};
  }

 private:
  Dataflow& flow_;
  u32 words_, at_;
};

ValueId dot(VectorCode& code, u32 count) {
  ValueId sum = code.multiply(code.load(1), code.load(1 + count));
  for (u32 i = 1; i < count; ++i) sum = code.add(sum, code.multiply(code.load(1 + i), code.load(1 + count + i)));
  return sum;
}

void scaled_sum(VectorCode& code, u32 count) {
  ValueId sum = code.load(0);
  for (u32 i = 0; i < count; ++i) sum = code.add(sum, code.scale(code.load(1 + i), static_cast<u8>(i)));
  code.store(sum, 0);
}

// m0: q, m1: kWide, m2: 2^71. s0: the factor, s1: 2^(64 - bits) floor(2^(63 + bits) / q), s2: 1, s3: 2^(-71), s4: the
// initial sum
void fraction(VectorCode& code, bool first) {
  const ValueId v = code.scale(code.load(2), 0, 0);
  code.store(v, 0);
  const ValueId fraction = code.scale(code.split(code.scale(v, 1, 1), 2, 2, 1).high, 3, 1);
  code.store(first ? code.plus(fraction, 4, 1) : code.add(code.load(1), fraction, 1), 1);
}

void shift(VectorCode& code) { code.store(code.scale(code.split(code.load(1), 0, 0, 1).high, 1, 1), 0); }

// s0: 1, s1: 2^(-b)
void digit(VectorCode& code) {
  const auto [low, high] = code.split(code.load(1), 0, 0, 1);
  code.store(low, 0);
  code.store(code.scale(high, 1, 1), 1);
}

// h is the least residue that represents a negative number. floor((a + 2^K - h) / 2^K) is 1 if a >= h.
// s0: 2^K - h, s1: 1, s2: -q 2^(-K), s3: kOffset
void lift(VectorCode& code) {
  const ValueId a = code.load(1);
  const ValueId less = code.scale(code.split(code.plus(a, 0, 1), 1, 0, 1).high, 2, 1);
  code.store(code.plus(code.add(a, less, 1), 3, 1), 0);
}

// s0: 2^(s - 1), s1: 1, s2: 2^(-s), s3: kOffset - kOffset 2^(-s)
void rounded_shift(VectorCode& code) {
  const ValueId high = code.split(code.plus(code.load(1), 0, 1), 1, 0, 1).high;
  code.store(code.plus(code.scale(high, 2, 1), 3, 1), 0);
}

// s0: 2^(b - 1), s1: 1, s2: 2^(-b), s3: kOffset - kOffset 2^(-b), s4: 2^(b - 1) mod q
void centred_digit(VectorCode& code) {
  const auto [low, high] = code.split(code.plus(code.load(1), 0, 1), 1, 0, 1);
  code.store(code.minus(code.scale(low, 1, 2), 4, 2), 0);
  code.store(code.plus(code.scale(high, 2, 1), 3, 1), 1);
}

// s0: 1, s1: kOffset mod q
void last_digit(VectorCode& code) { code.store(code.minus(code.scale(code.load(1), 0, 0), 1, 0), 0); }

void halve(VectorCode& code) {
  const ValueId x = code.load(0), y = code.scale(code.load(1), 0);
  code.store(code.multiply(code.add(x, y), code.load(2)), 0);
  code.store(code.multiply(code.subtract(x, y), code.load(3)), 1);
}

void unite(VectorCode& code) {
  const ValueId x = code.multiply(code.load(0), code.load(2)), y = code.multiply(code.load(1), code.load(3));
  code.store(code.scale(code.add(x, y), 0), 0);
  code.store(code.scale(code.subtract(x, y), 1), 1);
}

void negate(VectorCode& code) {
  const ValueId a = code.load(1), zero = code.subtract(a, a);
  code.store(code.subtract(zero, a), 0);
}

void emit(Routine routine, VectorCode& code, u32 count) {
  switch (routine) {
    case Routine::add: return code.store(code.add(code.load(1), code.load(2)), 0);
    case Routine::subtract: return code.store(code.subtract(code.load(1), code.load(2)), 0);
    case Routine::negate: return negate(code);
    case Routine::multiply: return code.store(code.multiply(code.load(1), code.load(2)), 0);
    case Routine::multiply_add: return code.store(code.add(code.load(0), code.multiply(code.load(1), code.load(2))), 0);
    case Routine::scale: return code.store(code.scale(code.load(1), 0), 0);
    case Routine::scaled_difference: return code.store(code.scale(code.subtract(code.load(1), code.load(2)), 0), 0);
    case Routine::dot: return code.store(dot(code, count), 0);
    case Routine::dot_add: return code.store(code.add(code.load(0), dot(code, count)), 0);
    case Routine::scaled_sum: return scaled_sum(code, count);
    case Routine::first_fraction: return fraction(code, true);
    case Routine::fraction: return fraction(code, false);
    case Routine::shift: return shift(code);
    case Routine::digit: return digit(code);
    case Routine::lift: return lift(code);
    case Routine::rounded_shift: return rounded_shift(code);
    case Routine::centred_digit: return centred_digit(code);
    case Routine::last_digit: return last_digit(code);
    case Routine::halve: return halve(code);
    case Routine::unite: return unite(code);
    case Routine::forward:
    case Routine::inverse: break;
  }
  throw std::logic_error("a transform is not a coefficient-wise routine");
}

u32 operands_of(Routine routine, u32 count) noexcept {
  switch (routine) {
    case Routine::dot:
    case Routine::dot_add: return 1 + 2 * count;
    case Routine::scaled_sum: return 1 + count;
    case Routine::add:
    case Routine::subtract:
    case Routine::multiply:
    case Routine::multiply_add:
    case Routine::scaled_difference:
    case Routine::first_fraction:
    case Routine::fraction: return 3;
    case Routine::halve:
    case Routine::unite: return 4;
    default: return 2;
  }
}

}  // namespace

RoutineNeeds routine_needs(Routine routine, u32 count) noexcept {
  switch (routine) {
    case Routine::scale:
    case Routine::scaled_difference:
    case Routine::halve: return {1, 1};
    case Routine::unite: return {1, 2};
    case Routine::scaled_sum: return {1, count};
    case Routine::first_fraction: return {3, 5};
    case Routine::fraction: return {3, 4};
    case Routine::shift:
    case Routine::digit: return {2, 2};
    case Routine::lift:
    case Routine::rounded_shift: return {2, 4};
    case Routine::centred_digit: return {3, 5};
    case Routine::last_digit: return {1, 2};
    default: return {1, 0};
  }
}

rpu::Plan routine_plan(Routine routine, u32 words, u32 count, Boundaries& boundaries) {
  rpu::Plan plan;
  boundaries.clear();
  for (u32 operand = 0; operand <= operands_of(routine, count); ++operand) boundaries.push_back(operand * words);
  plan.table_at = operands_of(routine, count) * words;
  for (u32 at = 0; at < words; at += rpu::kVectorLength) {
    if (at % (kVectorsOfBlock * rpu::kVectorLength) == 0) plan.flow.begin_block();
    VectorCode code(plan.flow, words, at);
    emit(routine, code, count);
  }
  return plan;
}

}  // namespace ringfort::rpu_host
