// SPDX-License-Identifier: Apache-2.0
// A plaintext: coefficients modulo the plain modulus (BFV, BGV), or the transform of a polynomial modulo the primes of
// its parameters (CKKS, and after transform_to_ntt). Of a transform this library keeps its own object, and makes the
// words [prime][coefficient] when a program first reads them. Words that a program changes are compared with the
// object when the plaintext is used.
#pragma once

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

#include "seal/context.h"
#include "seal/dynarray.h"
#include "seal/encryptionparams.h"
#include "seal/memorymanager.h"
#include "seal/serialization.h"
#include "seal/util/common.h"
#include "seal/util/defines.h"
#include "seal/valcheck.h"
#include "seal/version.h"

namespace seal {

namespace detail {
struct PlaintextObject;
}

// Errors: std::invalid_argument (text that is no polynomial), std::logic_error (a transform where coefficients are
// needed; saved bytes that do not fit the context), std::out_of_range (an index).
class Plaintext {
 public:
  using pt_coeff_type = std::uint64_t;

  Plaintext(MemoryPoolHandle pool = MemoryManager::GetPool()) : data_(std::move(pool)) {}
  explicit Plaintext(std::size_t coeff_count, MemoryPoolHandle pool = MemoryManager::GetPool())
      : coeff_count_(coeff_count),
        data_(coeff_count, std::move(pool)) {}
  explicit Plaintext(std::size_t capacity, std::size_t coeff_count, MemoryPoolHandle pool = MemoryManager::GetPool())
      : coeff_count_(coeff_count),
        data_(capacity, coeff_count, std::move(pool)) {}
  // hex_poly: terms with falling exponents, for example "1x^10 + F"; the coefficients are hexadecimal.
  Plaintext(const std::string& hex_poly, MemoryPoolHandle pool = MemoryManager::GetPool())
      : Plaintext(std::move(pool)) {
    *this = hex_poly;
  }
  Plaintext(const Plaintext& copy) = default;
  Plaintext(Plaintext&& source) = default;
  Plaintext(const Plaintext& copy, MemoryPoolHandle pool) : Plaintext(std::move(pool)) { *this = copy; }
  Plaintext& operator=(const Plaintext& assign) = default;
  Plaintext& operator=(Plaintext&& assign) = default;
  Plaintext& operator=(const std::string& hex_poly);
  Plaintext& operator=(pt_coeff_type const_coeff);

  void reserve(std::size_t capacity);
  void shrink_to_fit() { data_.shrink_to_fit(); }
  void release() noexcept;
  void resize(std::size_t coeff_count);
  void set_zero(std::size_t start_coeff, std::size_t length);
  void set_zero(std::size_t start_coeff);
  void set_zero();

  [[nodiscard]] const DynArray<pt_coeff_type>& dyn_array() const { return words(); }
  [[nodiscard]] pt_coeff_type* data() { return own_words().begin(); }
  [[nodiscard]] const pt_coeff_type* data() const { return words().cbegin(); }
  [[nodiscard]] pt_coeff_type* data(std::size_t coeff_index) {
    return coeff_count_ == 0 ? nullptr : &own_words().at(coeff_index);
  }
  [[nodiscard]] const pt_coeff_type* data(std::size_t coeff_index) const {
    return coeff_count_ == 0 ? nullptr : &words().at(coeff_index);
  }
  [[nodiscard]] const pt_coeff_type& operator[](std::size_t coeff_index) const { return words().at(coeff_index); }
  [[nodiscard]] pt_coeff_type& operator[](std::size_t coeff_index) { return own_words().at(coeff_index); }

  // Coefficients that one plaintext does not have count as zeros.
  [[nodiscard]] bool operator==(const Plaintext& compare) const;
  [[nodiscard]] bool operator!=(const Plaintext& compare) const { return !operator==(compare); }
  [[nodiscard]] bool is_zero() const;
  [[nodiscard]] std::size_t capacity() const noexcept { return data_.capacity(); }
  [[nodiscard]] std::size_t coeff_count() const noexcept { return coeff_count_; }
  // Returns the number of coefficients up to the highest one that is not zero.
  [[nodiscard]] std::size_t significant_coeff_count() const;
  [[nodiscard]] std::size_t nonzero_coeff_count() const;
  [[nodiscard]] std::string to_string() const;

  [[nodiscard]] std::streamoff save_size(compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  std::streamoff save(std::ostream& stream, compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  std::streamoff save(seal_byte* out, std::size_t size,
                      compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  // The unsafe functions do not check that coefficients are below their moduli.
  std::streamoff unsafe_load(const SEALContext& context, std::istream& stream);
  std::streamoff unsafe_load(const SEALContext& context, const seal_byte* in, std::size_t size);
  std::streamoff load(const SEALContext& context, std::istream& stream);
  std::streamoff load(const SEALContext& context, const seal_byte* in, std::size_t size);

  [[nodiscard]] bool is_ntt_form() const noexcept { return parms_id_ != parms_id_zero; }
  [[nodiscard]] parms_id_type& parms_id() noexcept { return parms_id_; }
  [[nodiscard]] const parms_id_type& parms_id() const noexcept { return parms_id_; }
  [[nodiscard]] double& scale() noexcept { return scale_; }
  [[nodiscard]] const double& scale() const noexcept { return scale_; }
  [[nodiscard]] MemoryPoolHandle pool() const noexcept { return data_.pool(); }

  // For this library: the object of a transform; null if there is none, or if a program has changed the words.
  [[nodiscard]] std::shared_ptr<const detail::PlaintextObject> object() const;
  void set_object(std::shared_ptr<const detail::PlaintextObject> object, const parms_id_type& parms_id, double scale);

 private:
  [[nodiscard]] const DynArray<pt_coeff_type>& words() const;
  [[nodiscard]] DynArray<pt_coeff_type>& own_words();
  void save_members(std::ostream& stream) const;
  void load_members(const SEALContext& context, std::istream& stream);

  parms_id_type parms_id_ = parms_id_zero;
  std::size_t coeff_count_ = 0;
  double scale_ = 1.0;
  DynArray<pt_coeff_type> data_;
  std::shared_ptr<const detail::PlaintextObject> object_;
  bool owns_words_ = false;  // the words of `object_` are also in data_, where a program may have changed them
};

}  // namespace seal
