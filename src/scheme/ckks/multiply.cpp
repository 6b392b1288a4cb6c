// SPDX-License-Identifier: Apache-2.0
// Products. With a = (a0, a1), b = (b0, b1) and the secret s,
//   (a0 + a1 s)(b0 + b1 s) = a0 b0 + (a0 b1 + a1 b0) s + a1 b1 s^2.
// Therefore the tensor product has the three components (a0 b0, a0 b1 + a1 b0, a1 b1); with k and l components it has
// k + l - 1 (rlwe/arithmetic.h). The scale of a product is the product of the scales, and its bound follows from the
// bounds of both operands. A sum of products needs only one relinearization and one rescaling.
#include <cmath>

#include "rlwe/arithmetic.h"
#include "rlwe/key_switch.h"
#include "rlwe/operands.h"
#include "scheme/ckks/state.h"

namespace ringfort::ckks {

Accuracy product_bound(const Ciphertext& a, const Ciphertext& b, std::string_view what) {
  const Ciphertext::State &x = a.state(), &y = b.state();
  require_product(x.rlwe, y.rlwe, what);
  return admitted(product(x.bound, y.bound), *x.rlwe.context, x.rlwe.level, what);
}

namespace {

Accuracy plain_product_bound(const Ciphertext& a, const Plaintext& b, std::string_view what) {
  require_fits(a.state(), b.state(), what);
  return admitted(product(a.state().bound, b.state().bound), *a.state().rlwe.context, a.level(), what);
}

}  // namespace

void Evaluator::multiply_into(Ciphertext& out, const Ciphertext& a, const Ciphertext& b) const {
  const Accuracy bound = product_bound(a, b, "multiply");
  const auto work = a.state().rlwe.context->workspace(threads_);
  store(out, bound, ringfort::multiply(a.state().rlwe, b.state().rlwe, *work, take_memory(out, a, b)));
}

// A key switch of the third component gives (u0, u1) with u0 + u1 s = a1 b1 s^2 plus a small error. Therefore
// (a0 b0 + u0, a0 b1 + a1 b0 + u1) has the phase of the product plus this error. A division by the primes of the level
// then gives the lower scale. One verb of the ring performs both divisions, by the special primes and by the primes of
// the level. Each division rounds once. Only the bound after the last division is checked. A division keeps the ratio
// of phase to modulus, and a rounding only increases this ratio. Therefore, if the last bound holds, all earlier bounds
// hold.
void Evaluator::multiply_relinearize_rescale_into(Ciphertext& out, const Ciphertext& a, const Ciphertext& b,
                                                  const RelinearizationKey& key) const {
  constexpr std::string_view kWhat = "multiply_relinearize_rescale";
  const Ciphertext::State &x = a.state(), &y = b.state();
  require_pair(x.rlwe, y.rlwe, kWhat);
  require_two_components(x.rlwe, kWhat);
  require_two_components(y.rlwe, kWhat);
  require_key(x.rlwe, key, kWhat);
  require_level(x.rlwe, 1, kWhat);
  const SharedKeyContext k = x.rlwe.context;
  const u32 level = x.rlwe.level;
  const Accuracy bound =
      admitted(rescaled(relinearized(product(x.bound, y.bound), *k, level), *k, level, 2), *k, level - 1, kWhat);
  const auto work = k->workspace(threads_);
  const RlweCiphertext tensor = ringfort::multiply(x.rlwe, y.rlwe, *work);
  store(out, bound, ringfort::relinearize_rescale(tensor, key.state()->key, *work, take_memory(out, a, b)));
}

void Evaluator::square_into(Ciphertext& out, const Ciphertext& a) const {
  const Accuracy bound = product_bound(a, a, "square");
  const auto work = a.state().rlwe.context->workspace(threads_);
  store(out, bound, ringfort::multiply(a.state().rlwe, a.state().rlwe, *work, take_memory(out, a)));
}

void Evaluator::multiply_plain_into(Ciphertext& out, const Ciphertext& a, const Plaintext& b) const {
  const Accuracy bound = plain_product_bound(a, b, "multiply_plain");
  const auto work = a.state().rlwe.context->workspace(threads_);
  store(out, bound,
        ringfort::multiply_plain(a.state().rlwe, b.state().rlwe.at_level(a.level()), *work, take_memory(out, a)));
}

void Evaluator::multiply_integer_into(Ciphertext& out, const Ciphertext& a, std::int64_t factor) const {
  const Ciphertext::State& x = a.state();
  require_filled(x.rlwe, "multiply_integer");
  const double size = std::abs(static_cast<double>(factor));
  const Accuracy bound = admitted({x.bound.scale, x.bound.magnitude * size, x.bound.error * size}, *x.rlwe.context,
                                  x.rlwe.level, "multiply_integer");
  const auto work = x.rlwe.context->workspace(threads_);
  store(out, bound, ringfort::multiply_scalar(x.rlwe, residues_of(factor, x.rlwe), *work, take_memory(out, a)));
}

void Evaluator::upscale_into(Ciphertext& out, const Ciphertext& a, std::int64_t factor) const {
  const Ciphertext::State& x = a.state();
  require_filled(x.rlwe, "upscale");
  if (factor < 1)
    throw Error(Code::invalid_argument, "upscale was given the factor " + std::to_string(factor),
                "give a factor of 1 or more");
  const Accuracy bound =
      admitted(upscaled(x.bound, exact_scale(static_cast<u64>(factor))), *x.rlwe.context, x.rlwe.level, "upscale");
  const auto work = x.rlwe.context->workspace(threads_);
  store(out, bound, ringfort::multiply_scalar(x.rlwe, residues_of(factor, x.rlwe), *work, take_memory(out, a)));
}

void Evaluator::multiply_add_into(Ciphertext& sum, const Ciphertext& a, const Ciphertext& b) const {
  const Accuracy added = product_bound(a, b, "multiply_add");
  const Ciphertext::State& addend = sum.state();
  require_pair(addend.rlwe, a.state().rlwe, "multiply_add");
  require_equal_scales(addend.bound, added, "multiply_add");
  const Accuracy bound =
      admitted(ckks::sum(addend.bound, added), *addend.rlwe.context, addend.rlwe.level, "multiply_add");
  const auto work = a.state().rlwe.context->workspace(threads_);
  RlweCiphertext total = &sum == &a || &sum == &b ? ringfort::clone(addend.rlwe) : std::exchange(sum.state().rlwe, {});
  add_product_to(total, a.state().rlwe, b.state().rlwe, *work);
  store(sum, bound, std::move(total));
}

Ciphertext Evaluator::inner_product(std::span<const Ciphertext> a, std::span<const Ciphertext> b) const {
  require_factors(a.size(), b.size(), "inner_product");
  Accuracy bound = product_bound(a[0], b[0], "inner_product");
  for (std::size_t i = 1; i < a.size(); ++i) {
    const Accuracy added = product_bound(a[i], b[i], "inner_product");
    require_pair(a[0].state().rlwe, a[i].state().rlwe, "inner_product");
    require_equal_scales(bound, added, "inner_product");
    bound = admitted(sum(bound, added), *a[0].state().rlwe.context, a[0].level(), "inner_product");
  }
  const auto work = a[0].state().rlwe.context->workspace(threads_);
  RlweCiphertext total = ringfort::multiply(a[0].state().rlwe, b[0].state().rlwe, *work);
  for (std::size_t i = 1; i < a.size(); ++i) add_product_to(total, a[i].state().rlwe, b[i].state().rlwe, *work);
  Ciphertext out;
  store(out, bound, std::move(total));
  return out;
}

Ciphertext Evaluator::inner_product_plain(std::span<const Ciphertext> a, std::span<const Plaintext> b) const {
  require_factors(a.size(), b.size(), "inner_product_plain");
  Accuracy bound = plain_product_bound(a[0], b[0], "inner_product_plain");
  for (std::size_t i = 1; i < a.size(); ++i) {
    const Accuracy added = plain_product_bound(a[i], b[i], "inner_product_plain");
    require_pair(a[0].state().rlwe, a[i].state().rlwe, "inner_product_plain");
    require_two_components(a[i].state().rlwe, "inner_product_plain");
    require_equal_scales(bound, added, "inner_product_plain");
    bound = admitted(sum(bound, added), *a[0].state().rlwe.context, a[0].level(), "inner_product_plain");
  }
  require_two_components(a[0].state().rlwe, "inner_product_plain");
  const auto work = a[0].state().rlwe.context->workspace(threads_);
  RlweCiphertext total = ringfort::multiply_plain(a[0].state().rlwe, b[0].state().rlwe.at_level(a[0].level()), *work);
  for (std::size_t i = 1; i < a.size(); ++i)
    add_plain_product_to(total, a[i].state().rlwe, b[i].state().rlwe.at_level(a[0].level()), *work);
  Ciphertext out;
  store(out, bound, std::move(total));
  return out;
}

}  // namespace ringfort::ckks
