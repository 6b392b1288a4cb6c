// SPDX-License-Identifier: Apache-2.0
// The layout and the words of ciphertexts (seal/ciphertext.h). The verbs are in evaluator.cpp. keys.cpp and
// saved_ciphertext.cpp save and load ciphertexts.
#include "seal/ciphertext.h"

#include <algorithm>
#include <stdexcept>

#include "objects.h"

namespace seal {

namespace {

std::size_t words_of(std::size_t size, std::size_t degree, std::size_t primes) {
  return util::mul_safe(size, degree, primes);
}

void require_size(std::size_t size) {
  if (size == 0 || (size >= SEAL_CIPHERTEXT_SIZE_MIN && size <= SEAL_CIPHERTEXT_SIZE_MAX)) return;
  throw std::invalid_argument("a ciphertext has 2 to 16 components, or none");
}

}  // namespace

Ciphertext::Ciphertext(const SEALContext& context, MemoryPoolHandle pool) : data_(std::move(pool)) {
  reserve(context, 2);
}

Ciphertext::Ciphertext(const SEALContext& context, parms_id_type parms_id, MemoryPoolHandle pool)
    : data_(std::move(pool)) {
  reserve(context, parms_id, 2);
}

Ciphertext::Ciphertext(const SEALContext& context, parms_id_type parms_id, std::size_t size_capacity,
                       MemoryPoolHandle pool)
    : data_(std::move(pool)) {
  reserve(context, parms_id, size_capacity);
}

Ciphertext::Ciphertext(const Ciphertext& copy, MemoryPoolHandle pool) : Ciphertext(std::move(pool)) { *this = copy; }

void Ciphertext::set_layout(const SEALContext& context, const parms_id_type& parms_id) {
  if (!context.parameters_set()) throw std::invalid_argument("the parameters of the context are not valid");
  const auto data = context.get_context_data(parms_id);
  if (!data) throw std::invalid_argument("the context has no parameters with this parms_id");
  parms_id_ = parms_id;
  poly_modulus_degree_ = data->parms().poly_modulus_degree();
  coeff_modulus_size_ = data->parms().coeff_modulus().size();
}

void Ciphertext::reserve(const SEALContext& context, parms_id_type parms_id, std::size_t size_capacity) {
  require_size(size_capacity);
  own_words();
  set_layout(context, parms_id);
  reserve_words(size_capacity);
}

void Ciphertext::reserve(const SEALContext& context, std::size_t size_capacity) {
  reserve(context, context.first_parms_id(), size_capacity);
}

void Ciphertext::reserve(std::size_t size_capacity) {
  require_size(size_capacity);
  own_words();
  reserve_words(size_capacity);
}

void Ciphertext::resize(const SEALContext& context, parms_id_type parms_id, std::size_t size) {
  require_size(size);
  own_words();
  set_layout(context, parms_id);
  resize_words(size);
}

void Ciphertext::resize(const SEALContext& context, std::size_t size) {
  resize(context, context.first_parms_id(), size);
}

void Ciphertext::resize(std::size_t size) {
  require_size(size);
  own_words();
  resize_words(size);
}

void Ciphertext::reserve_words(std::size_t size_capacity) {
  const std::size_t capacity = words_of(size_capacity, poly_modulus_degree_, coeff_modulus_size_);
  const std::size_t kept = std::min(capacity, data_.size());
  data_.resize(kept);
  data_.reserve(capacity);
  size_ = std::min(size_capacity, size_);
}

void Ciphertext::resize_words(std::size_t size) {
  data_.resize(words_of(size, poly_modulus_degree_, coeff_modulus_size_));
  size_ = size;
}

void Ciphertext::release() noexcept {
  parms_id_ = parms_id_zero;
  is_ntt_form_ = false;
  owns_words_ = false;
  size_ = 0;
  poly_modulus_degree_ = 0;
  coeff_modulus_size_ = 0;
  scale_ = 1.0;
  correction_factor_ = 1;
  data_.release();
  object_.reset();
}

void Ciphertext::own_words() {
  if (!object_ || owns_words_) return;
  data_ = object_->words(is_ntt_form_);
  owns_words_ = true;
}

const DynArray<Ciphertext::ct_coeff_type>& Ciphertext::dyn_array() const {
  return object_ && !owns_words_ ? object_->words(is_ntt_form_) : data_;
}

Ciphertext::ct_coeff_type* Ciphertext::data() {
  own_words();
  return data_.begin();
}

const Ciphertext::ct_coeff_type* Ciphertext::data() const { return dyn_array().cbegin(); }

Ciphertext::ct_coeff_type* Ciphertext::data(std::size_t poly_index) {
  return const_cast<ct_coeff_type*>((own_words(), std::as_const(*this).data(poly_index)));
}

const Ciphertext::ct_coeff_type* Ciphertext::data(std::size_t poly_index) const {
  const std::size_t stride = words_of(1, poly_modulus_degree_, coeff_modulus_size_);
  if (stride == 0) return nullptr;
  if (poly_index >= size_) throw std::out_of_range("poly_index is not below the number of components");
  const auto& words = dyn_array();
  return words.empty() ? nullptr : words.cbegin() + poly_index * stride;
}

Ciphertext::ct_coeff_type& Ciphertext::operator[](std::size_t coeff_index) {
  own_words();
  return data_.at(coeff_index);
}

const Ciphertext::ct_coeff_type& Ciphertext::operator[](std::size_t coeff_index) const {
  return dyn_array().at(coeff_index);
}

std::size_t Ciphertext::size_capacity() const noexcept {
  const std::size_t stride = poly_modulus_degree_ * coeff_modulus_size_;
  if (stride == 0) return 0;
  return object_ && !owns_words_ ? size_ : data_.capacity() / stride;
}

bool Ciphertext::is_transparent() const {
  if (object_ && std::holds_alternative<std::monostate>(object_->value)) return false;
  const auto& words = dyn_array();
  if (words.empty() || size_ < SEAL_CIPHERTEXT_SIZE_MIN) return true;
  return std::all_of(data(1), words.cend(), [](ct_coeff_type word) { return word == 0; });
}

}  // namespace seal
