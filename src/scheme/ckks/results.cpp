// SPDX-License-Identifier: Apache-2.0
// Verbs of CKKS that return their result. Each one calls its _into form with an empty ciphertext.
#include "scheme/ckks/state.h"

namespace ringfort::ckks {

namespace {

template <class Into>
Ciphertext result(Into into) {
  Ciphertext out;
  into(out);
  return out;
}

}  // namespace

Ciphertext Evaluator::add(const Ciphertext& a, const Ciphertext& b) const {
  return result([&](auto& out) { add_into(out, a, b); });
}
Ciphertext Evaluator::subtract(const Ciphertext& a, const Ciphertext& b) const {
  return result([&](auto& out) { subtract_into(out, a, b); });
}
Ciphertext Evaluator::negate(const Ciphertext& a) const {
  return result([&](auto& out) { negate_into(out, a); });
}
Ciphertext Evaluator::add_plain(const Ciphertext& a, const Plaintext& b) const {
  return result([&](auto& out) { add_plain_into(out, a, b); });
}
Ciphertext Evaluator::subtract_plain(const Ciphertext& a, const Plaintext& b) const {
  return result([&](auto& out) { subtract_plain_into(out, a, b); });
}
Ciphertext Evaluator::multiply(const Ciphertext& a, const Ciphertext& b) const {
  return result([&](auto& out) { multiply_into(out, a, b); });
}
Ciphertext Evaluator::square(const Ciphertext& a) const {
  return result([&](auto& out) { square_into(out, a); });
}
Ciphertext Evaluator::multiply_plain(const Ciphertext& a, const Plaintext& b) const {
  return result([&](auto& out) { multiply_plain_into(out, a, b); });
}
Ciphertext Evaluator::multiply_integer(const Ciphertext& a, std::int64_t factor) const {
  return result([&](auto& out) { multiply_integer_into(out, a, factor); });
}
Ciphertext Evaluator::upscale(const Ciphertext& a, std::int64_t factor) const {
  return result([&](auto& out) { upscale_into(out, a, factor); });
}
Ciphertext Evaluator::relinearize(const Ciphertext& a, const RelinearizationKey& key) const {
  return result([&](auto& out) { relinearize_into(out, a, key); });
}
Ciphertext Evaluator::rescale(const Ciphertext& a) const {
  return result([&](auto& out) { rescale_into(out, a); });
}
Ciphertext Evaluator::relinearize_rescale(const Ciphertext& a, const RelinearizationKey& key) const {
  return result([&](auto& out) { relinearize_rescale_into(out, a, key); });
}
Ciphertext Evaluator::multiply_relinearize_rescale(const Ciphertext& a, const Ciphertext& b,
                                                   const RelinearizationKey& key) const {
  return result([&](auto& out) { multiply_relinearize_rescale_into(out, a, b, key); });
}
Ciphertext Evaluator::mod_switch(const Ciphertext& a, std::uint32_t level) const {
  return result([&](auto& out) { mod_switch_into(out, a, level); });
}
Ciphertext Evaluator::rotate(const Ciphertext& a, std::int64_t step, const GaloisKeys& keys) const {
  return result([&](auto& out) { rotate_into(out, a, step, keys); });
}
Ciphertext Evaluator::conjugate(const Ciphertext& a, const GaloisKeys& keys) const {
  return result([&](auto& out) { conjugate_into(out, a, keys); });
}
Ciphertext Evaluator::sum_slots(const Ciphertext& a, std::uint32_t count, const GaloisKeys& keys) const {
  return result([&](auto& out) { sum_slots_into(out, a, count, keys); });
}

}  // namespace ringfort::ckks
