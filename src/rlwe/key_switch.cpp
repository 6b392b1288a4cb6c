// SPDX-License-Identifier: Apache-2.0
// Key switching (rlwe/key_switch.h). The functions run verbs of the device. If the device has no fused form of a verb,
// the runtime composes the verb from simpler verbs.
#include "rlwe/key_switch.h"

#include <algorithm>

#include "rlwe/arithmetic.h"

namespace ringfort {

Scratch<Eval> KeySwitcher::allocate_sum(u32 count) const {
  return work_.allocate<Eval>(2 * count, c_.chain.extended(level_), c_.chain.extended());
}

Scratch<Eval> KeySwitcher::allocate_digits(u32 count) const {
  return work_.allocate<Eval>(count * c_.chain.digits(level_), c_.chain.extended(level_), c_.chain.extended());
}

// Allocates memory for the digits of a key switch. A device that works limb by limb needs one limb per thread. Other
// devices need all limbs.
Scratch<Eval> KeySwitcher::allocate_digits_of_sum(u32 count) const {
  const Limbs all = c_.chain.extended(level_);
  if (!works_by_limbs() || work_.stream.threads >= all.count) return allocate_digits(count);
  return work_.allocate<Eval>(count * c_.chain.digits(level_), {all.first, std::max(1u, work_.stream.threads)});
}

Slice<Eval> KeySwitcher::rows(const KeySwitchingKey& key) const {
  return key.rows.first(2 * c_.chain.digits(level_), c_.chain.extended(level_));
}

template <class F>
void KeySwitcher::with_coefficients(Slice<Eval> polynomials, F f) const {
  const Scratch<Eval> copy = work_.allocate<Eval>(polynomials.batch(), c_.chain.data(level_), c_.chain.data());
  f(c_.ring.inverse_into(work_.stream, copy.all(), polynomials));
}

Scratch<Eval> KeySwitcher::mod_up(Slice<Eval> polynomial) const {
  Scratch<Eval> digits = allocate_digits(1);
  with_coefficients(polynomial, [&](Slice<Coeff> coefficients) {
    c_.ring.device().run(work_.stream, verb::ModUp{.digits = digits.all().view(),
                                                   .a = polynomial.view(),
                                                   .coefficients = coefficients.view(),
                                                   .digit_limbs = c_.chain.digit_limbs});
  });
  return digits;
}

bool KeySwitcher::works_by_limbs() const { return c_.ring.device().backend().capabilities().by_limbs; }

// A device that works limb by limb keeps one limb of the digits in its cache, and uses this limb for several keys.
std::size_t KeySwitcher::sums_at_once() const { return works_by_limbs() ? 4 : 1; }

std::vector<Scratch<Eval>> KeySwitcher::inner_products(Slice<Eval> digits,
                                                       std::span<const KeySwitchingKey* const> keys) const {
  std::vector<Scratch<Eval>> sums;
  for (std::size_t i = 0; i < keys.size(); ++i) sums.push_back(allocate_sum(1));
  const Limbs all = c_.chain.extended(level_);
  const u32 count = works_by_limbs() ? 1 : all.count;
  for (Limbs limbs = {all.first, count}; limbs.first < all.end(); limbs.first += count) {
    for (std::size_t i = 0; i < keys.size(); ++i)
      c_.ring.inner_product(work_.stream, sums[i].all().limbs(limbs), digits.limbs(limbs), rows(*keys[i]).limbs(limbs),
                            digits.batch(), false);
  }
  return sums;
}

Scratch<Eval> KeySwitcher::key_switch(Slice<Eval> polynomials, const KeySwitchingKey& key) const {
  Scratch<Eval> sum = allocate_sum(polynomials.batch());
  const Scratch<Eval> digits = allocate_digits_of_sum(polynomials.batch());
  with_coefficients(polynomials, [&](Slice<Coeff> coefficients) {
    c_.ring.device().run(work_.stream, verb::KeySwitch{.out = sum.all().view(),
                                                       .a = polynomials.view(),
                                                       .coefficients = coefficients.view(),
                                                       .digits = digits.all().view(),
                                                       .key = rows(key).view(),
                                                       .digit_limbs = c_.chain.digit_limbs});
  });
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

void KeySwitcher::mod_down_rescale(Slice<Eval> out, Slice<Eval> sum, Slice<Eval> addend) const {
  const Scratch<Coeff> scratch = work_.allocate<Coeff>(sum.batch(), c_.chain.extended(level_), c_.chain.extended());
  c_.ring.mod_down_rescale(work_.stream, out, sum, scratch.all(), c_.needs.error_factor, addend);
}

RlweCiphertext relinearize(const RlweCiphertext& a, const KeySwitchingKey& key, Workspace& work,
                           RlweCiphertext&& reuse) {
  RlweCiphertext out = make_ciphertext(a, a.level, 2, std::move(reuse));
  const KeySwitcher switcher(*a.context, work, a.level);
  const Scratch<Eval> sum = switcher.key_switch(a.component(2), key);
  if (a.count == 1) {
    switcher.mod_down(out.all(), sum.all(), {a.slice(0, 2)});
    return out;
  }
  switcher.mod_down(out.all(), sum.all());
  for (const u32 i : {0u, 1u}) a.context->ring.add(work.stream, out.component(i), out.component(i), a.component(i));
  return out;
}

RlweCiphertext relinearize_rescale(const RlweCiphertext& a, const KeySwitchingKey& key, Workspace& work,
                                   RlweCiphertext&& reuse) {
  if (a.count != 1) return rescale(relinearize(a, key, work), work, std::move(reuse));
  RlweCiphertext out = make_ciphertext(a, a.level - 1, 2, std::move(reuse));
  const KeySwitcher switcher(*a.context, work, a.level);
  const Scratch<Eval> sum = switcher.key_switch(a.slice(2, 1), key);
  switcher.mod_down_rescale(out.all(), sum.all(), a.slice(0, 2));
  return out;
}

}  // namespace ringfort
