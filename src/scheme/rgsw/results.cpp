// SPDX-License-Identifier: Apache-2.0
// Verbs of Ring-GSW that return their result. Each one calls its _into form with an empty batch.
#include "ringfort/rgsw.h"

namespace ringfort::rgsw {

namespace {

template <class Into>
EncryptedBits result(Into into) {
  EncryptedBits out;
  into(out);
  return out;
}

}  // namespace

EncryptedBits Evaluator::add(const EncryptedBits& a, const EncryptedBits& b) const {
  return result([&](auto& out) { add_into(out, a, b); });
}
EncryptedBits Evaluator::negate(const EncryptedBits& a) const {
  return result([&](auto& out) { negate_into(out, a); });
}
EncryptedBits Evaluator::one_minus(const EncryptedBits& a) const {
  return result([&](auto& out) { one_minus_into(out, a); });
}
EncryptedBits Evaluator::multiply(const EncryptedBits& a, const EncryptedBits& b) const {
  return result([&](auto& out) { multiply_into(out, a, b); });
}

}  // namespace ringfort::rgsw
