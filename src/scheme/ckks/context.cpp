// SPDX-License-Identifier: Apache-2.0
// Context (ringfort/ckks.h), and those checks and bounds of state.h that all verbs use.
#include <bit>
#include <cmath>
#include <limits>

#include "base/shown.h"
#include "rlwe/operands.h"
#include "scheme/ckks/state.h"

namespace ringfort::ckks {

namespace {

[[noreturn]] void refuse(const std::string& problem, const std::string& fix) {
  throw Error(Code::invalid_argument, problem, fix);
}

KeyContext key_context(const Parameters& p, std::string_view device) {
  if (!(p.magnitude > 0 && p.magnitude <= 0x1p100))
    refuse("the magnitude of the values is " + ringfort::shown(p.magnitude) + ", not in (0, 2^100]",
           "set Parameters::magnitude to a bound on |values|");
  if (!(p.scale >= 2 && p.scale <= 0x1p100))
    refuse("the scale is " + ringfort::shown(p.scale) + ", not in [2, 2^100]",
           "set Parameters::scale near the primes that rescaling divides by");
  if (!p.chain.unguarded_reason.empty() && p.release.bits != 0)
    refuse("an unguarded context was to plan decryptions for others, but it knows no error that their noise could hide",
           "leave Parameters::release or ChainParameters::unguarded_reason out");
  SchemeNeeds needs;
  needs.meaning = {std::bit_cast<u64>(p.scale), p.slots == 0 ? p.chain.n / 2 : p.slots, std::bit_cast<u64>(p.magnitude),
                   p.release.bits, p.release.queries};
  return KeyContext(std::make_shared<const KeyContext::State>(p.chain, needs, device));
}

// Returns the scale of each level. If the top scale differs from the sizes of the primes, the difference in bits
// doubles at each level towards level 0. Throws if the scale of a lower level is outside [2, 2^101]. In an unguarded
// context, the program chooses all scales; such a level then has the top scale.
std::vector<Scale> scales_of(const KeyContext::State& c, double top) {
  std::vector<Scale> scales(c.chain.top_level() + 1, Scale{top, 0});
  for (u32 level = c.chain.top_level(); level > 0; --level) {
    scales[level - 1] = scales[level] * scales[level] / last_product(c, level);
    if (scales[level - 1].high >= 2 && scales[level - 1].high <= 0x1p101) continue;
    if (c.unguarded()) {
      scales[level - 1] = {top, 0};
      continue;
    }
    refuse("products of scale 2^" + std::to_string(std::log2(scales[level].high)) + " at level " +
               std::to_string(level) + " leave a scale of 2^" + std::to_string(std::log2(scales[level - 1].high)) +
               " after rescaling",
           "choose data primes near the scale");
  }
  return scales;
}

}  // namespace

Context::State::State(const Parameters& parameters, std::string_view device)
    : p(parameters),
      keys(key_context(p, device)),
      encoder(p.chain.n, p.slots == 0 ? p.chain.n / 2 : p.slots),
      scales(scales_of(*keys.state(), p.scale)),
      planned_errors(ckks::planned_errors(p)) {
  p.slots = encoder.slots();
}

Context::Context(const Parameters& parameters, std::string_view device)
    : state_(std::make_shared<const State>(parameters, device)) {}
const Parameters& Context::parameters() const noexcept { return state_->p; }
std::string Context::device() const { return state_->keys.device(); }
std::uint32_t Context::slots() const noexcept { return state_->p.slots; }
std::uint32_t Context::top_level() const noexcept { return state_->keys.top_level(); }
const KeyContext& Context::keys() const noexcept { return state_->keys; }
double Context::scale(std::uint32_t level) const {
  if (level < state_->scales.size()) return state_->scales[level].high;
  refuse("level " + std::to_string(level) + " was requested", "give 0 .. " + std::to_string(top_level()));
}

Accuracy Accuracy::unknown(const Scale& scale) noexcept {
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  return {scale, kUnknown, kUnknown};
}

double Accuracy::precision_bits() const noexcept { return std::log2(scale.high) - std::log2(error) - 1; }

void require_certain(const Accuracy& bound, std::string_view what) {
  if (bound.error <= bound.value()) return;
  throw Error(Code::noise_bound_exceeded,
              std::string(what) + " would give a value with an error that may be as large as itself (" +
                  std::to_string(bound.precision_bits()) + " bits after the point, magnitude " +
                  ringfort::shown(bound.magnitude) + ")",
              "use a larger scale, numbers of more equal size, or fewer operations");
}

Accuracy admitted(const Accuracy& bound, const KeyContext::State& context, u32 level, std::string_view what) {
  if (context.unguarded()) return Accuracy::unknown(bound.scale);
  const double needed = bound.log2_phase() + 1,
               available = context.ring.basis().log2_product(context.chain.data(level)) - 0x1p-20;
  if (needed < available) {
    if (bound.precision_bits() < 1) require_certain(bound, what);
    return bound;
  }
  throw Error(Code::noise_bound_exceeded,
              std::string(what) + " would need a modulus of " +
                  (std::isfinite(needed) ? std::to_string(needed) : "more than 1023") + " bits, but level " +
                  std::to_string(level) + " has " + std::to_string(available),
              "rescale the operands before, or use a smaller scale, smaller values or a longer first prime");
}

void require_equal_scales(const Accuracy& a, const Accuracy& b, std::string_view what) {
  if (a.scale.high == b.scale.high) return;
  throw Error(Code::parameters_mismatch,
              std::string(what) + " was given scales 2^" + std::to_string(std::log2(a.scale.high)) + " and 2^" +
                  std::to_string(std::log2(b.scale.high)),
              "encode at the ciphertext's scale(), rescale both alike, or use the automatic evaluator");
}

void require_fits(const Ciphertext::State& a, const Plaintext::State& b, std::string_view what) {
  require_filled(a.rlwe, what);
  require_filled(b.rlwe, what);
  require_same(a.rlwe.context, b.rlwe.context, what);
  if (a.rlwe.level <= b.rlwe.level) return;
  throw Error(Code::parameters_mismatch,
              std::string(what) + " was given a ciphertext of level " + std::to_string(a.rlwe.level) +
                  " and a plaintext of level " + std::to_string(b.rlwe.level),
              "encode at the ciphertext's level or above");
}

Scale last_product(const KeyContext::State& context, u32 level) noexcept {
  const Limbs group = context.chain.last_group(level);
  Scale product;
  for (u32 limb = group.first; limb < group.end(); ++limb)
    product = product * exact_scale(context.ring.basis()[limb].value());
  return product;
}

Scale level_scale(const Context::State& context, u32 level, double scale) {
  return level < context.scales.size() && scale == context.scales[level].high ? context.scales[level] : Scale{scale, 0};
}

Accuracy encoded_bound(const Context::State& context, u32 level, double scale, double magnitude) {
  const Scale meant = level_scale(context, level, scale);
  const u32 slots = context.p.slots;
  const double off = completes_scale(slots, meant) ? kScaleRounding * scale * magnitude + encode_error(slots, 0, scale)
                                                   : distance(meant, {scale, 0}) * magnitude;
  return {meant, magnitude, encode_error(slots, magnitude, scale) + off};
}

bool completes_scale(u32 slots, const Scale& meant) noexcept {
  return meant.low != 0 && precision_for(slots, meant.high) == Precision::integers;
}

Accuracy sum(const Accuracy& a, const Accuracy& b) noexcept {
  return {a.scale, a.magnitude + b.magnitude, a.error + b.error + distance(a.scale, b.scale) * b.magnitude};
}

Accuracy product(const Accuracy& a, const Accuracy& b) noexcept {
  const double noise = a.value() * b.error + b.value() * a.error + a.error * b.error;
  return {a.scale * b.scale, a.magnitude * b.magnitude, noise + kScaleRounding * a.value() * b.value()};
}

Accuracy upscaled(const Accuracy& bound, const Scale& factor) noexcept {
  const Scale scale = bound.scale * factor;
  return {scale, bound.magnitude, bound.error * factor.high + kScaleRounding * scale.high * bound.magnitude};
}

Accuracy divided(const Accuracy& bound, const Scale& divisor) noexcept {
  const Scale scale = bound.scale / divisor;
  return {scale, bound.magnitude, bound.error / divisor.high + kScaleRounding * scale.high * bound.magnitude};
}

Accuracy with_error(const Accuracy& bound, double added) noexcept {
  return {bound.scale, bound.magnitude, bound.error + added};
}

}  // namespace ringfort::ckks
