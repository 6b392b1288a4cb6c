// SPDX-License-Identifier: Apache-2.0
// Memory for polynomials under SEAL's names: [polynomial][coefficient][word] or, in residues, [polynomial][prime]
// [coefficient].
#pragma once

#include "seal/util/uintcore.h"

namespace seal {
namespace util {

[[nodiscard]] inline Pointer<std::uint64_t> allocate_poly(std::size_t coeff_count, std::size_t coeff_uint64_count,
                                                          MemoryPool& pool) {
  return allocate_uint(mul_safe(coeff_count, coeff_uint64_count), pool);
}
[[nodiscard]] inline Pointer<std::uint64_t> allocate_zero_poly(std::size_t coeff_count, std::size_t coeff_uint64_count,
                                                               MemoryPool& pool) {
  return allocate_zero_uint(mul_safe(coeff_count, coeff_uint64_count), pool);
}
[[nodiscard]] inline Pointer<std::uint64_t> allocate_poly_array(std::size_t poly_count, std::size_t coeff_count,
                                                                std::size_t coeff_uint64_count, MemoryPool& pool) {
  return allocate_uint(mul_safe(poly_count, coeff_count, coeff_uint64_count), pool);
}
[[nodiscard]] inline Pointer<std::uint64_t> allocate_zero_poly_array(std::size_t poly_count, std::size_t coeff_count,
                                                                     std::size_t coeff_uint64_count, MemoryPool& pool) {
  return allocate_zero_uint(mul_safe(poly_count, coeff_count, coeff_uint64_count), pool);
}
inline void set_zero_poly(std::size_t coeff_count, std::size_t coeff_uint64_count, std::uint64_t* result) {
  set_zero_uint(mul_safe(coeff_count, coeff_uint64_count), result);
}
inline void set_zero_poly_array(std::size_t poly_count, std::size_t coeff_count, std::size_t coeff_uint64_count,
                                std::uint64_t* result) {
  set_zero_uint(mul_safe(poly_count, coeff_count, coeff_uint64_count), result);
}
inline void set_poly(const std::uint64_t* poly, std::size_t coeff_count, std::size_t coeff_uint64_count,
                     std::uint64_t* result) {
  set_uint(poly, mul_safe(coeff_count, coeff_uint64_count), result);
}
inline void set_poly_array(const std::uint64_t* poly, std::size_t poly_count, std::size_t coeff_count,
                           std::size_t coeff_uint64_count, std::uint64_t* result) {
  set_uint(poly, mul_safe(poly_count, coeff_count, coeff_uint64_count), result);
}

}  // namespace util
}  // namespace seal
