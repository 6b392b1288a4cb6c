// SPDX-License-Identifier: Apache-2.0
// Encryptions of zero, and phases of ciphertexts. The phase of (c0, c1) is c0 + c1 s for the secret s. The phase of an
// encryption of zero is small. A scheme encrypts by adding a message to an encryption of zero. It decrypts by reading
// the message from a phase.
#pragma once

#include "rlwe/ciphertext.h"

namespace ringfort {

// These functions return encryptions of zero. Every call draws fresh seeds. The function that takes a secret key can
// fail with insecure_parameters.
[[nodiscard]] RlweCiphertext encrypt_zero(const SecretKey::State& secret, u32 level, Workspace& work,
                                          RlweCiphertext&& reuse = {});
[[nodiscard]] RlweCiphertext encrypt_zero(const PublicKey::State& key, u32 level, Workspace& work,
                                          RlweCiphertext&& reuse = {});

// Returns the phase c0 + c1 s (+ c2 s^2 ..) in secret memory. The phase covers the data primes of `level`.
[[nodiscard]] Scratch<Eval> phase(const RlweCiphertext& a, const SecretKey::State& secret, u32 level, Workspace& work);

}  // namespace ringfort
