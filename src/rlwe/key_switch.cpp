// SPDX-License-Identifier: Apache-2.0
#include "rlwe/key_switch.h"

namespace ringfort {

void KeySwitcher::fill_digit(Slice<Coeff> out, Slice<Coeff> digit) const {
  c_.ring.base_convert(work_.stream, out, digit, Conversion::centred);
  (void)c_.ring.forward(work_.stream, std::move(out));
}

void KeySwitcher::decompose(Slice<Eval> polynomial, u32 level) const {
  const Ring& ring = c_.ring;
  const Stream s = work_.stream;
  const Limbs extended = c_.chain.extended(level), data = c_.chain.data(level);
  const u32 digits = c_.chain.digits(level);
  Slice<Eval> copy = work_.take<Eval>(Room::polynomial, 1, data);
  ring.multiply_scalar(s, copy, polynomial, 1);
  const Slice<Coeff> coefficients = ring.inverse(s, std::move(copy));
  const Slice<Coeff> all = work_.take<Coeff>(Room::digits, digits, extended);
  const Slice<Eval> own_parts = work_.take<Eval>(Room::digits, digits, extended);
  for (u32 d = 0; d < digits; ++d) {
    const Limbs own = c_.chain.digit(level, d), before{extended.first, own.first - extended.first}, after{own.end(), extended.end() - own.end()};
    const Slice<Coeff> digit = coefficients.limbs(own), out = all.part(d, 1);
    fill_digit(out.limbs(before), digit);                              // the special primes at least
    if (after.count != 0) fill_digit(out.limbs(after), digit);
    ring.multiply_scalar(s, own_parts.part(d, 1).limbs(own), polynomial.limbs(own), 1);
  }
}

void KeySwitcher::apply(Slice<Eval> out, const SwitchKey& key, u32 level) const {
  const Limbs extended = c_.chain.extended(level);
  const u32 digits = c_.chain.digits(level);
  const Slice<Eval> parts = work_.take<Eval>(Room::digits, digits, extended), sum = work_.take<Eval>(Room::sum, 2, extended);
  c_.ring.inner_product(work_.stream, sum, parts, key.rows.part(0, 2 * digits).limbs(extended), digits, false);
  c_.ring.mod_down(work_.stream, out, sum, work_.take<Coeff>(Room::dropped, 2, c_.chain.special()), c_.needs.error_factor);
}

}  // namespace ringfort
