// SPDX-License-Identifier: Apache-2.0
// Which keys make a rotation: its own, else the path that was planned for it, else signed powers of two.
#include <bit>

#include "ring/slots.h"
#include "rlwe/ciphertext.h"
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
    throw Error(Code::invalid_argument, "sum_slots was asked for " + std::to_string(count) + " slots",
                "choose a power of two, at most " + std::to_string(slots));
  }
  std::vector<Path> paths;
  for (u32 step = 1; step < count; step *= 2) paths.push_back(rotation_path(keys, step));
  return paths;
}

}  // namespace ringfort
