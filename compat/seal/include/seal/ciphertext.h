// SPDX-License-Identifier: Apache-2.0
// A ciphertext. Its value is a ciphertext of Ringfort, which copies share. Words exist only if a program asks for them:
// data() const reads them from the shared object, and data() of an object that is not const makes a copy, which the
// program may change. A program may also resize an empty ciphertext, and write all of its words. A program may change
// correction_factor() in BGV: the plaintext is divided by the factor. In the other schemes it is 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <memory>
#include <ostream>

#include "seal/context.h"
#include "seal/dynarray.h"
#include "seal/memorymanager.h"
#include "seal/randomgen.h"
#include "seal/serialization.h"
#include "seal/util/uintcore.h"
#include "seal/valcheck.h"
#include "seal/version.h"

namespace seal {

namespace detail {
struct Access;
struct CiphertextObject;
}  // namespace detail

class Ciphertext {
 public:
  using ct_coeff_type = std::uint64_t;

  Ciphertext(MemoryPoolHandle pool = MemoryManager::GetPool()) : data_(std::move(pool)) {}  // NOLINT
  explicit Ciphertext(const SEALContext& context, MemoryPoolHandle pool = MemoryManager::GetPool());
  explicit Ciphertext(const SEALContext& context, parms_id_type parms_id,
                      MemoryPoolHandle pool = MemoryManager::GetPool());
  explicit Ciphertext(const SEALContext& context, parms_id_type parms_id, std::size_t size_capacity,
                      MemoryPoolHandle pool = MemoryManager::GetPool());
  Ciphertext(const Ciphertext& copy) = default;
  Ciphertext(Ciphertext&& source) = default;
  Ciphertext(const Ciphertext& copy, MemoryPoolHandle pool);
  Ciphertext& operator=(const Ciphertext& assign) = default;
  Ciphertext& operator=(Ciphertext&& assign) = default;

  // Reserve memory for words, or change the number of components. Errors: std::invalid_argument.
  void reserve(const SEALContext& context, parms_id_type parms_id, std::size_t size_capacity);
  void reserve(const SEALContext& context, std::size_t size_capacity);
  void reserve(std::size_t size_capacity);
  void resize(const SEALContext& context, parms_id_type parms_id, std::size_t size);
  void resize(const SEALContext& context, std::size_t size);
  void resize(std::size_t size);
  void release() noexcept;

  // The words, as [component][prime][coefficient]. They are evaluations if is_ntt_form() is true.
  [[nodiscard]] const DynArray<ct_coeff_type>& dyn_array() const;
  [[nodiscard]] ct_coeff_type* data();
  [[nodiscard]] const ct_coeff_type* data() const;
  [[nodiscard]] ct_coeff_type* data(std::size_t poly_index);
  [[nodiscard]] const ct_coeff_type* data(std::size_t poly_index) const;
  [[nodiscard]] ct_coeff_type& operator[](std::size_t coeff_index);
  [[nodiscard]] const ct_coeff_type& operator[](std::size_t coeff_index) const;

  [[nodiscard]] std::size_t coeff_modulus_size() const noexcept { return coeff_modulus_size_; }
  [[nodiscard]] std::size_t poly_modulus_degree() const noexcept { return poly_modulus_degree_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t size_capacity() const noexcept;
  [[nodiscard]] bool is_transparent() const;  // true if all components but the first are zero

  [[nodiscard]] std::streamoff save_size(compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  std::streamoff save(std::ostream& stream, compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  std::streamoff save(seal_byte* out, std::size_t size,
                      compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  // After an error the ciphertext is unchanged. Errors: std::logic_error, std::runtime_error.
  std::streamoff unsafe_load(const SEALContext& context, std::istream& stream);
  std::streamoff unsafe_load(const SEALContext& context, const seal_byte* in, std::size_t size);
  std::streamoff load(const SEALContext& context, std::istream& stream);
  std::streamoff load(const SEALContext& context, const seal_byte* in, std::size_t size);

  [[nodiscard]] bool is_ntt_form() const noexcept { return is_ntt_form_; }
  [[nodiscard]] bool& is_ntt_form() noexcept { return is_ntt_form_; }
  [[nodiscard]] parms_id_type& parms_id() noexcept { return parms_id_; }
  [[nodiscard]] const parms_id_type& parms_id() const noexcept { return parms_id_; }
  [[nodiscard]] double& scale() noexcept { return scale_; }
  [[nodiscard]] const double& scale() const noexcept { return scale_; }
  [[nodiscard]] std::uint64_t& correction_factor() noexcept { return correction_factor_; }
  [[nodiscard]] const std::uint64_t& correction_factor() const noexcept { return correction_factor_; }
  [[nodiscard]] MemoryPoolHandle pool() const noexcept { return data_.pool(); }

 private:
  friend struct detail::Access;
  void own_words();  // makes data_ hold the words
  void set_layout(const SEALContext& context, const parms_id_type& parms_id);
  void reserve_words(std::size_t size_capacity);
  void resize_words(std::size_t size);

  parms_id_type parms_id_ = parms_id_zero;
  bool is_ntt_form_ = false;
  bool owns_words_ = false;  // true: data_ has the words; false: object_ has them, if there is an object
  std::size_t size_ = 0;
  std::size_t poly_modulus_degree_ = 0;
  std::size_t coeff_modulus_size_ = 0;
  double scale_ = 1.0;
  std::uint64_t correction_factor_ = 1;
  DynArray<ct_coeff_type> data_;
  std::shared_ptr<const detail::CiphertextObject> object_;
};

}  // namespace seal
