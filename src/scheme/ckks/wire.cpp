// SPDX-License-Identifier: Apache-2.0
// Converts CKKS objects to and from the numbers that files contain, and checks the bounds of a file (wire.h).
#include "scheme/ckks/wire.h"

#include <bit>
#include <cmath>

#include "scheme/ckks/state.h"

namespace ringfort::ckks {

namespace {

// Allowed relative difference. Logarithms differ in their last bits between machines, and therefore bounds do too.
constexpr double kSlack = 0x1p-30;
constexpr double kLargest = 0x1p100;  // Context's limit of scale and magnitude

double real(u64 bits) { return std::bit_cast<double>(bits); }
u64 bits(double value) { return std::bit_cast<u64>(value); }

bool within(double value, double least, double most) { return value >= least && value <= most; }  // false for NaN

// Tells whether Context would accept the scales of all levels, apart from rounding. This check comes before the ring is
// built, because building a ring is expensive.
bool scales_stay(const ChainParameters& chain, double scale) {
  constexpr double kSlackBits = 0x1p-10;
  double bits = std::log2(scale);
  const std::size_t group = chain.limbs_per_level;
  for (std::size_t end = chain.data.size(); end > group; end -= group) {
    double lost = 0;
    for (std::size_t i = end - group; i < end; ++i) lost += std::log2(static_cast<double>(chain.data[i]));
    bits = 2 * bits - lost;
    if (!within(bits, 1 - kSlackBits, 101 + kSlackBits)) return false;
  }
  return true;
}

// Returns the bound of a fresh ciphertext whose values are within Parameters::magnitude. If the declared magnitude is
// exactly rounded_up(Parameters::magnitude, true), the values are complex.
Accuracy known_bound(const Context& context, const RlweCiphertext& ciphertext, double scale, double declared) {
  const KeyNoise& noise = ciphertext.context->noise;
  const bool complex = declared == rounded_up(context.parameters().magnitude, true);
  const bool computed = ciphertext.origin == Origin::evaluated;  // then only the magnitude of the result counts
  const Bound fresh = noise.fresh(computed ? noise.of_public_keys() : ciphertext.origin);
  return with_error(
      encoded_bound(*context.state(), ciphertext.level, scale, rounded_up(context.parameters().magnitude, complex)),
      fresh.value());
}

// A ciphertext of an unguarded context has no bound, so there is nothing to trust.
Result<Ciphertext> unguarded_ciphertext(RlweCiphertext&& ciphertext, const wire::BoundNumbers& numbers) {
  const double scale = real(numbers[0]);
  if (!(scale > 0 && std::isfinite(scale)) || numbers[1] != 0 || numbers[2] != 0)
    return wire::damaged(Code::io_range, "ciphertext: its scale or its bound is outside its range");
  ciphertext.untrusted = true;
  Ciphertext out;
  store(out, Accuracy::unknown({scale, 0}), std::move(ciphertext));
  return out;
}

}  // namespace

wire::ParameterFacts facts(const Parameters& p) {
  return {"ckks", p.chain, {bits(p.scale), p.slots, bits(p.magnitude), p.release.bits, p.release.queries}};
}

Result<Parameters> import_parameters(const wire::ParameterFacts& facts) {
  if (facts.numbers.size() != 5) return wire::damaged(Code::io_range, "the parameters of CKKS must have five numbers");
  const auto& v = facts.numbers;
  const u32 half = facts.chain.n / 2;
  const bool slots = v[1] == 0 || (std::has_single_bit(v[1]) && v[1] <= half);
  if (!within(real(v[0]), 2, kLargest) || !slots || !(real(v[2]) > 0 && real(v[2]) <= kLargest) || v[3] > 256) {
    return wire::damaged(Code::io_range,
                         "parameters of CKKS: the scale, slots, magnitude or release is outside its range");
  }
  if (!scales_stay(facts.chain, real(v[0])))
    return wire::damaged(Code::io_range, "parameters of CKKS: the scale leaves its range on the way down the levels");
  return Parameters{.chain = facts.chain,
                    .scale = real(v[0]),
                    .slots = static_cast<u32>(v[1]),
                    .magnitude = real(v[2]),
                    .release = {.bits = static_cast<u32>(v[3]), .queries = v[4]}};
}

const RlweCiphertext& rlwe(const Ciphertext& ciphertext) noexcept { return ciphertext.state().rlwe; }
const RlweCiphertext& rlwe(const Plaintext& plaintext) noexcept { return plaintext.state().rlwe; }

// Returns the numbers of a bound for a file. A file has only the high double of a scale. If the scale is the scale of
// the level, the reader computes the low double. For any other scale, the low double is lost. The error in the file
// then includes the largest change that this loss can cause.
wire::BoundNumbers bound_numbers(const Context& context, const Ciphertext& ciphertext) {
  const Ciphertext::State& c = ciphertext.state();
  const Accuracy& bound = c.bound;
  if (c.rlwe.context->unguarded()) return {bits(bound.scale.high), 0, 0};
  const double lost =
      distance(bound.scale, level_scale(*context.state(), c.rlwe.level, bound.scale.high)) * bound.magnitude;
  return {bits(bound.scale.high), bits(bound.magnitude), bits(bound.error + lost)};
}

Result<Ciphertext> import_ciphertext(const Context& context, RlweCiphertext&& ciphertext,
                                     const wire::BoundNumbers& numbers, bool trust_bound) {
  const double scale = real(numbers[0]);
  if (ciphertext.context->unguarded()) return unguarded_ciphertext(std::move(ciphertext), numbers);
  Accuracy bound{level_scale(*context.state(), ciphertext.level, scale), real(numbers[1]), real(numbers[2])};
  // A scale may be below 1 (declare_scale), or above the modulus if all values are zero. admitted() checks the rest.
  if (!(scale > 0 && std::isfinite(scale)) || !(bound.magnitude >= 0) || !(bound.error >= 0))
    return wire::damaged(Code::io_range, "ciphertext: its scale, magnitude or error is outside its range");
  const Accuracy known = known_bound(context, ciphertext, scale, bound.magnitude);
  // the bound of a value that was encoded at the high double of the level's scale, and not at the exact scale
  const Accuracy older = with_error(known, distance(bound.scale, {scale, 0}) * known.magnitude);
  const bool fresh = ciphertext.origin != Origin::evaluated && bound.magnitude <= known.magnitude &&
                     bound.error <= older.error * (1 + kSlack);
  if (!trust_bound && !fresh) {
    return Failure{Code::mode_forbidden,
                   "this ciphertext was computed, or encrypted from inexact values: only its writer knows its error",
                   "accept the writer's bound when you load it (the ciphertext keeps the mark \"untrusted\"), or ask "
                   "for fresh encryptions"};
  }
  if (!trust_bound) bound = bound.error > known.error * (1 + kSlack) ? older : known;
  ciphertext.untrusted = !(fresh && bound.magnitude == known.magnitude && bound.error >= known.error * (1 - kSlack));
  const auto admissible =
      wire::caught([&] { return admitted(bound, *ciphertext.context, ciphertext.level, "loading a ciphertext"); });
  if (!admissible.ok()) return wire::damaged(Code::io_range, admissible.failure().problem);
  Ciphertext out;
  store(out, bound, std::move(ciphertext));
  return out;
}

Plaintext unguarded_plaintext(RlweCiphertext&& component, double scale) {
  Plaintext out;
  out.state() = {.rlwe = std::move(component), .bound = Accuracy::unknown({scale, 0})};
  return out;
}

}  // namespace ringfort::ckks
