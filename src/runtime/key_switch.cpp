// SPDX-License-Identifier: Apache-2.0
// The choice of a key switch: the device's fused verb, or digits and their sum from required verbs, as KeySwitch says: a
// digit's own limbs are those of `a`.
#include <array>

#include "runtime/open_device.h"

namespace ringfort {

void OpenDevice::convert_digits(Stream s, const KeySwitch& k, u32 n) const {
  const auto then = [&](Status status) { check(status, "convert_digits"); };
  const Limbs all{k.digits.first_limb, k.digits.limbs};
  std::array<u128, kMostLimbs> ones;
  ones.fill(1);                                                        // a product by one is a copy
  for (u32 d = 0; d < k.digits.batch; ++d) {
    const View digit = polynomial(k.digits, d, n);
    const Limbs own = k.digit(d);
    const View from = limbs_of(k.coefficients, own, n);
    for (const Limbs others : {Limbs{all.first, own.first - all.first}, Limbs{own.end(), all.end() - own.end()}}) {
      if (others.count == 0) continue;
      then(backend_->base_convert(s, limbs_of(digit, others, n), from, Conversion::centred));
      then(backend_->ntt(s, limbs_of(digit, others, n)));
    }
    then(backend_->multiply_scalar(s, limbs_of(digit, own, n), limbs_of(k.a, own, n), std::span(ones).first(own.count)));
  }
}

void OpenDevice::key_switch(Stream s, const KeySwitch& k, u32 n) const {
  const Status fused = backend_->key_switch(s, k);
  if (fused != Status::declined) return check(fused, "key_switch");
  if (!k.is_whole()) return check(Status::internal, "key_switch");
  convert_digits(s, k, n);
  inner_product(s, k.rest(), n);
}

}  // namespace ringfort
