// SPDX-License-Identifier: Apache-2.0
// Rotations of leveled ciphertexts. A rotation is a key switch (key_switch.h) followed by an automorphism x -> x^g,
// which moves the slots. If a rotation has no key of its own, it is composed of several steps: its path. The key plan
// gives the path. If the plan has no path, the steps are signed powers of two.
#pragma once

#include <optional>
#include <span>

#include "rlwe/key_switch.h"

namespace ringfort {

// The automorphism x -> x^galois with its key.
struct RotationStep {
  u32 galois = 0;
  const KeySwitchingKey* key = nullptr;
};
using Path = std::vector<RotationStep>;

// Returns the path of a rotation. Errors: key_missing.
[[nodiscard]] Path rotation_path(const GaloisKeys::State& keys, i64 step);
[[nodiscard]] Path swap_rows_path(const GaloisKeys::State& keys);
// Returns the key of a Galois element. Errors: key_missing.
[[nodiscard]] const KeySwitchingKey& element_key(const GaloisKeys::State& keys, u32 element);
// Returns the path of the automorphism x -> x^element, with its own key. Errors: key_missing.
[[nodiscard]] Path element_path(const GaloisKeys::State& keys, u32 element);
// Returns the paths of the rotations by 1, 2, 4 .. count / 2, for sum_slots. `count` must be a power of two, at most
// `slots`. Errors: invalid_argument, key_missing.
[[nodiscard]] std::vector<Path> sum_paths(const GaloisKeys::State& keys, u32 count, u32 slots);

// Applies the steps one after another.
[[nodiscard]] RlweCiphertext rotate(const RlweCiphertext& a, std::span<const RotationStep> path, Workspace& work,
                                    RlweCiphertext&& reuse = {});
// Returns the sum of slots. The sum starts as `a`. For each path in turn, a rotated copy of the sum is added to the
// sum.
[[nodiscard]] RlweCiphertext sum_slots(const RlweCiphertext& a, std::span<const Path> paths, Workspace& work);
// Returns one result for each path. `a` must be one ciphertext. The first steps of all paths share the digits of `a`.
[[nodiscard]] std::vector<RlweCiphertext> rotate_many(const RlweCiphertext& a, std::span<const Path> paths,
                                                      Workspace& work);

}  // namespace ringfort
