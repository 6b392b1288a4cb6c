// SPDX-License-Identifier: Apache-2.0
// Residue number systems under SEAL's names: a base of coprime moduli, the conversion between two bases, and rounding
// divisions. RNSTool has no auxiliary bases: Ringfort multiplies ciphertexts of BFV in its own way [HPS19].
#pragma once

#include <memory>
#include <vector>

#include "seal/memorymanager.h"
#include "seal/modulus.h"
#include "seal/util/iterator.h"
#include "seal/util/ntt.h"
#include "seal/util/uintarithsmallmod.h"

namespace seal {
namespace util {

// std::invalid_argument: no moduli, or moduli with a common factor.
class RNSBase {
 public:
  RNSBase(const std::vector<Modulus>& rnsbase, MemoryPoolHandle pool);
  RNSBase(const RNSBase& copy, MemoryPoolHandle) : RNSBase(copy) {}
  RNSBase(const RNSBase& copy) = default;
  RNSBase(RNSBase&& source) = default;
  RNSBase& operator=(const RNSBase& assign) = delete;

  [[nodiscard]] const Modulus& operator[](std::size_t index) const { return base_.at(index); }
  [[nodiscard]] std::size_t size() const noexcept { return base_.size(); }
  [[nodiscard]] const Modulus* base() const noexcept { return base_.data(); }
  [[nodiscard]] bool contains(const Modulus& value) const noexcept;
  // The product of all moduli, the products of all but one (size() words each), and the inverses of the latter.
  [[nodiscard]] const std::uint64_t* base_prod() const noexcept { return product_.data(); }
  [[nodiscard]] const std::uint64_t* punctured_prod_array() const noexcept { return punctured_.data(); }
  [[nodiscard]] const MultiplyUIntModOperand* inv_punctured_prod_mod_base_array() const noexcept {
    return inverses_.data();
  }

  // Replace a number of size() words by its residues, or the reverse. Arrays: [coefficient][word],
  // [prime][coefficient].
  void decompose(std::uint64_t* value, MemoryPoolHandle pool) const;
  void compose(std::uint64_t* value, MemoryPoolHandle pool) const;
  void decompose_array(std::uint64_t* value, std::size_t count, MemoryPoolHandle pool) const;
  void compose_array(std::uint64_t* value, std::size_t count, MemoryPoolHandle pool) const;

 private:
  void compose_words(const std::uint64_t* residues, std::size_t stride, std::uint64_t* number) const;
  std::vector<Modulus> base_;
  std::vector<std::uint64_t> product_, punctured_;
  std::vector<MultiplyUIntModOperand> inverses_;
};

// The conversion adds a multiple of the input base's product, which is below ibase_size() times the product.
class BaseConverter {
 public:
  BaseConverter(const RNSBase& ibase, const RNSBase& obase, MemoryPoolHandle pool);
  BaseConverter(const BaseConverter& copy) = delete;
  BaseConverter& operator=(const BaseConverter& assign) = delete;
  [[nodiscard]] std::size_t ibase_size() const noexcept { return ibase_.size(); }
  [[nodiscard]] std::size_t obase_size() const noexcept { return obase_.size(); }
  [[nodiscard]] const RNSBase& ibase() const noexcept { return ibase_; }
  [[nodiscard]] const RNSBase& obase() const noexcept { return obase_; }
  void fast_convert(ConstCoeffIter in, CoeffIter out, MemoryPoolHandle pool) const;
  void fast_convert_array(ConstRNSIter in, RNSIter out, MemoryPoolHandle pool) const;

 private:
  RNSBase ibase_, obase_;
  std::vector<std::uint64_t> punctured_;  // modulo the output base: [output modulus][input modulus]
};

class RNSTool {
 public:
  RNSTool(std::size_t poly_modulus_degree, const RNSBase& coeff_modulus, const Modulus& plain_modulus,
          MemoryPoolHandle pool);
  RNSTool(const RNSTool& copy) = delete;
  RNSTool& operator=(const RNSTool& assign) = delete;
  [[nodiscard]] RNSBase* base_q() const noexcept { return base_.get(); }
  [[nodiscard]] const Modulus& t() const noexcept { return plain_; }
  // The inverses of the last modulus modulo the others.
  [[nodiscard]] const MultiplyUIntModOperand* inv_q_last_mod_q() const noexcept { return inverses_.data(); }

  // Divide by the last modulus and round. The quotient has one row less; the last row is overwritten.
  void divide_and_round_q_last_inplace(RNSIter input, MemoryPoolHandle pool) const;
  void divide_and_round_q_last_ntt_inplace(RNSIter input, ConstNTTTablesIter rns_ntt_tables,
                                           MemoryPoolHandle pool) const;
  // Computes round(t phase / q) modulo t, for the product q. A fraction within 2^-57 of 1/2 may be rounded wrongly.
  void decrypt_scale_and_round(ConstRNSIter phase, CoeffIter destination, MemoryPoolHandle pool) const;

 private:
  std::size_t degree_;
  std::unique_ptr<RNSBase> base_;
  Modulus plain_;
  std::vector<MultiplyUIntModOperand> inverses_;
};

}  // namespace util
}  // namespace seal
