// SPDX-License-Identifier: Apache-2.0
// Galois elements and automorphisms of words (seal/util/galois.h).
#include "seal/util/galois.h"

#include "errors.h"
#include "galois_elements.h"
#include "seal/util/uintarithsmallmod.h"

namespace seal::util {

GaloisTool::GaloisTool(int coeff_count_power, MemoryPoolHandle pool)
    : power_(coeff_count_power),
      degree_(std::size_t(1) << (coeff_count_power & 63)) {
  if (!pool) detail::refuse_argument("the memory pool is not initialised", "pass MemoryManager::GetPool()");
  if (coeff_count_power < 1 || coeff_count_power > get_power_of_two(SEAL_POLY_MOD_DEGREE_MAX))
    detail::refuse_argument("automorphisms of degree 2^" + std::to_string(coeff_count_power) + " were requested",
                            "choose a degree in 2 .. 2^17");
}

std::uint32_t GaloisTool::get_elt_from_step(int step) const { return detail::element_of(step, degree_); }

std::vector<std::uint32_t> GaloisTool::get_elts_from_steps(const std::vector<int>& steps) const {
  std::vector<std::uint32_t> elements;
  for (const int step : steps) elements.push_back(get_elt_from_step(step));
  return elements;
}

std::vector<std::uint32_t> GaloisTool::get_elts_all() const {
  return get_elts_from_steps(detail::default_steps(degree_));
}

std::size_t GaloisTool::GetIndexFromElt(std::uint32_t galois_elt) {
  if (galois_elt % 2 == 0) detail::refuse_argument("an even Galois element was given", "Galois elements are odd");
  return galois_elt / 2;
}

void GaloisTool::require_element(std::uint32_t galois_elt) const {
  if (galois_elt % 2 == 0 || galois_elt >= 2 * degree_)
    detail::refuse_argument("the Galois element " + std::to_string(galois_elt) + " was given",
                            "choose an odd number below twice the degree");
}

void GaloisTool::apply_galois(ConstCoeffIter operand, std::uint32_t galois_elt, const Modulus& modulus,
                              CoeffIter result) const {
  require_element(galois_elt);
  for (std::size_t i = 0; i < degree_; ++i) {
    const std::size_t to = i * galois_elt % (2 * degree_);
    if (to < degree_) result[to] = operand[i];
    else result[to - degree_] = negate_uint_mod(operand[i], modulus);
  }
}

// The value at psi^e becomes the value at psi^(e g), for e = 2 bitreverse(i) + 1.
void GaloisTool::apply_galois_ntt(ConstCoeffIter operand, std::uint32_t galois_elt, CoeffIter result) const {
  require_element(galois_elt);
  for (std::size_t i = 0; i < degree_; ++i) {
    const std::size_t exponent = (2 * reverse_bits(i, power_) + 1) * galois_elt % (2 * degree_);
    result[i] = operand[reverse_bits(exponent / 2, power_)];
  }
}

}  // namespace seal::util
