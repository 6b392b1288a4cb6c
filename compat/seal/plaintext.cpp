// SPDX-License-Identifier: Apache-2.0
// Plaintexts (seal/plaintext.h): their coefficients, text, checks and bytes. plaintext_state.cpp has what the schemes
// do with them.
#include "seal/plaintext.h"

#include "bytes.h"
#include "errors.h"
#include "plaintext_state.h"
#include "seal/util/uintcore.h"

namespace seal {

namespace {

void require_coefficients(const Plaintext& plain) {
  if (plain.is_ntt_form())
    detail::refuse_state("the plaintext is a transform, whose length is fixed", "release() it, or use another one");
}

void require_range(std::size_t begin, std::size_t length, std::size_t count) {
  if (begin < count && length <= count - begin) return;
  throw std::out_of_range("coefficients " + std::to_string(begin) + " to " + std::to_string(begin + length) +
                          " were requested, but the plaintext has " + std::to_string(count));
}

struct Term {
  std::uint64_t coefficient = 0;
  std::size_t power = 0;
};

[[noreturn]] void refuse_text(const std::string& text, std::size_t at) {
  detail::refuse_argument(
      "\"" + text.substr(0, 40) + "\" is no polynomial: unexpected text at place " + std::to_string(at),
      "write terms with falling exponents, for example 1x^2 + A");
}

unsigned hex_digit(char sign) noexcept {
  if (sign >= '0' && sign <= '9') return static_cast<unsigned>(sign - '0');
  if (sign >= 'a' && sign <= 'f') return static_cast<unsigned>(sign - 'a') + 10;
  if (sign >= 'A' && sign <= 'F') return static_cast<unsigned>(sign - 'A') + 10;
  return 16;
}

std::uint64_t read_coefficient(const std::string& text, std::size_t& at) {
  const std::size_t start = at;
  std::uint64_t value = 0;
  for (; at < text.size() && hex_digit(text[at]) < 16; ++at) {
    if (value >> 60 != 0) detail::refuse_argument("a coefficient has more than 64 bits", "reduce it first");
    value = value << 4 | hex_digit(text[at]);
  }
  if (at == start) refuse_text(text, at);
  return value;
}

std::size_t read_power(const std::string& text, std::size_t& at) {
  if (at == text.size()) return 0;
  if (text.compare(at, 2, "x^") != 0) refuse_text(text, at);
  at += 2;
  const std::size_t start = at;
  std::size_t power = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    power = 10 * power + static_cast<std::size_t>(text[at] - '0');
    if (power > SEAL_POLY_MOD_DEGREE_MAX) refuse_text(text, start);
  }
  if (at == start) refuse_text(text, at);
  return power;
}

std::vector<Term> read_terms(const std::string& text) {
  std::vector<Term> terms;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    Term term;
    term.coefficient = read_coefficient(text, at);
    term.power = read_power(text, at);
    if (!terms.empty() && term.power >= terms.back().power) refuse_text(text, start);
    terms.push_back(term);
    if (at == text.size()) break;
    if (text.compare(at, 3, " + ") != 0 || at + 3 == text.size()) refuse_text(text, at);
    at += 3;
  }
  return terms;
}

// Returns the parameters of a transform; null if the context does not have them, or if they are those of keys and
// `allow_pure_key_levels` is false.
std::shared_ptr<const SEALContext::ContextData> data_of_transform(const Plaintext& in, const SEALContext& context,
                                                                  bool allow_pure_key_levels) {
  auto data = context.get_context_data(in.parms_id());
  if (!data || allow_pure_key_levels) return data;
  return data->chain_index() > context.first_context_data()->chain_index() ? nullptr : data;
}

}  // namespace

Plaintext& Plaintext::operator=(const std::string& hex_poly) {
  require_coefficients(*this);
  const std::vector<Term> terms = read_terms(hex_poly);
  object_.reset();
  bool is_zero = true;
  for (const Term& term : terms) is_zero = is_zero && term.coefficient == 0;
  if (is_zero) {
    set_zero();
    return *this;
  }
  resize(0);
  resize(terms.front().power + 1);
  for (const Term& term : terms) data_[term.power] = term.coefficient;
  return *this;
}

Plaintext& Plaintext::operator=(pt_coeff_type const_coeff) {
  object_.reset();
  parms_id_ = parms_id_zero;
  data_.resize(1);
  data_[0] = const_coeff;
  coeff_count_ = 1;
  return *this;
}

void Plaintext::reserve(std::size_t capacity) {
  require_coefficients(*this);
  own_words().reserve(capacity);
  coeff_count_ = data_.size();
}

void Plaintext::resize(std::size_t coeff_count) {
  require_coefficients(*this);
  own_words().resize(coeff_count);
  coeff_count_ = coeff_count;
}

void Plaintext::release() noexcept {
  parms_id_ = parms_id_zero;
  scale_ = 1.0;
  coeff_count_ = 0;
  data_.release();
  object_.reset();
}

void Plaintext::set_zero(std::size_t start_coeff, std::size_t length) {
  if (length == 0) return;
  require_range(start_coeff, length, coeff_count_);
  std::fill_n(own_words().begin() + start_coeff, length, pt_coeff_type(0));
}

void Plaintext::set_zero(std::size_t start_coeff) {
  require_range(start_coeff, 1, coeff_count_);
  set_zero(start_coeff, coeff_count_ - start_coeff);
}

void Plaintext::set_zero() { std::fill(own_words().begin(), own_words().end(), pt_coeff_type(0)); }

const DynArray<Plaintext::pt_coeff_type>& Plaintext::words() const {
  return object_ && !owns_words_ ? object_->words() : data_;
}

DynArray<Plaintext::pt_coeff_type>& Plaintext::own_words() {
  if (object_ && !owns_words_) data_ = object_->words();
  owns_words_ = true;
  return data_;
}

std::shared_ptr<const detail::PlaintextObject> Plaintext::object() const {
  if (!object_ || !is_ntt_form() || !owns_words_) return is_ntt_form() ? object_ : nullptr;
  const detail::Words& original = object_->words();
  return std::equal(original.begin(), original.end(), data_.begin(), data_.end()) ? object_ : nullptr;
}

void Plaintext::set_object(std::shared_ptr<const detail::PlaintextObject> object, const parms_id_type& parms_id,
                           double scale) {
  coeff_count_ = object->word_count;
  object_ = std::move(object);
  owns_words_ = false;
  data_.release();
  parms_id_ = parms_id;
  scale_ = scale;
}

bool Plaintext::operator==(const Plaintext& compare) const {
  if (parms_id_ != compare.parms_id_ || !util::are_close(scale_, compare.scale_)) return false;
  const std::size_t count = significant_coeff_count();
  return count == compare.significant_coeff_count() && std::equal(data(), data() + count, compare.data());
}

// A transform of BFV or BGV is zero if its coefficients are. One of CKKS may be zero because numbers were rounded.
bool Plaintext::is_zero() const {
  const auto transform = is_ntt_form() ? object() : nullptr;
  const bool is_exact = transform && (std::holds_alternative<detail::rf::bfv::Plaintext>(transform->value) ||
                                      std::holds_alternative<detail::rf::bgv::Plaintext>(transform->value));
  return is_exact ? transform->is_zero : significant_coeff_count() == 0;
}
std::size_t Plaintext::significant_coeff_count() const {
  return util::get_significant_uint64_count_uint(words().begin(), coeff_count_);
}
std::size_t Plaintext::nonzero_coeff_count() const {
  return util::get_nonzero_uint64_count_uint(words().begin(), coeff_count_);
}

std::string Plaintext::to_string() const {
  if (is_ntt_form())
    detail::refuse_argument("a transform has no text of coefficients", "decode it, or print it before the transform");
  return util::poly_to_hex_string(words().begin(), coeff_count_, 1);
}

std::streamoff Plaintext::save_size(compr_mode_type compr_mode) const {
  const std::size_t array = sizeof(Serialization::SEALHeader) + sizeof(std::uint64_t) * (1 + coeff_count_);
  const std::size_t members = sizeof parms_id_ + sizeof(std::uint64_t) + sizeof scale_ + array;
  return static_cast<std::streamoff>(sizeof(Serialization::SEALHeader) +
                                     Serialization::ComprSizeEstimate(members, compr_mode));
}
std::streamoff Plaintext::save(std::ostream& stream, compr_mode_type compr_mode) const {
  return Serialization::Save([this](std::ostream& to) { save_members(to); }, save_size(compr_mode_type::none), stream,
                             compr_mode, false);
}
std::streamoff Plaintext::save(seal_byte* out, std::size_t size, compr_mode_type compr_mode) const {
  return Serialization::Save([this](std::ostream& to) { save_members(to); }, save_size(compr_mode_type::none), out,
                             size, compr_mode, false);
}
std::streamoff Plaintext::unsafe_load(const SEALContext& context, std::istream& stream) {
  return Serialization::Load([&](std::istream& from, SEALVersion) { load_members(context, from); }, stream, false);
}
std::streamoff Plaintext::unsafe_load(const SEALContext& context, const seal_byte* in, std::size_t size) {
  return Serialization::Load([&](std::istream& from, SEALVersion) { load_members(context, from); }, in, size, false);
}

namespace {

template <class... Source>
std::streamoff load_checked(Plaintext& out, const SEALContext& context, Source... source) {
  Plaintext loaded(out.pool());
  const std::streamoff size = loaded.unsafe_load(context, source...);
  if (!is_valid_for(loaded, context))
    detail::refuse_state("a saved plaintext has coefficients that are not below their moduli",
                         "the bytes are damaged, or belong to other parameters");
  out = std::move(loaded);
  return size;
}

}  // namespace

std::streamoff Plaintext::load(const SEALContext& context, std::istream& stream) {
  return load_checked<std::istream&>(*this, context, stream);
}
std::streamoff Plaintext::load(const SEALContext& context, const seal_byte* in, std::size_t size) {
  return load_checked(*this, context, in, size);
}

void Plaintext::save_members(std::ostream& stream) const {
  detail::write_value(stream, parms_id_);
  detail::write_value<std::uint64_t>(stream, coeff_count_);
  detail::write_value(stream, scale_);
  words().save(stream, compr_mode_type::none);
}

void Plaintext::load_members(const SEALContext& context, std::istream& stream) {
  if (!context.parameters_set())
    detail::refuse_argument("a plaintext was loaded with invalid parameters", "read parameter_error_message()");
  Plaintext loaded(pool());
  loaded.parms_id_ = detail::read_value<parms_id_type>(stream);
  loaded.coeff_count_ = util::safe_cast<std::size_t>(detail::read_value<std::uint64_t>(stream));
  loaded.scale_ = detail::read_value<double>(stream);
  if (!is_metadata_valid_for(loaded, context, true))
    detail::refuse_state("a saved plaintext has a length or parameters that the context does not have",
                         "load it with a context of the same parameters");
  loaded.data_.load(stream, std::max<std::size_t>(loaded.coeff_count_, 1));  // 0 would be no bound
  if (!is_buffer_valid(loaded)) detail::refuse_state("a saved plaintext states two lengths", "the bytes are damaged");
  *this = std::move(loaded);
}

bool is_metadata_valid_for(const Plaintext& in, const SEALContext& context, bool allow_pure_key_levels) {
  if (!context.parameters_set()) return false;
  const std::size_t degree = context.key_context_data()->parms().poly_modulus_degree();
  if (!in.is_ntt_form()) return in.coeff_count() <= degree;
  const auto data = data_of_transform(in, context, allow_pure_key_levels);
  return data && in.coeff_count() == degree * data->parms().coeff_modulus().size();
}

bool is_buffer_valid(const Plaintext& in) {
  return in.object() != nullptr || in.coeff_count() == in.dyn_array().size();
}

bool is_data_valid_for(const Plaintext& in, const SEALContext& context) {
  if (!is_metadata_valid_for(in, context)) return false;
  if (in.object() != nullptr) return true;  // asking for its words would make them
  const auto all_below = [](const std::uint64_t* words, std::size_t count, std::uint64_t bound) {
    return std::all_of(words, words + count, [bound](std::uint64_t word) { return word < bound; });
  };
  if (!in.is_ntt_form()) {
    const std::uint64_t t = context.key_context_data()->parms().plain_modulus().value();
    return all_below(in.data(), in.coeff_count(), t);
  }
  const EncryptionParameters& parms = context.get_context_data(in.parms_id())->parms();
  const std::size_t degree = parms.poly_modulus_degree();
  for (std::size_t i = 0; i < parms.coeff_modulus().size(); ++i) {
    if (!all_below(in.data() + i * degree, degree, parms.coeff_modulus()[i].value())) return false;
  }
  return true;
}

bool is_valid_for(const Plaintext& in, const SEALContext& context) {
  return is_buffer_valid(in) && is_data_valid_for(in, context);
}

}  // namespace seal
