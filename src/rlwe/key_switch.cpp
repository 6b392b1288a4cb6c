// SPDX-License-Identifier: Apache-2.0
// The mathematics of a key switch in verbs of the ring; the runtime chooses between fused and composed, the device
// computes.
#include "rlwe/key_switch.h"

#include <algorithm>

namespace ringfort {

Scratch<Eval> KeySwitcher::allocate_sum(u32 count) const {
  return work_.allocate<Eval>(2 * count, c_.chain.extended(level_), c_.chain.extended());
}

Scratch<Eval> KeySwitcher::allocate_digits(u32 count) const {
  return work_.allocate<Eval>(count * c_.chain.digits(level_), c_.chain.extended(level_), c_.chain.extended());
}

// For the digits of a sum: one limb a thread where the device needs no more.
Scratch<Eval> KeySwitcher::allocate_digits_of_sum(u32 count) const {
  const Limbs all = c_.chain.extended(level_);
  if (!c_.ring.device().backend().capabilities().by_limbs || work_.stream.threads >= all.count)
    return allocate_digits(count);
  return work_.allocate<Eval>(count * c_.chain.digits(level_), {all.first, std::max(1u, work_.stream.threads)});
}

Slice<Eval> KeySwitcher::rows(const KeySwitchingKey& key) const {
  return key.rows.part(0, 2 * c_.chain.digits(level_)).limbs(c_.chain.extended(level_));
}

template <class F>
void KeySwitcher::with_coefficients(Slice<Eval> polynomials, Slice<Eval> digits, F f) const {
  const Scratch<Eval> copy = work_.allocate<Eval>(polynomials.batch(), c_.chain.data(level_), c_.chain.data());
  c_.ring.copy(work_.stream, copy.all(), polynomials);
  f(KeySwitchInput{polynomials, c_.ring.inverse(work_.stream, copy.all()), digits, c_.chain.digit_limbs});
}

Scratch<Eval> KeySwitcher::mod_up(Slice<Eval> polynomial) const {
  Scratch<Eval> digits = allocate_digits(1);
  with_coefficients(polynomial, digits.all(), [&](const KeySwitchInput& a) { c_.ring.mod_up(work_.stream, a); });
  return digits;
}

Scratch<Eval> KeySwitcher::inner_product(Slice<Eval> digits, const KeySwitchingKey& key) const {
  Scratch<Eval> sum = allocate_sum(1);
  c_.ring.inner_product(work_.stream, sum.all(), digits, rows(key), digits.batch(), false);
  return sum;
}

Scratch<Eval> KeySwitcher::key_switch(Slice<Eval> polynomials, const KeySwitchingKey& key) const {
  Scratch<Eval> sum = allocate_sum(polynomials.batch());
  const Scratch<Eval> digits = allocate_digits_of_sum(polynomials.batch());
  with_coefficients(polynomials, digits.all(),
                    [&](const KeySwitchInput& a) { c_.ring.key_switch(work_.stream, sum.all(), a, rows(key)); });
  return sum;
}

void KeySwitcher::mod_down(Slice<Eval> out, Slice<Eval> sum, const Epilogue<Eval>& after) const {
  const Scratch<Coeff> dropped = work_.allocate<Coeff>(sum.batch(), c_.chain.special());
  c_.ring.mod_down(work_.stream, out, sum, dropped.all(), c_.needs.error_factor, after);
}

void KeySwitcher::mod_down(Slice<Eval> out, Slice<Eval> sum) const {
  const Scratch<Coeff> dropped = work_.allocate<Coeff>(sum.batch(), c_.chain.special());
  c_.ring.mod_down(work_.stream, out, sum, dropped.all(), c_.needs.error_factor);
}

void KeySwitcher::divide_and_rescale(Slice<Eval> out, Slice<Eval> sum, Slice<Eval> addend) const {
  const Scratch<Coeff> reuse = work_.allocate<Coeff>(sum.batch(), c_.chain.extended(level_), c_.chain.extended());
  c_.ring.mod_down_rescale(work_.stream, out, sum, reuse.all(), c_.needs.error_factor, addend);
}

}  // namespace ringfort
