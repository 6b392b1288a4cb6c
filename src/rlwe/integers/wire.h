// SPDX-License-Identifier: Apache-2.0
// Converts objects of BFV and BGV to and from the numbers that files contain (rlwe/wire.h). The file of a ciphertext
// has two numbers for its noise bound: log2 of the bound, and the correction factor. For a fresh ciphertext, the
// receiver computes the bound itself. Only scheme/bfv/wire.cpp and scheme/bgv/wire.cpp include this header.
#pragma once

#include <bit>
#include <cmath>
#include <numeric>

#include "rlwe/integers/objects.h"
#include "rlwe/wire.h"

namespace ringfort::integers {

template <class S>
[[nodiscard]] Result<typename S::Parameters> plain_parameters(const wire::ParameterFacts& facts) {
  if (facts.numbers.size() != 1)
    return wire::damaged(Code::io_range, "the parameters of integers must have one number, the plain modulus");
  const auto checked = wire::caught([&] {
    check_plain_modulus(facts.chain, facts.numbers[0]);
    return Done{};
  });
  if (!checked.ok()) return wire::damaged(Code::io_range, checked.failure().problem);
  return typename S::Parameters{facts.chain, facts.numbers[0]};
}

template <class S>
[[nodiscard]] wire::BoundNumbers bound_numbers_of(const Ciphertext<S>& ciphertext) {
  const NoiseBound& bound = ciphertext.state().bound;
  if (ciphertext.state().rlwe.context->unguarded()) return {0, bound.factor, 0};
  return {std::bit_cast<u64>(bound.error.log2), bound.factor, 0};
}

template <class S>
[[nodiscard]] bool is_known(const IntegerRing& ring, const RlweCiphertext& ciphertext, const NoiseBound& bound) {
  constexpr double kSlack = 0x1p-30;  // logarithms differ between machines in the last bits
  return ciphertext.origin != Origin::evaluated && ciphertext.level == ring.base().chain.top_level() &&
         bound.factor == 1 &&
         bound.error.log2 <= Policy<S>::fresh(ring, ciphertext.level, ciphertext.origin).log2 + kSlack;
}

// Tells whether a ciphertext may have this correction factor.
template <class S>
[[nodiscard]] bool is_factor(const IntegerRing& ring, u64 factor) {
  return factor < ring.t && std::gcd(factor, ring.t) == 1 && Policy<S>::accepts_factor(factor);
}

// A ciphertext of an unguarded context has no bound, so there is nothing to trust.
template <class S>
[[nodiscard]] Result<Ciphertext<S>> unguarded_ciphertext(const IntegerRing& ring, RlweCiphertext&& ciphertext,
                                                         const wire::BoundNumbers& numbers) {
  const u64 factor = numbers[1];
  if (numbers[0] != 0 || numbers[2] != 0 || !is_factor<S>(ring, factor))
    return wire::damaged(Code::io_range, "ciphertext: its bound or its correction factor is outside its range");
  ciphertext.untrusted = true;
  Ciphertext<S> out;
  store(out, ring, NoiseBound{Bound::unknown(), factor}, std::move(ciphertext));
  return out;
}

template <class S>
[[nodiscard]] Result<Ciphertext<S>> ciphertext_of(const Context<S>& context, RlweCiphertext&& ciphertext,
                                                  const wire::BoundNumbers& numbers, bool trust_bound) {
  const IntegerRing& ring = context.state()->ring;
  if (ring.base().unguarded()) return unguarded_ciphertext<S>(ring, std::move(ciphertext), numbers);
  NoiseBound bound{Bound::power_of_two(std::bit_cast<double>(numbers[0])), numbers[1]};
  const bool nothing = bound.error == Bound{};  // the bound of a product with the integer 0
  if (!(nothing || std::isfinite(bound.error.log2)) || numbers[2] != 0 || !is_factor<S>(ring, bound.factor)) {
    return wire::damaged(Code::io_range, "ciphertext: its noise bound or correction factor is outside its range");
  }
  if (!(bound.error < Policy<S>::limit(ring, ciphertext.level)))
    return wire::damaged(Code::io_range, "ciphertext: its noise bound leaves no noise budget");
  const bool known = is_known<S>(ring, ciphertext, bound);
  if (!trust_bound && !known) {
    return Failure{
        Code::mode_forbidden,
        "this ciphertext is not a fresh encryption, and nothing proves the noise bound in its file",
        "load it with trust in the writer's bound (it stays marked as untrusted), or ask for fresh encryptions"};
  }
  if (known) bound.error = Policy<S>::fresh(ring, ciphertext.level, ciphertext.origin);
  ciphertext.untrusted = !known;
  Ciphertext<S> out;
  store(out, ring, bound, std::move(ciphertext));
  return out;
}

}  // namespace ringfort::integers
