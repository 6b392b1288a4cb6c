// SPDX-License-Identifier: Apache-2.0
// The residues of keys, and keys of residues, for programs that exchange keys with another library. A polynomial has
// the residues [limb][evaluation], each below its prime: the limbs of the data primes, then those of the special
// primes, evaluations in the order of ringfort/ring.h. A public key is a pair (b, a) with b + a s = f e, over the data
// primes and the last special prime; f is the plain modulus in BGV, and otherwise 1. A key-switching key for s' has one
// pair for each digit d, in order, with b + a s = P g_d s' + f e. P is the product of the special primes; g_d is 1
// modulo the primes of digit d, and 0 modulo the other data primes. s' is s^2 in a relinearization key, and s(x^g) in
// the Galois key of the element g. Residues are ordered [digit][b, a][limb][evaluation].
//
// Keys of residues have no seeds, and files of this library do not take them. The functions that make objects are for
// unguarded contexts (ChainParameters::unguarded_reason), because the library does not know the errors in such keys.
// Errors of all functions: invalid_argument (a moved-from key; a wrong number of residues; a residue that is not below
// its prime; an element that is even or above 2n). Functions that make objects also throw mode_forbidden (a context
// with bounds), and those of evaluation keys unsupported (no special prime).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "ringfort/bfv.h"
#include "ringfort/bgv.h"
#include "ringfort/ckks.h"

namespace ringfort {

// Writes the residues of the secret s to `out`. The caller overwrites `out` after use.
void residues(const SecretKey& key, std::span<std::uint64_t> out);
[[nodiscard]] std::vector<std::uint64_t> residues(const PublicKey& key);
[[nodiscard]] std::vector<std::uint64_t> residues(const RelinearizationKey& key);
// Errors: also key_missing.
[[nodiscard]] std::vector<std::uint64_t> residues(const GaloisKeys& keys, std::uint32_t element);
// Write the residues of one polynomial to `out`, so that a program needs no memory for a whole key. Polynomial 2 d is b
// of digit d, and polynomial 2 d + 1 is a. Errors: also invalid_argument (a polynomial that the key does not have).
void residues(const PublicKey& key, std::size_t polynomial, std::span<std::uint64_t> out);
void residues(const RelinearizationKey& key, std::size_t polynomial, std::span<std::uint64_t> out);
void residues(const GaloisKeys& keys, std::uint32_t element, std::size_t polynomial, std::span<std::uint64_t> out);
// Returns the Galois elements that have keys, in ascending order.
[[nodiscard]] std::vector<std::uint32_t> elements(const GaloisKeys& keys);

// Errors: also invalid_argument (the residues are not those of coefficients -1, 0 and 1), insecure_parameters.
[[nodiscard]] SecretKey secret_key_of(const KeyContext& context, std::span<const std::uint64_t> residues);
[[nodiscard]] PublicKey public_key_of(const KeyContext& context, std::span<const std::uint64_t> residues);
[[nodiscard]] RelinearizationKey relinearization_key_of(const KeyContext& context,
                                                        std::span<const std::uint64_t> residues);
// Returns a set with the key of one element. GaloisKeys::joined joins sets.
[[nodiscard]] GaloisKeys galois_key_of(const KeyContext& context, std::uint32_t element,
                                       std::span<const std::uint64_t> residues);
// Return the same of pairs (b, a), one for each digit. Each call of `next` returns the residues of the next pair, which
// are valid until the call after it.
using PairSource = std::function<std::span<const std::uint64_t>()>;
[[nodiscard]] RelinearizationKey relinearization_key_of(const KeyContext& context, const PairSource& next);
[[nodiscard]] GaloisKeys galois_key_of(const KeyContext& context, std::uint32_t element, const PairSource& next);
// Creates the keys of these elements. automorphism needs no key for the element 1. Errors: also those of KeyGenerator.
[[nodiscard]] GaloisKeys create_element_keys(const KeyContext& context, const SecretKey& secret,
                                             std::span<const std::uint32_t> elements);

// Replaces the second polynomial of a pair (b, a) by `uniform`, and b by b + (a - uniform) s + f e, where e is a fresh
// error. Therefore the pair and its replacement are independent samples, and may both be published. The pair is one of
// a key, or a ciphertext of two components; `uniform` has its limbs: data and special primes, or the first data primes.
// Each call needs other residues `uniform`, uniform and unknown before. Errors: also invalid_argument (another number
// of limbs), entropy_unavailable.
void replace_uniform(const SecretKey& key, std::span<std::uint64_t> pair, std::span<const std::uint64_t> uniform);

// Return a ciphertext whose plaintext is that of `a` at x^element: the automorphism x -> x^element moves the slots.
// Errors: also key_missing, parameters_mismatch, and invalid_argument for more than two components.
[[nodiscard]] ckks::Ciphertext automorphism(const ckks::Context& context, const ckks::Ciphertext& a,
                                            std::uint32_t element, const GaloisKeys& keys);
[[nodiscard]] bfv::Ciphertext automorphism(const bfv::Context& context, const bfv::Ciphertext& a, std::uint32_t element,
                                           const GaloisKeys& keys);
[[nodiscard]] bgv::Ciphertext automorphism(const bgv::Context& context, const bgv::Ciphertext& a, std::uint32_t element,
                                           const GaloisKeys& keys);

}  // namespace ringfort
