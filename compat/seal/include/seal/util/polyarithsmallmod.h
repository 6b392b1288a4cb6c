// SPDX-License-Identifier: Apache-2.0
// Arithmetic of polynomials modulo one word, modulo several primes (one row a prime), and of several such polynomials,
// under SEAL's names. Coefficients are below their modulus, unless a function states otherwise. A result may be at the
// place of an operand, except that of negacyclic shifts.
#pragma once

#include "seal/modulus.h"
#include "seal/util/common.h"
#include "seal/util/iterator.h"
#include "seal/util/polycore.h"
#include "seal/util/uintarithsmallmod.h"

namespace seal {
namespace util {

// Reduces any words.
void modulo_poly_coeffs(ConstCoeffIter poly, std::size_t coeff_count, const Modulus& modulus, CoeffIter result);
void negate_poly_coeffmod(ConstCoeffIter poly, std::size_t coeff_count, const Modulus& modulus, CoeffIter result);
void add_poly_coeffmod(ConstCoeffIter a, ConstCoeffIter b, std::size_t coeff_count, const Modulus& modulus,
                       CoeffIter result);
void sub_poly_coeffmod(ConstCoeffIter a, ConstCoeffIter b, std::size_t coeff_count, const Modulus& modulus,
                       CoeffIter result);
void dyadic_product_coeffmod(ConstCoeffIter a, ConstCoeffIter b, std::size_t coeff_count, const Modulus& modulus,
                             CoeffIter result);
// The scalar is below the modulus.
void add_poly_scalar_coeffmod(ConstCoeffIter poly, std::size_t coeff_count, std::uint64_t scalar,
                              const Modulus& modulus, CoeffIter result);
void sub_poly_scalar_coeffmod(ConstCoeffIter poly, std::size_t coeff_count, std::uint64_t scalar,
                              const Modulus& modulus, CoeffIter result);
// Coefficients and scalar are any words.
void multiply_poly_scalar_coeffmod(ConstCoeffIter poly, std::size_t coeff_count, MultiplyUIntModOperand scalar,
                                   const Modulus& modulus, CoeffIter result);
inline void multiply_poly_scalar_coeffmod(ConstCoeffIter poly, std::size_t coeff_count, std::uint64_t scalar,
                                          const Modulus& modulus, CoeffIter result) {
  MultiplyUIntModOperand operand{};
  operand.set(barrett_reduce_64(scalar, modulus), modulus);
  multiply_poly_scalar_coeffmod(poly, coeff_count, operand, modulus, result);
}
// Multiplies by x^shift modulo x^coeff_count + 1.
void negacyclic_shift_poly_coeffmod(ConstCoeffIter poly, std::size_t coeff_count, std::size_t shift,
                                    const Modulus& modulus, CoeffIter result);

// Returns the largest absolute value of a coefficient between -q/2 and q/2. Coefficients are any words.
[[nodiscard]] std::uint64_t poly_infty_norm_coeffmod(ConstCoeffIter operand, std::size_t coeff_count,
                                                     const Modulus& modulus);

// The same for residues modulo coeff_modulus_size primes.
inline void modulo_poly_coeffs(ConstRNSIter poly, std::size_t coeff_modulus_size, ConstModulusIter modulus,
                               RNSIter result) {
  for (std::size_t i = 0; i < coeff_modulus_size; ++i)
    modulo_poly_coeffs(poly[i], result.poly_modulus_degree(), modulus[i], result[i]);
}
inline void negate_poly_coeffmod(ConstRNSIter poly, std::size_t coeff_modulus_size, ConstModulusIter modulus,
                                 RNSIter result) {
  for (std::size_t i = 0; i < coeff_modulus_size; ++i)
    negate_poly_coeffmod(poly[i], result.poly_modulus_degree(), modulus[i], result[i]);
}
inline void add_poly_coeffmod(ConstRNSIter a, ConstRNSIter b, std::size_t coeff_modulus_size, ConstModulusIter modulus,
                              RNSIter result) {
  for (std::size_t i = 0; i < coeff_modulus_size; ++i)
    add_poly_coeffmod(a[i], b[i], result.poly_modulus_degree(), modulus[i], result[i]);
}
inline void sub_poly_coeffmod(ConstRNSIter a, ConstRNSIter b, std::size_t coeff_modulus_size, ConstModulusIter modulus,
                              RNSIter result) {
  for (std::size_t i = 0; i < coeff_modulus_size; ++i)
    sub_poly_coeffmod(a[i], b[i], result.poly_modulus_degree(), modulus[i], result[i]);
}
inline void dyadic_product_coeffmod(ConstRNSIter a, ConstRNSIter b, std::size_t coeff_modulus_size,
                                    ConstModulusIter modulus, RNSIter result) {
  for (std::size_t i = 0; i < coeff_modulus_size; ++i)
    dyadic_product_coeffmod(a[i], b[i], result.poly_modulus_degree(), modulus[i], result[i]);
}
inline void add_poly_scalar_coeffmod(ConstRNSIter poly, std::size_t coeff_modulus_size, std::uint64_t scalar,
                                     ConstModulusIter modulus, RNSIter result) {
  for (std::size_t i = 0; i < coeff_modulus_size; ++i)
    add_poly_scalar_coeffmod(poly[i], result.poly_modulus_degree(), scalar, modulus[i], result[i]);
}
inline void sub_poly_scalar_coeffmod(ConstRNSIter poly, std::size_t coeff_modulus_size, std::uint64_t scalar,
                                     ConstModulusIter modulus, RNSIter result) {
  for (std::size_t i = 0; i < coeff_modulus_size; ++i)
    sub_poly_scalar_coeffmod(poly[i], result.poly_modulus_degree(), scalar, modulus[i], result[i]);
}
inline void multiply_poly_scalar_coeffmod(ConstRNSIter poly, std::size_t coeff_modulus_size, std::uint64_t scalar,
                                          ConstModulusIter modulus, RNSIter result) {
  for (std::size_t i = 0; i < coeff_modulus_size; ++i)
    multiply_poly_scalar_coeffmod(poly[i], result.poly_modulus_degree(), scalar, modulus[i], result[i]);
}
inline void negacyclic_shift_poly_coeffmod(ConstRNSIter poly, std::size_t coeff_modulus_size, std::size_t shift,
                                           ConstModulusIter modulus, RNSIter result) {
  for (std::size_t i = 0; i < coeff_modulus_size; ++i)
    negacyclic_shift_poly_coeffmod(poly[i], result.poly_modulus_degree(), shift, modulus[i], result[i]);
}

// The same for `size` polynomials.
inline void modulo_poly_coeffs(ConstPolyIter polys, std::size_t size, ConstModulusIter modulus, PolyIter result) {
  for (std::size_t i = 0; i < size; ++i) modulo_poly_coeffs(polys[i], result.coeff_modulus_size(), modulus, result[i]);
}
inline void negate_poly_coeffmod(ConstPolyIter polys, std::size_t size, ConstModulusIter modulus, PolyIter result) {
  for (std::size_t i = 0; i < size; ++i)
    negate_poly_coeffmod(polys[i], result.coeff_modulus_size(), modulus, result[i]);
}
inline void add_poly_coeffmod(ConstPolyIter a, ConstPolyIter b, std::size_t size, ConstModulusIter modulus,
                              PolyIter result) {
  for (std::size_t i = 0; i < size; ++i) add_poly_coeffmod(a[i], b[i], result.coeff_modulus_size(), modulus, result[i]);
}
inline void sub_poly_coeffmod(ConstPolyIter a, ConstPolyIter b, std::size_t size, ConstModulusIter modulus,
                              PolyIter result) {
  for (std::size_t i = 0; i < size; ++i) sub_poly_coeffmod(a[i], b[i], result.coeff_modulus_size(), modulus, result[i]);
}
inline void dyadic_product_coeffmod(ConstPolyIter a, ConstPolyIter b, std::size_t size, ConstModulusIter modulus,
                                    PolyIter result) {
  for (std::size_t i = 0; i < size; ++i)
    dyadic_product_coeffmod(a[i], b[i], result.coeff_modulus_size(), modulus, result[i]);
}
inline void multiply_poly_scalar_coeffmod(ConstPolyIter polys, std::size_t size, std::uint64_t scalar,
                                          ConstModulusIter modulus, PolyIter result) {
  for (std::size_t i = 0; i < size; ++i)
    multiply_poly_scalar_coeffmod(polys[i], result.coeff_modulus_size(), scalar, modulus, result[i]);
}
inline void negacyclic_shift_poly_coeffmod(ConstPolyIter polys, std::size_t size, std::size_t shift,
                                           ConstModulusIter modulus, PolyIter result) {
  for (std::size_t i = 0; i < size; ++i)
    negacyclic_shift_poly_coeffmod(polys[i], result.coeff_modulus_size(), shift, modulus, result[i]);
}

// Multiplies by mono_coeff x^mono_exponent; mono_exponent is below the degree. An iterator `mono_coeff` has a
// coefficient for each prime.
inline void negacyclic_multiply_poly_mono_coeffmod(ConstCoeffIter poly, std::size_t coeff_count,
                                                   std::uint64_t mono_coeff, std::size_t mono_exponent,
                                                   const Modulus& modulus, CoeffIter result, MemoryPool& pool) {
  const Pointer<std::uint64_t> product = allocate<std::uint64_t>(coeff_count, pool);
  multiply_poly_scalar_coeffmod(poly, coeff_count, mono_coeff, modulus, CoeffIter(product.get()));
  negacyclic_shift_poly_coeffmod(ConstCoeffIter(product.get()), coeff_count, mono_exponent, modulus, result);
}
inline void negacyclic_multiply_poly_mono_coeffmod(ConstRNSIter poly, std::size_t coeff_modulus_size,
                                                   std::uint64_t mono_coeff, std::size_t mono_exponent,
                                                   ConstModulusIter modulus, RNSIter result, MemoryPool& pool) {
  for (std::size_t i = 0; i < coeff_modulus_size; ++i)
    negacyclic_multiply_poly_mono_coeffmod(poly[i], result.poly_modulus_degree(), mono_coeff, mono_exponent, modulus[i],
                                           result[i], pool);
}
inline void negacyclic_multiply_poly_mono_coeffmod(ConstRNSIter poly, std::size_t coeff_modulus_size,
                                                   ConstCoeffIter mono_coeff, std::size_t mono_exponent,
                                                   ConstModulusIter modulus, RNSIter result, MemoryPool& pool) {
  for (std::size_t i = 0; i < coeff_modulus_size; ++i)
    negacyclic_multiply_poly_mono_coeffmod(poly[i], result.poly_modulus_degree(), mono_coeff[i], mono_exponent,
                                           modulus[i], result[i], pool);
}
template <typename Coefficient>
void negacyclic_multiply_poly_mono_coeffmod(ConstPolyIter polys, std::size_t size, const Coefficient& mono_coeff,
                                            std::size_t mono_exponent, ConstModulusIter modulus, PolyIter result,
                                            MemoryPool& pool) {
  for (std::size_t i = 0; i < size; ++i)
    negacyclic_multiply_poly_mono_coeffmod(polys[i], result.coeff_modulus_size(), mono_coeff, mono_exponent, modulus,
                                           result[i], pool);
}

}  // namespace util
}  // namespace seal
