// SPDX-License-Identifier: Apache-2.0
// Chooses rotation keys. If max_bytes allows it, every requested rotation has its own key. If not, the plan has keys
// for rotations by signed powers of two, of which every requested rotation can be composed. As long as more keys fit,
// the plan adds keys for requested rotations, beginning with the rotations that need the most powers. Steps are reduced
// modulo n/2 to (-n/4, n/4].
#include "rlwe/key_plan.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

namespace ringfort {

namespace {

using Steps = std::vector<std::int32_t>;

Steps distinct(const Steps& rotations, std::int32_t circle) {
  std::set<std::int32_t> steps;
  for (const std::int32_t step : rotations) {
    if (std::abs(i64{step}) >= circle) {
      throw Error(
          Code::invalid_argument, "a rotation by " + std::to_string(step) + " was requested",
          "give steps in (-" + std::to_string(circle) + ", " + std::to_string(circle) + "), the slots of a row");
    }
    if (step != 0) steps.insert(normal_step(step, circle));
  }
  return {steps.begin(), steps.end()};
}

std::set<std::int32_t> all_powers(const Steps& wanted, std::int32_t circle) {
  std::set<std::int32_t> powers;
  for (const std::int32_t step : wanted) {
    for (const std::int32_t power : signed_powers(step, circle)) powers.insert(power);
  }
  return powers;
}

// Returns the steps that get keys: at most `keys` steps. Returns nothing if the powers alone need more.
Steps steps_within(const Steps& wanted, std::size_t keys, std::int32_t circle) {
  std::set<std::int32_t> chosen = all_powers(wanted, circle);
  if (chosen.size() > keys) return {};
  Steps longest = wanted;
  std::stable_sort(longest.begin(), longest.end(), [circle](std::int32_t a, std::int32_t b) {
    return signed_powers(a, circle).size() > signed_powers(b, circle).size();
  });
  for (const std::int32_t step : longest) {
    if (chosen.size() < keys) chosen.insert(step);
  }
  return {chosen.begin(), chosen.end()};
}

}  // namespace

std::int32_t normal_step(i64 step, std::int32_t circle) noexcept {
  const i64 positive = (step % circle + circle) % circle;
  return static_cast<std::int32_t>(positive > circle / 2 ? positive - circle : positive);
}

std::vector<std::int32_t> signed_powers(std::int32_t step, std::int32_t circle) {
  Steps powers;
  i64 rest = step;
  for (i64 power = 1; rest != 0; power *= 2, rest /= 2) {
    if (rest % 2 == 0) continue;
    // The digit is 1 or -1, chosen such that rest - digit is a multiple of 4.
    const i64 digit = 2 - ((rest % 4 + 4) % 4);
    powers.push_back(normal_step(digit * power, circle));
    rest -= digit;
  }
  return powers;
}

std::size_t key_bytes(const KeyContext::State& context) {
  const Chain& chain = context.chain;
  const std::size_t polynomials = std::size_t{2} * chain.digits(chain.top_level());
  return polynomials * chain.extended(chain.top_level()).count * context.p.n * word_bytes(context.ring.word());
}

KeyPlan plan_keys(const KeyContext& context, const KeyRequest& request) {
  const KeyContext::State& c = *context.state();
  require_special_primes(c, "planning evaluation keys");
  const std::int32_t circle = static_cast<std::int32_t>(c.p.n / 2);
  const Steps wanted = distinct(request.rotations, circle);
  KeyPlan plan;
  plan.conjugation = request.conjugation;
  plan.bytes_per_key = plan.relinearization_bytes = key_bytes(c);
  const std::size_t fixed = request.conjugation ? 1 : 0, allowed = request.max_bytes / plan.bytes_per_key;
  const bool unlimited = request.max_bytes == 0 || allowed >= wanted.size() + fixed;
  plan.steps = unlimited ? wanted : steps_within(wanted, allowed - std::min(allowed, fixed), circle);
  if (!unlimited && (plan.steps.empty() || allowed < fixed)) {
    const std::size_t least = std::min(all_powers(wanted, circle).size(), wanted.size()) + fixed;
    throw Error(Code::invalid_argument,
                "the rotation keys do not fit into " + std::to_string(request.max_bytes) + " bytes",
                "allow at least " + std::to_string(least * plan.bytes_per_key) + " bytes, or request fewer rotations");
  }
  const std::set<std::int32_t> available(plan.steps.begin(), plan.steps.end());
  for (const std::int32_t step : wanted)
    plan.paths.push_back({step, available.contains(step) ? Steps{step} : signed_powers(step, circle)});
  plan.galois_bytes = (plan.steps.size() + fixed) * plan.bytes_per_key;
  return plan;
}

KeyPlan joined_plan(const KeyPlan& a, const KeyPlan& b) {
  KeyPlan plan = a;
  std::set<std::int32_t> steps(a.steps.begin(), a.steps.end());
  steps.insert(b.steps.begin(), b.steps.end());
  plan.steps.assign(steps.begin(), steps.end());
  plan.conjugation = a.conjugation || b.conjugation;
  std::map<std::int32_t, Steps> paths;
  for (const KeyPlan* each : {&a, &b}) {
    for (const RotationPath& path : each->paths) {
      const auto known = paths.try_emplace(path.step, path.keys).first;
      if (path.keys.size() < known->second.size()) known->second = path.keys;
    }
  }
  plan.paths.clear();
  for (const auto& [step, keys] : paths) plan.paths.push_back({step, keys});
  std::set<std::uint32_t> elements(a.elements.begin(), a.elements.end());
  elements.insert(b.elements.begin(), b.elements.end());
  plan.elements.assign(elements.begin(), elements.end());
  plan.galois_bytes = (plan.steps.size() + (plan.conjugation ? 1 : 0) + elements.size()) * plan.bytes_per_key;
  return plan;
}

}  // namespace ringfort
