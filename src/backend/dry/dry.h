// SPDX-License-Identifier: Apache-2.0
// Device `dry`: accepts every verb and computes nothing. On it a program has all facts that do not depend on residues:
// levels, scales, noise bounds, keys, costs and bytes, and every refusal. It allocates no memory for residues, so that
// a program with gigabytes of ciphertexts takes milliseconds. A download fails, so nothing is ever decrypted on it.
#pragma once

#include <memory>

#include "backend/backend.h"

namespace ringfort::dry {

[[nodiscard]] std::shared_ptr<Backend> make();  // throws std::bad_alloc

}  // namespace ringfort::dry
