// SPDX-License-Identifier: Apache-2.0
// Rotations of leveled ciphertexts: automorphisms, each with a key switch. A rotation without its own key takes several
// steps, its path. The path comes from the key plan; if the plan has none, the steps are signed powers of two.
#pragma once

#include <optional>
#include <span>

#include "rlwe/key_switch.h"

namespace ringfort {

// An automorphism with its key.
struct RotationStep {
  u32 galois = 0;
  const KeySwitchingKey* key = nullptr;
};
using Path = std::vector<RotationStep>;

// Returns the path of a rotation. Errors: key_missing.
[[nodiscard]] Path rotation_path(const GaloisKeys::State& keys, i64 step);
[[nodiscard]] Path swap_rows_path(const GaloisKeys::State& keys);
// Returns the paths of 1, 2, 4 .. count / 2, for sum_slots. `count`: a power of two, at most `slots`
// (invalid_argument).
[[nodiscard]] std::vector<Path> sum_paths(const GaloisKeys::State& keys, u32 count, u32 slots);

// Applies the steps one after another.
[[nodiscard]] RlweCiphertext rotate(const RlweCiphertext& a, std::span<const RotationStep> path, Workspace& work,
                                    RlweCiphertext&& reuse = {});
// Starts with the sum `a`. For each path, adds the rotated sum to the sum.
[[nodiscard]] RlweCiphertext sum_slots(const RlweCiphertext& a, std::span<const Path> paths, Workspace& work);
// Returns one result for each path. The first steps of all paths share the digits of `a`, one ciphertext.
[[nodiscard]] std::vector<RlweCiphertext> rotate_many(const RlweCiphertext& a, std::span<const Path> paths,
                                                      Workspace& work);

}  // namespace ringfort
