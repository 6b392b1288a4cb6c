// SPDX-License-Identifier: Apache-2.0
// Context of ckks.h, and the checks that state.h declares.
#include <cmath>

#include "scheme/ckks/state.h"

namespace ringfort::ckks {

namespace {

[[noreturn]] void refuse(const std::string& problem, const std::string& fix) { throw Error(Code::invalid_argument, problem, fix); }

KeyContext key_context(const Parameters& p, std::string_view device) {
  if (!(p.magnitude > 0 && p.magnitude <= 0x1p100)) refuse("the magnitude of the values is not in (0, 2^100]", "set Parameters::magnitude to a bound on |values|");
  if (!(p.scale >= 2 && p.scale <= 0x1p100)) refuse("the scale is not in [2, 2^100]", "set Parameters::scale near the primes that rescaling divides by");
  return KeyContext(std::make_shared<const KeyContext::State>(p.chain, SchemeNeeds{}, device));
}

// A scale that drifts grows doubly exponentially with the levels below: it is refused before it leaves these bounds.
std::vector<double> scales_of(const KeyContext::State& c, double top) {
  std::vector<double> scales(c.chain.top_level() + 1, top);
  for (u32 level = c.chain.top_level(); level > 0; --level) {
    scales[level - 1] = scales[level] * scales[level] / last_product(c, level);
    if (scales[level - 1] >= 2 && scales[level - 1] <= 0x1p100) continue;
    refuse("products of scale 2^" + std::to_string(std::log2(scales[level])) + " at level " + std::to_string(level) + " leave a scale of 2^" +
           std::to_string(std::log2(scales[level - 1])) + " after rescaling", "choose data primes near the scale");
  }
  return scales;
}

}  // namespace

Context::State::State(const Parameters& parameters, std::string_view device)
    : p(parameters), keys(key_context(p, device)), encoder(p.chain.n, p.slots == 0 ? p.chain.n / 2 : p.slots), scales(scales_of(*keys.state(), p.scale)) {
  p.slots = encoder.slots();
}

Context::Context(const Parameters& parameters, std::string_view device) : state_(std::make_shared<const State>(parameters, device)) {}
const Parameters& Context::parameters() const noexcept { return state_->p; }
std::string Context::device() const { return state_->keys.device(); }
std::uint32_t Context::slots() const noexcept { return state_->p.slots; }
std::uint32_t Context::top_level() const noexcept { return state_->keys.top_level(); }
const KeyContext& Context::keys() const noexcept { return state_->keys; }
double Context::scale(std::uint32_t level) const {
  if (level < state_->scales.size()) return state_->scales[level];
  refuse("level " + std::to_string(level) + " was asked for", "levels are 0 .. " + std::to_string(top_level()));
}

double Accuracy::precision_bits() const noexcept { return std::log2(scale) - std::log2(error) - 1; }

Accuracy admitted(const Accuracy& bound, const KeyContext::State& context, u32 level, std::string_view what) {
  const double needed = std::log2(bound.value() + bound.error) + 1, held = context.ring.basis().log2_product(context.chain.data(level)) - 0x1p-20;
  if (needed < held) return bound;
  throw Error(Code::noise_bound_exceeded, std::string(what) + " would need a modulus of " + std::to_string(needed) + " bits, level " + std::to_string(level) + " has " +
              std::to_string(held), "rescale the operands before, or use a smaller scale, smaller values or a longer first prime");
}

void require_equal_scales(const Accuracy& a, const Accuracy& b, std::string_view what) {
  if (a.scale == b.scale) return;
  throw Error(Code::parameters_mismatch, std::string(what) + " was given scales 2^" + std::to_string(std::log2(a.scale)) + " and 2^" + std::to_string(std::log2(b.scale)),
              "encode at the ciphertext's scale(), rescale both alike, or use the automatic evaluator");
}

void require_fits(const Ciphertext::State& a, const Plaintext::State& b, std::string_view what) {
  require_filled(a.block, what);
  require_filled(b.block, what);
  require_same(a.block.context, b.block.context, what);
  if (a.block.level <= b.block.level) return;
  throw Error(Code::parameters_mismatch, std::string(what) + " was given a ciphertext of level " + std::to_string(a.block.level) + " and a plaintext of level " +
              std::to_string(b.block.level), "encode at the ciphertext's level or above");
}

Accuracy sum(const Accuracy& a, const Accuracy& b) noexcept { return {a.scale, a.magnitude + b.magnitude, a.error + b.error}; }

Accuracy product(const Accuracy& a, const Accuracy& b) noexcept {
  return {a.scale * b.scale, a.magnitude * b.magnitude, a.value() * b.error + b.value() * a.error + a.error * b.error};
}

Accuracy with_error(const Accuracy& bound, double added) noexcept { return {bound.scale, bound.magnitude, bound.error + added}; }

}  // namespace ringfort::ckks
