// SPDX-License-Identifier: Apache-2.0
#include "rlwe/rotation.h"

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
                      ", the keys are for " + available_steps(keys),
                  "add the rotation to KeyRequest::rotations");
    }
    path.push_back({galois, key});
  }
  return path;
}

Path swap_rows_path(const GaloisKeys::State& keys) {
  const u32 galois = swap_rows_element(keys.context->p.n);
  if (const KeySwitchingKey* key = find(keys, galois)) return {{galois, key}};
  throw Error(Code::key_missing, "the Galois keys have none for the conjugation, which exchanges rows",
              "set KeyRequest::conjugation");
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

RlweCiphertext Rotations::apply(std::span<const RotationStep> path, RlweCiphertext&& reuse) {
  if (path.empty()) return copy(a_, a_.level, work_, std::move(reuse));
  RlweCiphertext at = apply_first(path[0], std::move(reuse));
  if (path.size() == 1) return at;
  digits_.reset();
  for (const RotationStep& step : path.subspan(1)) at = Rotations(at, work_).apply(std::span(&step, 1));
  return at;
}

RlweCiphertext Rotations::apply_first(const RotationStep& step, RlweCiphertext&& reuse) {
  const KeyContext::State& c = *a_.context;
  const KeySwitcher switcher(c, work_, a_.level);
  RlweCiphertext out = make_ciphertext(a_, a_.level, 2, std::move(reuse));
  if (shared_ && !digits_) digits_.emplace(switcher.mod_up(a_.part(1, 1)));
  const Scratch<Eval> sum =
      shared_ ? switcher.inner_product(digits_->all(), *step.key) : switcher.key_switch(a_.component(1), *step.key);
  if (a_.count == 1) {
    switcher.mod_down(out.all(), sum.all(), {a_.part(0, 1), step.galois});
    return out;
  }
  const Scratch<Eval> switched = work_.allocate<Eval>(2 * a_.count, c.chain.data(a_.level), c.chain.data());
  switcher.mod_down(switched.all(), sum.all());
  const Slice<Eval> c0 = switched.all().strided(2, 0, a_.count);
  c.ring.add(work_.stream, c0, c0, a_.component(0));
  c.ring.automorphism(work_.stream, out.all(), switched.all(), step.galois);
  return out;
}

RlweCiphertext sum_slots(const RlweCiphertext& a, std::span<const Path> paths, Workspace& work) {
  RlweCiphertext total = copy(a, a.level, work);
  for (const Path& path : paths) {
    const RlweCiphertext rotated = Rotations(total, work).apply(path);
    add_to(total, rotated, work);
  }
  return total;
}

std::vector<RlweCiphertext> rotate_many(const RlweCiphertext& a, std::span<const Path> paths, Workspace& work) {
  Rotations first(a, work, paths.size() > 1);
  std::vector<RlweCiphertext> out(paths.size());
  // Rotations of several steps come last, because they free the shared digits.
  for (const bool alone : {true, false}) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if ((paths[i].size() <= 1) == alone) out[i] = first.apply(paths[i]);
    }
  }
  return out;
}

}  // namespace ringfort
