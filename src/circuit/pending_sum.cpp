// SPDX-License-Identifier: Apache-2.0
// Sums of products and multiples of ciphertexts (pending_sum.h). The multiple of a ciphertext by a number c is its
// product with an integer k. Let A be the scale of the ciphertext, D the scale of its level, and s = D^2 / A. Let k be
// the integer nearest to c s, and let delta = k - c s. If the ciphertext has the phase A v + e, for the value v and the
// error e, the product has the phase A s c v + (A v delta + k e). The integer is a constant polynomial, which has the
// same value in every slot. Therefore no rounding of other coefficients adds to its error.
#include "circuit/pending_sum.h"

#include <algorithm>
#include <cmath>

#include "base/shown.h"
#include "rlwe/arithmetic.h"
#include "rlwe/key_switch.h"
#include "rlwe/operands.h"

namespace ringfort::ckks {

namespace {

struct Integer {
  i128 value = 0;
  double error = 0;  // bound on the distance to the number that it represents
};

// Returns the integer nearest to value * scale. If two integers are almost equally near, returns one of the two. Fails
// with unsupported.
Integer nearest(double value, const Scale& scale) {
  const Scale exact = Scale{value, 0} * scale;
  if (!(std::abs(exact.high) < 0x1p120)) {
    throw Error(Code::unsupported,
                "the constant " + ringfort::shown(value) + " at the scale 2^" + std::to_string(std::log2(scale.high)) +
                    " has more than 120 bits",
                "use smaller coefficients, or a smaller scale");
  }
  const double error = 0.5 + std::abs(exact.high) * kScaleRounding;
  if (std::abs(exact.high) < 0x1p52) return {static_cast<i128>(std::llround(exact.high + exact.low)), error + 0.25};
  return {static_cast<i128>(exact.high) + static_cast<i128>(std::llround(exact.low)), error + 0.25};
}

std::vector<u64> residues(const KeyContext::State& k, u32 level, i128 value) {
  const u128 size = value < 0 ? u128{0} - static_cast<u128>(value) : static_cast<u128>(value);
  std::vector<u64> out;
  const Limbs limbs = k.chain.data(level);
  for (u32 limb = limbs.first; limb < limbs.end(); ++limb) {
    const u64 residue = k.ring.basis()[limb].reduce(size);
    out.push_back(value < 0 && residue != 0 ? k.ring.basis()[limb].value() - residue : residue);
  }
  return out;
}

}  // namespace

PendingSum::PendingSum(const Context& context, u32 level, unsigned threads)
    : context_(context),
      level_(level),
      threads_(threads) {
  const Scale scale = level_scale(*context.state(), level, context.scale(level));
  bound_ = {scale * scale, 0, 0};
}

void PendingSum::add(RlweCiphertext&& term, const Accuracy& bound, Workspace& work) {
  bound_ = sum(bound_, bound);
  if (total_.components == 0) total_ = std::move(term);
  else add_to(total_, term, work);
}

void PendingSum::add_product(const Ciphertext& a, const Ciphertext& b) {
  require_pair(a.state().rlwe, b.state().rlwe, "a sum of products");
  const Accuracy bound = product(a.state().bound, b.state().bound);
  require_equal_scales(bound_, bound, "a sum of products");
  const auto work = context_.keys().state()->workspace(threads_);
  if (total_.components == 3) {
    add_product_to(total_, a.state().rlwe, b.state().rlwe, *work);
    bound_ = sum(bound_, bound);
    return;
  }
  add(ringfort::multiply(a.state().rlwe, b.state().rlwe, *work), bound, *work);
}

void PendingSum::add_multiple(const Ciphertext& a, double factor) {
  const Ciphertext::State& x = a.state();
  require_two_components(x.rlwe, "a multiple");
  const Integer integer = nearest(factor, bound_.scale / x.bound.scale);
  const double size = std::abs(static_cast<double>(integer.value)) + 1;
  const Accuracy bound{bound_.scale, x.bound.magnitude * std::abs(factor),
                       x.bound.value() * (integer.error + size * kScaleRounding) + size * x.bound.error};
  const KeyContext::State& k = *context_.keys().state();
  const auto work = k.workspace(threads_);
  RlweCiphertext term = make_ciphertext(x.rlwe, level_, x.rlwe.components);
  k.ring.multiply_scalar(work->stream, term.all(), x.rlwe.at_level(level_), residues(k, level_, integer.value));
  add(std::move(term), bound, *work);
}

void PendingSum::double_all() {
  const auto work = context_.keys().state()->workspace(threads_);
  total_ = ringfort::add(total_, total_, *work);
  bound_.magnitude *= 2;
  bound_.error *= 2;
  constant_ *= 2;
}

Ciphertext PendingSum::finish(const RelinearizationKey& key, const Known& known) {
  constexpr std::string_view kWhat = "a polynomial";
  const KeyContext::State& k = *context_.keys().state();
  require_key(total_, key, kWhat);
  const bool wide = total_.components == 3;
  Accuracy bound = rescaled(wide ? relinearized(bound_, k, level_) : bound_, k, level_, 2);
  bound.magnitude = std::min(bound.magnitude, known.varying);
  bound = admitted(bound, k, level_ - 1, kWhat);
  const auto work = k.workspace(threads_);
  Ciphertext out;
  store(out, bound,
        wide ? ringfort::relinearize_rescale(total_, key.state()->key, *work) : ringfort::rescale(total_, *work));
  if (constant_ != 0) add_to_every_slot(out, constant_, threads_);
  Accuracy& final = out.state().bound;
  final.magnitude = std::min(final.magnitude, known.whole);
  return out;
}

void add_to_every_slot(Ciphertext& a, double value, unsigned threads) {
  const Ciphertext::State& x = a.state();
  const SharedKeyContext k = x.rlwe.context;
  const Integer integer = nearest(value, x.bound.scale);
  const Accuracy added{x.bound.scale, std::abs(value), integer.error};
  const Accuracy bound = admitted(sum(x.bound, added), *k, x.rlwe.level, "add");
  std::vector<i128> coefficients(k->p.n);
  coefficients[0] = integer.value;
  const Plaintext plain = lifted(k, coefficients, x.rlwe.level, added);
  const auto work = k->workspace(threads);
  store(a, bound, add_plain(x.rlwe, plain.state().rlwe.all(), *work));
}

}  // namespace ringfort::ckks
