// SPDX-License-Identifier: Apache-2.0
// Encryptions of zero, and phases of ciphertexts. The phase of (c0, c1) is c0 + c1 s for the secret s. The phase of an
// encryption of zero is small. A scheme encrypts by adding a message to an encryption of zero. It decrypts by reading
// the message from a phase.
//
// Let p be the last special prime (chain.h). The error of an encryption of zero under a public key is the sum of two
// products of random polynomials. Therefore the library makes it modulo p and the primes of the level, and divides it
// by p, as SEAL does. What is left is essentially the rounding error of the division. Its bound is 3.5 bits
// below the bound before. One prime is enough: if p has 20 bits, the divided products are 2^-16 of the rounding error.
// Contexts without special primes leave out the division, and so do keys from older files, which lack the limb of p.
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
