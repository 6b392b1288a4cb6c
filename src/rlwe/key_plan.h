// SPDX-License-Identifier: Apache-2.0
// Functions on rotation steps and on the sizes of keys. plan_keys and the composition of rotations use them.
#pragma once

#include "rlwe/keys.h"

namespace ringfort {

// Returns step modulo circle, in (-circle/2, circle/2]. `circle` is the number of slots that rotate: n/2.
[[nodiscard]] std::int32_t normal_step(i64 step, std::int32_t circle) noexcept;
// Returns the fewest signed powers of two whose sum is `step` (the non-adjacent form), for a step in (-circle/2,
// circle/2]. Each power is reduced to the same range.
[[nodiscard]] std::vector<std::int32_t> signed_powers(std::int32_t step, std::int32_t circle);
// Returns the bytes of a key-switching key.
[[nodiscard]] std::size_t key_bytes(const KeyContext::State& context);

// Returns the plan of the union of two sets of keys. If both plans have a path for a rotation, the result has the
// shorter path.
[[nodiscard]] KeyPlan joined_plan(const KeyPlan& a, const KeyPlan& b);

}  // namespace ringfort
