// SPDX-License-Identifier: Apache-2.0
// A transform of one polynomial in portable code, for degrees that no device has (1, and above 2^17). The butterflies
// are those of math [Harvey14].
#pragma once

#include <span>

#include "math/types.h"

namespace ringfort::hexl {

// Powers of the root in bit-reversed order with their companions floor(power 2^64 / q) (GetRootOfUnityPowers in
// hexl/ntt/ntt.hpp), and the powers of the inverse root in the order of GetInvRootOfUnityPowers.
struct PowerTables {
  std::span<const u64> powers, companions, inverse_powers, inverse_companions;
  u64 q = 0;
};

// Words are below 4q before a forward transform, and below 2q before an inverse one. Results are below q.
void forward_portable(std::span<u64> words, const PowerTables& tables);
void inverse_portable(std::span<u64> words, const PowerTables& tables);

}  // namespace ringfort::hexl
