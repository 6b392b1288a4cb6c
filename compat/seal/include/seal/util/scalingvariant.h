// SPDX-License-Identifier: Apache-2.0
// Sums of plaintexts and polynomials of ciphertexts under SEAL's names. std::invalid_argument: the plaintext has more
// coefficients than the polynomial.
#pragma once

#include "seal/context.h"
#include "seal/plaintext.h"
#include "seal/util/iterator.h"

namespace seal {
namespace util {

// Add or subtract round(q m / t), for the product q of the primes, the plain modulus t and each coefficient m.
void multiply_add_plain_with_scaling_variant(const Plaintext& plain, const SEALContext::ContextData& context_data,
                                             RNSIter destination);
void multiply_sub_plain_with_scaling_variant(const Plaintext& plain, const SEALContext::ContextData& context_data,
                                             RNSIter destination);

}  // namespace util
}  // namespace seal
