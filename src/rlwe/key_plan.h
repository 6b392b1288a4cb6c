// SPDX-License-Identifier: Apache-2.0
// Arithmetic on rotation steps and sizes of keys, for planning (plan_keys) and for composing rotations.
#pragma once

#include "rlwe/keys.h"

namespace ringfort {

// step modulo circle, in (-circle/2, circle/2].
[[nodiscard]] std::int32_t normal_step(i64 step, std::int32_t circle) noexcept;
// Signed powers of two that sum to `step` modulo circle, fewest of them: its non-adjacent form, powers normal.
[[nodiscard]] std::vector<std::int32_t> signed_powers(std::int32_t step, std::int32_t circle);
// A key-switching key in memory.
[[nodiscard]] std::size_t key_bytes(const KeyContext::State& context);

}  // namespace ringfort
