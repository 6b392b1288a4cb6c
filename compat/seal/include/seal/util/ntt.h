// SPDX-License-Identifier: Apache-2.0
// The negacyclic transform under SEAL's names. ringfort::Ntt computes it, on the default device.
// Evaluations are in bit-reversed order, at odd powers of the minimal primitive root, as in SEAL. Inputs may be any
// words. Results are below the modulus, also those of the lazy functions, which SEAL leaves below four times the
// modulus.
#pragma once

#include <memory>

#include "seal/memorymanager.h"
#include "seal/modulus.h"
#include "seal/util/dwthandler.h"
#include "seal/util/iterator.h"
#include "seal/util/uintarithsmallmod.h"

namespace seal {
namespace util {

// Operands of sums and differences are below twice the modulus, and results below four times the modulus. guard returns
// a number below twice the modulus.
template <>
class Arithmetic<std::uint64_t, MultiplyUIntModOperand, MultiplyUIntModOperand> {
 public:
  Arithmetic() = default;
  Arithmetic(const Modulus& modulus) : modulus_(modulus) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] std::uint64_t add(const std::uint64_t& a, const std::uint64_t& b) const { return a + b; }
  [[nodiscard]] std::uint64_t sub(const std::uint64_t& a, const std::uint64_t& b) const {
    return a + 2 * modulus_.value() - b;
  }
  [[nodiscard]] std::uint64_t mul_root(const std::uint64_t& a, const MultiplyUIntModOperand& r) const {
    return multiply_uint_mod_lazy(a, r, modulus_);
  }
  [[nodiscard]] std::uint64_t mul_scalar(const std::uint64_t& a, const MultiplyUIntModOperand& s) const {
    return multiply_uint_mod_lazy(a, s, modulus_);
  }
  [[nodiscard]] MultiplyUIntModOperand mul_root_scalar(const MultiplyUIntModOperand& r,
                                                       const MultiplyUIntModOperand& s) const {
    MultiplyUIntModOperand product;
    product.set(multiply_uint_mod(r.operand, s, modulus_), modulus_);
    return product;
  }
  [[nodiscard]] std::uint64_t guard(const std::uint64_t& a) const {
    return a >= 2 * modulus_.value() ? a - 2 * modulus_.value() : a;
  }

 private:
  Modulus modulus_;
};

// The tables for one prime. Copies share them. std::invalid_argument: the degree 2^coeff_count_power is not in
// 2 .. 2^17, or the modulus is not a prime that is 1 modulo twice the degree.
class NTTTables {
 public:
  NTTTables() = default;  // an element of an array; it has no tables
  NTTTables(int coeff_count_power, const Modulus& modulus, MemoryPoolHandle pool = MemoryManager::GetPool());

  [[nodiscard]] std::uint64_t get_root() const;
  // psi^i is at the bit-reversed place of i, and psi^-i at 1 + the bit-reversed place of i - 1.
  [[nodiscard]] const MultiplyUIntModOperand* get_from_root_powers() const;
  [[nodiscard]] const MultiplyUIntModOperand* get_from_inv_root_powers() const;
  [[nodiscard]] MultiplyUIntModOperand get_from_root_powers(std::size_t index) const;
  [[nodiscard]] MultiplyUIntModOperand get_from_inv_root_powers(std::size_t index) const;
  [[nodiscard]] const MultiplyUIntModOperand& inv_degree_modulo() const;
  [[nodiscard]] const Modulus& modulus() const;
  [[nodiscard]] int coeff_count_power() const;
  [[nodiscard]] std::size_t coeff_count() const;

 private:
  friend void ntt_negacyclic_harvey(CoeffIter operand, const NTTTables& tables);
  friend void inverse_ntt_negacyclic_harvey(CoeffIter operand, const NTTTables& tables);
  struct State;
  [[nodiscard]] const State& state() const;
  std::shared_ptr<const State> state_;
};

// Makes one element a modulus.
void CreateNTTTables(int coeff_count_power, const std::vector<Modulus>& modulus, Pointer<NTTTables>& tables,
                     MemoryPoolHandle pool);

void ntt_negacyclic_harvey(CoeffIter operand, const NTTTables& tables);
void inverse_ntt_negacyclic_harvey(CoeffIter operand, const NTTTables& tables);

// The same for residues modulo several primes, and for several polynomials.
inline void ntt_negacyclic_harvey(RNSIter operand, std::size_t coeff_modulus_size, ConstNTTTablesIter tables) {
  for (std::size_t i = 0; i < coeff_modulus_size; ++i) ntt_negacyclic_harvey(operand[i], tables[i]);
}
inline void inverse_ntt_negacyclic_harvey(RNSIter operand, std::size_t coeff_modulus_size, ConstNTTTablesIter tables) {
  for (std::size_t i = 0; i < coeff_modulus_size; ++i) inverse_ntt_negacyclic_harvey(operand[i], tables[i]);
}
inline void ntt_negacyclic_harvey(PolyIter operand, std::size_t size, ConstNTTTablesIter tables) {
  for (std::size_t i = 0; i < size; ++i) ntt_negacyclic_harvey(operand[i], operand.coeff_modulus_size(), tables);
}
inline void inverse_ntt_negacyclic_harvey(PolyIter operand, std::size_t size, ConstNTTTablesIter tables) {
  for (std::size_t i = 0; i < size; ++i)
    inverse_ntt_negacyclic_harvey(operand[i], operand.coeff_modulus_size(), tables);
}

inline void ntt_negacyclic_harvey_lazy(CoeffIter operand, const NTTTables& tables) {
  ntt_negacyclic_harvey(operand, tables);
}
inline void ntt_negacyclic_harvey_lazy(RNSIter operand, std::size_t coeff_modulus_size, ConstNTTTablesIter tables) {
  ntt_negacyclic_harvey(operand, coeff_modulus_size, tables);
}
inline void ntt_negacyclic_harvey_lazy(PolyIter operand, std::size_t size, ConstNTTTablesIter tables) {
  ntt_negacyclic_harvey(operand, size, tables);
}
inline void inverse_ntt_negacyclic_harvey_lazy(CoeffIter operand, const NTTTables& tables) {
  inverse_ntt_negacyclic_harvey(operand, tables);
}
inline void inverse_ntt_negacyclic_harvey_lazy(RNSIter operand, std::size_t coeff_modulus_size,
                                               ConstNTTTablesIter tables) {
  inverse_ntt_negacyclic_harvey(operand, coeff_modulus_size, tables);
}
inline void inverse_ntt_negacyclic_harvey_lazy(PolyIter operand, std::size_t size, ConstNTTTablesIter tables) {
  inverse_ntt_negacyclic_harvey(operand, size, tables);
}

}  // namespace util
}  // namespace seal
