// SPDX-License-Identifier: Apache-2.0
// Rotates ciphertexts: each step of a path is a key switch and then an automorphism (rotation.h).
#include "rlwe/rotation.h"

#include <algorithm>
#include <bit>

#include "ring/slots.h"
#include "rlwe/arithmetic.h"
#include "rlwe/key_plan.h"

namespace ringfort {

namespace {

const KeySwitchingKey* find(const GaloisKeys::State& keys, u32 galois) {
  const auto at = keys.keys.find(galois);
  return at == keys.keys.end() ? nullptr : &at->second;
}

std::string available_steps(const GaloisKeys::State& keys) {
  std::string text;
  for (const std::int32_t step : keys.plan.steps) text += (text.empty() ? "" : ", ") + std::to_string(step);
  return "{" + text + "}";
}

std::vector<std::int32_t> steps_of(const GaloisKeys::State& keys, std::int32_t step) {
  if (find(keys, rotation_element(keys.context->p.n, step)) != nullptr) return {step};
  for (const RotationPath& path : keys.plan.paths) {
    if (path.step == step) return path.keys;
  }
  return signed_powers(step, static_cast<std::int32_t>(keys.context->p.n / 2));
}

}  // namespace

Path rotation_path(const GaloisKeys::State& keys, i64 step) {
  const u32 n = keys.context->p.n;
  const std::int32_t normal = normal_step(step, static_cast<std::int32_t>(n / 2));
  Path path;
  if (normal == 0) return path;
  for (const std::int32_t single : steps_of(keys, normal)) {
    const u32 galois = rotation_element(n, single);
    const KeySwitchingKey* key = find(keys, galois);
    if (key == nullptr) {
      throw Error(Code::key_missing,
                  "a rotation by " + std::to_string(step) + " needs a key for step " + std::to_string(single) +
                      ", but the keys are for " + available_steps(keys),
                  "add the rotation to KeyRequest::rotations");
    }
    path.push_back({galois, key});
  }
  return path;
}

Path swap_rows_path(const GaloisKeys::State& keys) {
  const u32 galois = swap_rows_element(keys.context->p.n);
  if (const KeySwitchingKey* key = find(keys, galois)) return {{galois, key}};
  throw Error(Code::key_missing, "the Galois keys contain no key for the conjugation, which exchanges rows",
              "set KeyRequest::conjugation");
}

const KeySwitchingKey& element_key(const GaloisKeys::State& keys, u32 element) {
  if (const KeySwitchingKey* key = find(keys, element)) return *key;
  throw Error(Code::key_missing, "the Galois keys contain no key for the element " + std::to_string(element),
              "create it, or join the set that has it");
}

Path element_path(const GaloisKeys::State& keys, u32 element) {
  if (element == 1) return {};
  return {{element, &element_key(keys, element)}};
}

std::vector<Path> sum_paths(const GaloisKeys::State& keys, u32 count, u32 slots) {
  if (!std::has_single_bit(count) || count > slots) {
    throw Error(Code::invalid_argument, "sum_slots was given " + std::to_string(count) + " slots",
                "choose a power of two, at most " + std::to_string(slots));
  }
  std::vector<Path> paths;
  for (u32 step = 1; step < count; step *= 2) paths.push_back(rotation_path(keys, step));
  return paths;
}

namespace {

RlweCiphertext rotate_once(const RlweCiphertext& a, const RotationStep& step, Workspace& work, RlweCiphertext&& reuse) {
  const KeyContext::State& c = *a.context;
  const KeySwitcher switcher(c, work, a.level);
  RlweCiphertext out = make_ciphertext(a, a.level, 2, std::move(reuse));
  const Scratch<Eval> sum = switcher.key_switch(a.component(1), *step.key);
  if (a.count == 1) {
    switcher.mod_down(out.all(), sum.all(), {a.slice(0, 1), step.galois});
    return out;
  }
  const Scratch<Eval> switched = work.allocate<Eval>(2 * a.count, c.chain.data(a.level), c.chain.data());
  switcher.mod_down(switched.all(), sum.all());
  const Slice<Eval> c0 = switched.all().strided(2, 0, a.count);
  c.ring.add(work.stream, c0, c0, a.component(0));
  c.ring.automorphism(work.stream, out.all(), switched.all(), step.galois);
  return out;
}

// Applies each step to `a`, and returns one result for each step.
std::vector<RlweCiphertext> rotate_once(const RlweCiphertext& a, std::span<const RotationStep> steps, Workspace& work) {
  const KeySwitcher switcher(*a.context, work, a.level);
  const Scratch<Eval> digits = switcher.mod_up(a.slice(1, 1));
  std::vector<RlweCiphertext> out;
  while (!steps.empty()) {
    const std::size_t count = std::min(steps.size(), switcher.sums_at_once());
    std::vector<const KeySwitchingKey*> keys;
    for (const RotationStep& step : steps.first(count)) keys.push_back(step.key);
    const std::vector<Scratch<Eval>> sums = switcher.inner_products(digits.all(), keys);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      out.push_back(make_ciphertext(a, a.level, 2));
      switcher.mod_down(out.back().all(), sums[i].all(), {a.slice(0, 1), steps[i].galois});
    }
    steps = steps.subspan(count);
  }
  return out;
}

}  // namespace

RlweCiphertext rotate(const RlweCiphertext& a, std::span<const RotationStep> path, Workspace& work,
                      RlweCiphertext&& reuse) {
  if (path.empty()) return copy(a, a.level, work, std::move(reuse));
  RlweCiphertext at = rotate_once(a, path[0], work, std::move(reuse));
  for (const RotationStep& step : path.subspan(1)) at = rotate_once(at, step, work, {});
  return at;
}

RlweCiphertext sum_slots(const RlweCiphertext& a, std::span<const Path> paths, Workspace& work) {
  RlweCiphertext total = copy(a, a.level, work);
  for (const Path& path : paths) {
    const RlweCiphertext rotated = rotate(total, path, work);
    add_to(total, rotated, work);
  }
  return total;
}

std::vector<RlweCiphertext> rotate_many(const RlweCiphertext& a, std::span<const Path> paths, Workspace& work) {
  std::vector<RotationStep> first;
  for (const Path& path : paths)
    if (!path.empty()) first.push_back(path[0]);
  std::vector<RlweCiphertext> begun, out;
  if (first.size() > 1) begun = rotate_once(a, first, work);
  auto next = begun.begin();
  for (const Path& path : paths) {
    if (path.empty() || begun.empty()) out.push_back(rotate(a, path, work));
    else out.push_back(path.size() == 1 ? std::move(*next) : rotate(*next, std::span(path).subspan(1), work));
    if (!path.empty() && !begun.empty()) ++next;
  }
  return out;
}

}  // namespace ringfort
