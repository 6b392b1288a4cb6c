// SPDX-License-Identifier: Apache-2.0
// The inner product of a key switch on device `cpu`: the sum of the products of digits and key, limb by limb. The
// primes of the input polynomial are divided into groups. Digit d is this polynomial modulo the primes of group d
// (verb::ModUp in backend/verbs.h). For a limb of the result, every digit is needed modulo the prime of this limb, as
// evaluations. If this prime is in group d, the input contains these evaluations. Otherwise digit d is converted and
// transformed. If group d has several primes, convert_digit() converts the digit before it calls the kernel. If group d
// has one prime, the kernel converts it. The kernel then transforms the converted digits, and multiplies all digits by
// the key.
//
// All steps of a limb run while the digits are in the caches. Only the key comes from memory, and the transforms
// prefetch it. Each thread uses one limb of `digits` as scratch memory. docs/notes/0009 has measurements.
#include <array>

#include "backend/cpu/conversion.h"
#include "backend/cpu/convert.h"
#include "backend/cpu/work.h"

namespace ringfort::cpu {

namespace {

constexpr u32 kMostDigits = 8;  // digits that are computed in all limbs before the next digits (docs/notes/0009)
// There is one sum for each column of the key. The kernel stores the upper part of an unreduced sum c in the memory of
// digit c. When it first does so, it has used only two digits, and may overwrite only these
// (kernels/key_switch_product.h).
constexpr u32 kMostColumns = 2;

// Returns digit d of polynomial p in limb `limb`. If the prime of this limb is in group d, the digit is in the input.
// If not, and group d has several primes, this function converts the digit into `scratch`. If group d has one prime, it
// returns the conversion, which the kernel runs as a part of the transform.
KeySwitchDigit convert_digit(const verb::KeySwitch& k, u32 p, u32 d, u32 limb, u64* scratch) {
  const CpuPlan& plan = plan_of(k.out);
  const Limbs digit_limbs = k.mod_up().digit(d);
  if (limb >= digit_limbs.first && limb < digit_limbs.end()) return {words_at<u64>(k.a, p, limb - k.a.limbs.first), {}};
  const u64* const words = words_at<u64>(k.coefficients, p, digit_limbs.first - k.a.limbs.first);
  if (digit_limbs.count == 1) return {nullptr, source_of(plan.basis, digit_limbs.first, limb, words)};
  ConversionConstants constants;
  fill(constants, plan.basis, digit_limbs, {limb, 1});
  ConversionWork<u64> work = work_of<u64>(constants, digit_limbs.count, Conversion::centred, plan);
  work.out = scratch;
  work.a = words;
  plan.kernels<u64>().convert(work);
  return {};
}

// Adds the products of at most kMostDigits digits, from digit `first` on, in one limb of one polynomial.
void key_switch_limb(const verb::KeySwitch& k, u32 first, u32 p, u32 l, u32 slot) {
  const CpuPlan& plan = plan_of(k.out);
  const PreparedLimb<u64>& limb = plan.limbs<u64>()[k.out.limbs.first + l];
  const u32 digits = k.mod_up().count();
  Products<u64> sum = products_of<u64>(k.inner_product());
  u64* const scratch = words_at<u64>(k.digits, std::size_t{p} * digits + first, slot);
  sum.out = words_at<u64>(k.out, std::size_t{p} * k.columns(), l), sum.rows = 1;
  sum.b = words_at<u64>(k.key, 0, l) + first * sum.b_inner;
  sum.a = scratch;
  sum.inner = std::min(kMostDigits, digits - first);
  sum.accumulate = first != 0;
  std::array<KeySwitchDigit, kMostDigits> some;
  for (u32 d = 0; d < sum.inner; ++d)
    some[d] = convert_digit(k, p, first + d, k.out.limbs.first + l, scratch + d * sum.a_inner);
  limb.kernels->key_switch_product(limb.constants, sum, some.data(), scratch);
}

}  // namespace

// The fused verb needs the 52-bit multiplier or arithmetic in doubles. It adds the products of two digits at a time. In
// between, a sum is reduced modulo the prime if it would overflow otherwise, or if the cache is too small for unreduced
// sums. With 64-bit integers, these additional reductions cost more time than fusion saves (docs/notes/0009).
bool fuses(const verb::KeySwitch& k) noexcept {
  const CpuPlan& plan = plan_of(k.out);
  if (plan.plan.word != Word::u64 || k.columns() > kMostColumns) return false;
  for (const Limbs& limbs : {k.out.limbs, k.a.limbs}) {
    for (u32 l = limbs.first; l < limbs.end(); ++l) {
      if (plan.limbs64[l].kernels->key_switch_product == nullptr) return false;
    }
  }
  return true;
}

// Computes all polynomials of a limb before the next limb, because all of them use the same part of the key.
Status execute(Stream s, const verb::KeySwitch& k) noexcept {
  const u32 threads = std::min(s.threads, k.digits.limbs.count);
  for (u32 first = 0; first < k.mod_up().count(); first += kMostDigits) {
    for_each_item(threads, k.out.limbs.count, [&](std::size_t l, unsigned thread) {
      for (u32 p = 0; p < k.a.batch; ++p) key_switch_limb(k, first, p, static_cast<u32>(l), thread);
    });
  }
  return Status::ok;
}

}  // namespace ringfort::cpu
