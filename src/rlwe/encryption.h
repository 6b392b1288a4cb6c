// SPDX-License-Identifier: Apache-2.0
// Encryptions of zero, to which the schemes add messages, and the phase, from which the schemes decrypt.
#pragma once

#include "rlwe/ciphertext.h"

namespace ringfort {

// Return encryptions of zero. Every call draws fresh seeds. Errors: insecure_parameters (secret key).
[[nodiscard]] RlweCiphertext encrypt_zero(const SecretKey::State& secret, u32 level, Workspace& work,
                                          RlweCiphertext&& reuse = {});
[[nodiscard]] RlweCiphertext encrypt_zero(const PublicKey::State& key, u32 level, Workspace& work,
                                          RlweCiphertext&& reuse = {});

// Returns c0 + c1 s (+ c2 s^2) over the data primes of `level`, in secret memory.
[[nodiscard]] Scratch<Eval> phase(const RlweCiphertext& a, const SecretKey::State& secret, u32 level, Workspace& work);

}  // namespace ringfort
