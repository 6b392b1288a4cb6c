// SPDX-License-Identifier: Apache-2.0
// Macros and limits of SEAL's interface, and the byte type. A degree below 8 has a context but no ring: every operation
// on its ciphertexts throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iostream>  // programs rely on it: SEAL's headers include it

#include "seal/util/config.h"

#define SEAL_MOD_BIT_COUNT_MAX 61
#define SEAL_MOD_BIT_COUNT_MIN 2
#define SEAL_INTERNAL_MOD_BIT_COUNT 61
#define SEAL_USER_MOD_BIT_COUNT_MAX 60
#define SEAL_USER_MOD_BIT_COUNT_MIN 2
#define SEAL_PLAIN_MOD_BIT_COUNT_MAX 50  // SEAL has 60; plain moduli of this library are below 2^50
#define SEAL_PLAIN_MOD_BIT_COUNT_MIN SEAL_USER_MOD_BIT_COUNT_MIN
#define SEAL_COEFF_MOD_COUNT_MAX 64
#define SEAL_COEFF_MOD_COUNT_MIN 1
#define SEAL_POLY_MOD_DEGREE_MAX 131072
#define SEAL_POLY_MOD_DEGREE_MIN 2
#define SEAL_CIPHERTEXT_SIZE_MAX 16
#define SEAL_CIPHERTEXT_SIZE_MIN 2

// The number of products of two residues that a word of 128 bits holds.
#define SEAL_MULTIPLY_ACCUMULATE_MOD_MAX (1 << (128 - 2 * SEAL_MOD_BIT_COUNT_MAX))
#define SEAL_MULTIPLY_ACCUMULATE_USER_MOD_MAX (1 << (128 - 2 * SEAL_USER_MOD_BIT_COUNT_MAX))

#define SEAL_COMPILER_MSVC 1
#define SEAL_COMPILER_CLANG 2
#define SEAL_COMPILER_GCC 3
#ifdef __clang__
#define SEAL_COMPILER SEAL_COMPILER_CLANG
#else
#define SEAL_COMPILER SEAL_COMPILER_GCC
#endif

#define SEAL_SYSTEM_OTHER 1
#define SEAL_SYSTEM_WINDOWS 2
#define SEAL_SYSTEM_UNIX_LIKE 3
#define SEAL_SYSTEM SEAL_SYSTEM_UNIX_LIKE

#define SEAL_JOIN_NOW(left, right) left##right
#define SEAL_JOIN(left, right) SEAL_JOIN_NOW(left, right)
#define SEAL_DEFAULT_PRNG_FACTORY SEAL_JOIN(SEAL_DEFAULT_PRNG, PRNGFactory)

#define SEAL_FORCE_INLINE inline
#define SEAL_IF_CONSTEXPR if constexpr
#define SEAL_MAYBE_UNUSED [[maybe_unused]]
#define SEAL_NODISCARD [[nodiscard]]
#define SEAL_ITERATE std::for_each_n
#define SEAL_COND_SELECT(condition, if_true, if_false) ((condition) ? (if_true) : (if_false))
#define SEAL_NOISE_SAMPLER sample_poly_cbd  // a function in seal/util/rlwe.h

namespace seal {
using seal_byte = std::byte;
}
