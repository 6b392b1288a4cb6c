// SPDX-License-Identifier: Apache-2.0
// Makes key objects from coefficients. Key generation and the import of keys use these functions.
#pragma once

#include "scheme/rgsw/state.h"

namespace ringfort::rgsw {

// Makes a secret key. `coefficients` has n values in {-1, 0, 1}.
[[nodiscard]] SecretKey make_secret_key(const SharedContext& context, Secret<i8>&& coefficients);

// Throws mode_forbidden unless the parameters allow public-key encryption.
void require_public_mode(const Parameters& parameters);

}  // namespace ringfort::rgsw
