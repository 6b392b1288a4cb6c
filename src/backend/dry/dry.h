// SPDX-License-Identifier: Apache-2.0
// Device `dry` accepts every verb except Download, and computes nothing. A program that runs on it gets all facts that
// do not depend on residues: levels, scales (of CKKS), noise bounds, keys, costs, bytes and errors. The device
// allocates no memory for residues. Therefore a program with gigabytes of ciphertexts takes milliseconds. A Download
// fails, so that nothing is decrypted.
#pragma once

#include <memory>

#include "backend/backend.h"

namespace ringfort::dry {

[[nodiscard]] std::shared_ptr<Backend> make();  // throws std::bad_alloc

}  // namespace ringfort::dry
