// SPDX-License-Identifier: Apache-2.0
// Galois elements and automorphisms x -> x^g of words under SEAL's names. Rotations have powers of 3.
#pragma once

#include <cstdint>
#include <vector>

#include "seal/memorymanager.h"
#include "seal/modulus.h"
#include "seal/util/iterator.h"

namespace seal {
namespace util {

// std::invalid_argument: a degree 2^coeff_count_power that is not in 2 .. 2^17, a step of half the degree or more, or
// an element that is even or not below twice the degree.
class GaloisTool {
 public:
  GaloisTool(int coeff_count_power, MemoryPoolHandle pool);
  GaloisTool(const GaloisTool& copy) = delete;
  GaloisTool& operator=(const GaloisTool& assign) = delete;

  // Step 0 is the exchange of rows, or the complex conjugation.
  [[nodiscard]] std::uint32_t get_elt_from_step(int step) const;
  [[nodiscard]] std::vector<std::uint32_t> get_elts_from_steps(const std::vector<int>& steps) const;
  // Returns the elements of the default Galois keys.
  [[nodiscard]] std::vector<std::uint32_t> get_elts_all() const;
  [[nodiscard]] static std::size_t GetIndexFromElt(std::uint32_t galois_elt);

  // Apply the automorphism to coefficients or to evaluations. The result is at another place than the operand.
  void apply_galois(ConstCoeffIter operand, std::uint32_t galois_elt, const Modulus& modulus, CoeffIter result) const;
  void apply_galois_ntt(ConstCoeffIter operand, std::uint32_t galois_elt, CoeffIter result) const;
  void apply_galois(ConstRNSIter operand, std::size_t coeff_modulus_size, std::uint32_t galois_elt,
                    ConstModulusIter modulus, RNSIter result) const {
    for (std::size_t i = 0; i < coeff_modulus_size; ++i) apply_galois(operand[i], galois_elt, modulus[i], result[i]);
  }
  void apply_galois_ntt(ConstRNSIter operand, std::size_t coeff_modulus_size, std::uint32_t galois_elt,
                        RNSIter result) const {
    for (std::size_t i = 0; i < coeff_modulus_size; ++i) apply_galois_ntt(operand[i], galois_elt, result[i]);
  }

 private:
  void require_element(std::uint32_t galois_elt) const;
  int power_;
  std::size_t degree_;
};

}  // namespace util
}  // namespace seal
