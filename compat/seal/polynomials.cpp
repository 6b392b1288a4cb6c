// SPDX-License-Identifier: Apache-2.0
// Arithmetic of polynomials modulo one word (seal/util/polyarithsmallmod.h), and the iterators of ciphertexts.
#include <algorithm>

#include "seal/ciphertext.h"
#include "seal/util/polyarithsmallmod.h"

namespace seal::util {

PolyIter::PolyIter(Ciphertext& ct) : PolyIter(ct.data(), ct.poly_modulus_degree(), ct.coeff_modulus_size()) {}
ConstPolyIter::ConstPolyIter(const Ciphertext& ct)
    : ConstPolyIter(ct.data(), ct.poly_modulus_degree(), ct.coeff_modulus_size()) {}

void modulo_poly_coeffs(ConstCoeffIter poly, std::size_t coeff_count, const Modulus& modulus, CoeffIter result) {
  std::transform(poly.ptr(), poly.ptr() + coeff_count, result.ptr(),
                 [&](std::uint64_t word) { return barrett_reduce_64(word, modulus); });
}

void negate_poly_coeffmod(ConstCoeffIter poly, std::size_t coeff_count, const Modulus& modulus, CoeffIter result) {
  std::transform(poly.ptr(), poly.ptr() + coeff_count, result.ptr(),
                 [&](std::uint64_t word) { return negate_uint_mod(word, modulus); });
}

void add_poly_coeffmod(ConstCoeffIter a, ConstCoeffIter b, std::size_t coeff_count, const Modulus& modulus,
                       CoeffIter result) {
  std::transform(a.ptr(), a.ptr() + coeff_count, b.ptr(), result.ptr(),
                 [&](std::uint64_t x, std::uint64_t y) { return add_uint_mod(x, y, modulus); });
}

void sub_poly_coeffmod(ConstCoeffIter a, ConstCoeffIter b, std::size_t coeff_count, const Modulus& modulus,
                       CoeffIter result) {
  std::transform(a.ptr(), a.ptr() + coeff_count, b.ptr(), result.ptr(),
                 [&](std::uint64_t x, std::uint64_t y) { return sub_uint_mod(x, y, modulus); });
}

void dyadic_product_coeffmod(ConstCoeffIter a, ConstCoeffIter b, std::size_t coeff_count, const Modulus& modulus,
                             CoeffIter result) {
  std::transform(a.ptr(), a.ptr() + coeff_count, b.ptr(), result.ptr(),
                 [&](std::uint64_t x, std::uint64_t y) { return multiply_uint_mod(x, y, modulus); });
}

void add_poly_scalar_coeffmod(ConstCoeffIter poly, std::size_t coeff_count, std::uint64_t scalar,
                              const Modulus& modulus, CoeffIter result) {
  std::transform(poly.ptr(), poly.ptr() + coeff_count, result.ptr(),
                 [&](std::uint64_t word) { return add_uint_mod(word, scalar, modulus); });
}

void sub_poly_scalar_coeffmod(ConstCoeffIter poly, std::size_t coeff_count, std::uint64_t scalar,
                              const Modulus& modulus, CoeffIter result) {
  std::transform(poly.ptr(), poly.ptr() + coeff_count, result.ptr(),
                 [&](std::uint64_t word) { return sub_uint_mod(word, scalar, modulus); });
}

void multiply_poly_scalar_coeffmod(ConstCoeffIter poly, std::size_t coeff_count, MultiplyUIntModOperand scalar,
                                   const Modulus& modulus, CoeffIter result) {
  std::transform(poly.ptr(), poly.ptr() + coeff_count, result.ptr(),
                 [&](std::uint64_t word) { return multiply_uint_mod(word, scalar, modulus); });
}

void negacyclic_shift_poly_coeffmod(ConstCoeffIter poly, std::size_t coeff_count, std::size_t shift,
                                    const Modulus& modulus, CoeffIter result) {
  for (std::size_t i = 0; i < coeff_count; ++i) {
    const std::size_t to = (i + shift) % (2 * coeff_count);
    if (to < coeff_count) result[to] = poly[i];
    else result[to - coeff_count] = negate_uint_mod(poly[i], modulus);
  }
}

std::uint64_t poly_infty_norm_coeffmod(ConstCoeffIter operand, std::size_t coeff_count, const Modulus& modulus) {
  std::uint64_t norm = 0;
  for (std::size_t i = 0; i < coeff_count; ++i) {
    const std::uint64_t residue = barrett_reduce_64(operand[i], modulus);
    norm = std::max(norm, std::min(residue, modulus.value() - residue));
  }
  return norm;
}

}  // namespace seal::util
