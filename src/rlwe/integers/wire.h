// SPDX-License-Identifier: Apache-2.0
// What objects of BFV and BGV are in files, as numbers (rlwe/wire.h). Claims: log2 of the noise bound, correction
// factor. What a fresh ciphertext's bound is, the receiver knows. Included by the schemes' instances alone.
#pragma once

#include <bit>
#include <cmath>

#include "rlwe/integers/objects.h"
#include "rlwe/wire.h"

namespace ringfort::integers {

template <class S>
[[nodiscard]] Result<typename S::Parameters> plain_parameters(const wire::ParameterFacts& facts) {
  if (facts.numbers.size() != 1)
    return wire::damaged(Code::io_range, "parameters of integers have one number, the plain modulus");
  const auto checked = wire::caught([&] {
    check_plain_modulus(facts.chain, facts.numbers[0]);
    return Done{};
  });
  if (!checked.ok()) return wire::damaged(Code::io_range, checked.failure().problem);
  return typename S::Parameters{facts.chain, facts.numbers[0]};
}

template <class S>
[[nodiscard]] wire::Claims claims_of(const Ciphertext<S>& ciphertext) {
  const Claim& claim = ciphertext.state().claim;
  return {std::bit_cast<u64>(claim.error.log2), claim.factor, 0};
}

template <class S>
[[nodiscard]] bool is_known(const IntegerRing& ring, const Block& block, const Claim& claim) {
  constexpr double kSlack = 0x1p-30;  // another machine's logarithms
  return block.origin != Origin::evaluated && block.level == ring.base().chain.top_level() && claim.factor == 1 &&
         claim.error.log2 <= Policy<S>::fresh(ring, block.level, block.origin == Origin::fresh_secret).log2 + kSlack;
}

template <class S>
[[nodiscard]] Result<Ciphertext<S>> ciphertext_of(const Context<S>& context, Block&& block, const wire::Claims& claims,
                                                  bool trust_bound) {
  const IntegerRing& ring = context.state()->ring;
  Claim claim{Bound::power_of_two(std::bit_cast<double>(claims[0])), claims[1]};
  const bool nothing = claim.error == Bound{};  // a product with the integer 0
  if (!(nothing || std::isfinite(claim.error.log2)) || claim.factor < 1 || claim.factor >= ring.t || claims[2] != 0 ||
      !Policy<S>::accepts_factor(claim.factor)) {
    return wire::damaged(Code::io_range, "ciphertext: noise bound or correction factor outside their ranges");
  }
  if (!(claim.error < Policy<S>::limit(ring, block.level)))
    return wire::damaged(Code::io_range, "ciphertext: its noise bound leaves no room for decryption");
  const bool known = is_known<S>(ring, block, claim);
  if (!trust_bound && !known) {
    return Failure{
        Code::mode_forbidden, "this ciphertext was computed: its noise bound is only its writer's word",
        "load it with trust in the writer's bound (it stays marked as claimed), or ask for fresh encryptions"};
  }
  if (known) claim.error = Policy<S>::fresh(ring, block.level, block.origin == Origin::fresh_secret);
  block.claimed = !known;
  Ciphertext<S> out;
  store(out, ring, claim, std::move(block));
  return out;
}

}  // namespace ringfort::integers
