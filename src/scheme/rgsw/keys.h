// SPDX-License-Identifier: Apache-2.0
// Keys from their coefficients: for generation and for import.
#pragma once

#include "scheme/rgsw/state.h"

namespace ringfort::rgsw {

// coefficients: n values in {-1, 0, 1}.
[[nodiscard]] SecretKey make_secret_key(const SharedContext& context, Secret<i8>&& coefficients);

// Throws mode_forbidden.
void require_public_mode(const Parameters& parameters);

}  // namespace ringfort::rgsw
