// SPDX-License-Identifier: Apache-2.0
// Addition, subtraction and negation of ciphertexts. The second operand of a sum or difference may be a plaintext. The
// bound of a sum is the sum of the bounds. Therefore it holds for equal and dependent operands too.
#include <algorithm>

#include "base/shown.h"
#include "rlwe/arithmetic.h"
#include "rlwe/operands.h"
#include "scheme/ckks/state.h"

namespace ringfort::ckks {

namespace {

Accuracy sum_bound(const Ciphertext& a, const Ciphertext& b, std::string_view what) {
  const Ciphertext::State &x = a.state(), &y = b.state();
  require_pair(x.rlwe, y.rlwe, what);
  require_equal_scales(x.bound, y.bound, what);
  return admitted(sum(x.bound, y.bound), *x.rlwe.context, x.rlwe.level, what);
}

Accuracy plain_bound(const Ciphertext& a, const Plaintext& b, std::string_view what) {
  const Ciphertext::State& x = a.state();
  require_fits(x, b.state(), what);
  require_equal_scales(x.bound, b.state().bound, what);
  return admitted(sum(x.bound, b.state().bound), *x.rlwe.context, x.rlwe.level, what);
}

}  // namespace

void Evaluator::add_into(Ciphertext& out, const Ciphertext& a, const Ciphertext& b) const {
  const Accuracy bound = sum_bound(a, b, "add");
  const auto work = a.state().rlwe.context->workspace(threads_);
  store(out, bound, ringfort::add(a.state().rlwe, b.state().rlwe, *work, take_memory(out, a, b)));
}

void Evaluator::subtract_into(Ciphertext& out, const Ciphertext& a, const Ciphertext& b) const {
  const Accuracy bound = sum_bound(a, b, "subtract");
  const auto work = a.state().rlwe.context->workspace(threads_);
  store(out, bound, ringfort::subtract(a.state().rlwe, b.state().rlwe, *work, take_memory(out, a, b)));
}

void Evaluator::negate_into(Ciphertext& out, const Ciphertext& a) const {
  require_filled(a.state().rlwe, "negate");
  const auto work = a.state().rlwe.context->workspace(threads_);
  store(out, Accuracy(a.state().bound), ringfort::negate(a.state().rlwe, *work, take_memory(out, a)));
}

void Evaluator::add_plain_into(Ciphertext& out, const Ciphertext& a, const Plaintext& b) const {
  const Accuracy bound = plain_bound(a, b, "add_plain");
  const auto work = a.state().rlwe.context->workspace(threads_);
  store(out, bound,
        ringfort::add_plain(a.state().rlwe, b.state().rlwe.at_level(a.level()), *work, take_memory(out, a)));
}

void Evaluator::subtract_plain_into(Ciphertext& out, const Ciphertext& a, const Plaintext& b) const {
  const Accuracy bound = plain_bound(a, b, "subtract_plain");
  const auto work = a.state().rlwe.context->workspace(threads_);
  store(out, bound,
        ringfort::subtract_plain(a.state().rlwe, b.state().rlwe.at_level(a.level()), *work, take_memory(out, a)));
}

Ciphertext Evaluator::declare_magnitude(const Ciphertext& a, double magnitude) const {
  require_filled(a.state().rlwe, "declare_magnitude");
  if (!(magnitude >= 0))
    throw Error(Code::invalid_argument, "declare_magnitude was given the magnitude " + ringfort::shown(magnitude),
                "give a number, zero or more");
  const Ciphertext::State& x = a.state();
  const Accuracy bound = admitted({x.bound.scale, std::min(a.magnitude(), magnitude), x.bound.error}, *x.rlwe.context,
                                  x.rlwe.level, "declare_magnitude");
  Ciphertext out = a.clone();
  out.state().bound = bound;
  return out;
}

Ciphertext Evaluator::declare_scale(const Ciphertext& a, double scale) const {
  require_filled(a.state().rlwe, "declare_scale");
  if (!(scale > 0 && scale <= 0x1p1000))
    throw Error(Code::invalid_argument, "declare_scale was given the scale " + ringfort::shown(scale),
                "give a number above zero, near the scale of the ciphertext");
  const Accuracy& bound = a.state().bound;
  const Accuracy declared{{scale, 0}, bound.value() / scale * (1 + 0x1p-40), bound.error};
  Ciphertext out = a.clone();
  out.state().bound = admitted(declared, *a.state().rlwe.context, a.level(), "declare_scale");
  return out;
}

Ciphertext Evaluator::add_many(std::span<const Ciphertext> terms) const {
  require_terms(terms.size(), "add_many");
  require_filled(terms[0].state().rlwe, "add_many");
  Accuracy bound = terms[0].state().bound;
  for (const Ciphertext& term : terms.subspan(1)) {
    require_pair(terms[0].state().rlwe, term.state().rlwe, "add_many");
    require_equal_scales(bound, term.state().bound, "add_many");
    bound = admitted(sum(bound, term.state().bound), *term.state().rlwe.context, term.level(), "add_many");
  }
  const auto work = terms[0].state().rlwe.context->workspace(threads_);
  RlweCiphertext total = terms.size() == 1 ? ringfort::clone(terms[0].state().rlwe)
                                           : ringfort::add(terms[0].state().rlwe, terms[1].state().rlwe, *work);
  for (std::size_t i = 2; i < terms.size(); ++i) add_to(total, terms[i].state().rlwe, *work);
  Ciphertext out;
  store(out, bound, std::move(total));
  return out;
}

}  // namespace ringfort::ckks
