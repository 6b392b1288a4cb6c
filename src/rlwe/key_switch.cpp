// SPDX-License-Identifier: Apache-2.0
#include "rlwe/key_switch.h"

namespace ringfort {

Decomposed KeySwitcher::prepare(Slice<Eval> polynomial, u32 level) const {
  const Limbs data = c_.chain.data(level);
  Slice<Eval> copy = work_.take<Eval>(Room::polynomial, 1, data);
  c_.ring.multiply_scalar(work_.stream, copy, polynomial, 1);
  const Slice<Coeff> coefficients = c_.ring.inverse(work_.stream, std::move(copy));
  return {polynomial, coefficients, work_.take<Eval>(Room::digits, c_.chain.digits(level), c_.chain.extended(level)), c_.chain.digit_limbs};
}

Slice<Eval> KeySwitcher::rows(const SwitchKey& key, u32 level) const {
  return key.rows.part(0, 2 * c_.chain.digits(level)).limbs(c_.chain.extended(level));
}

void KeySwitcher::finish(Slice<Eval> out, Slice<Eval> sum) const {
  c_.ring.mod_down(work_.stream, out, sum, work_.take<Coeff>(Room::dropped, 2, c_.chain.special()), c_.needs.error_factor);
}

void KeySwitcher::decompose(Slice<Eval> polynomial, u32 level) const { c_.ring.convert_digits(work_.stream, prepare(polynomial, level)); }

void KeySwitcher::apply(Slice<Eval> out, const SwitchKey& key, u32 level) const {
  const Limbs extended = c_.chain.extended(level);
  const u32 digits = c_.chain.digits(level);
  const Slice<Eval> parts = work_.take<Eval>(Room::digits, digits, extended), sum = work_.take<Eval>(Room::sum, 2, extended);
  c_.ring.inner_product(work_.stream, sum, parts, rows(key, level), digits, false);
  finish(out, sum);
}

void KeySwitcher::run(Slice<Eval> out, Slice<Eval> polynomial, const SwitchKey& key, u32 level) const {
  const Slice<Eval> sum = work_.take<Eval>(Room::sum, 2, c_.chain.extended(level));
  c_.ring.key_switch(work_.stream, sum, prepare(polynomial, level), rows(key, level));
  finish(out, sum);
}

}  // namespace ringfort
