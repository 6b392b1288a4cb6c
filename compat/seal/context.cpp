// SPDX-License-Identifier: Apache-2.0
// Validates parameters as SEAL does, and builds the chain of parameters (seal/context.h). ring.cpp makes the context of
// this library.
#include "seal/context.h"

#include <algorithm>
#include <numeric>

#include "context_state.h"
#include "seal/util/numth.h"
#include "seal/util/uintcore.h"

namespace seal {

using ErrorType = EncryptionParameterQualifiers::error_type;

namespace {

struct ErrorText {
  ErrorType error;
  const char* name;
  const char* message;
};

constexpr ErrorText kErrorTexts[] = {
    {ErrorType::none, "none", "the parameters are not validated yet"},
    {ErrorType::success, "success", "valid"},
    {ErrorType::invalid_scheme, "invalid_scheme", "there is no scheme; choose BFV, CKKS or BGV"},
    {ErrorType::invalid_coeff_modulus_size, "invalid_coeff_modulus_size",
     "coeff_modulus has no prime, or more than 64"},
    {ErrorType::invalid_coeff_modulus_bit_count, "invalid_coeff_modulus_bit_count",
     "a prime of coeff_modulus does not have 2 to 60 bits"},
    {ErrorType::invalid_coeff_modulus_no_ntt, "invalid_coeff_modulus_no_ntt",
     "a number of coeff_modulus is no prime that is 1 modulo twice the degree; take primes from CoeffModulus::Create"},
    {ErrorType::invalid_poly_modulus_degree, "invalid_poly_modulus_degree",
     "poly_modulus_degree is not between 2 and 131072"},
    {ErrorType::invalid_poly_modulus_degree_non_power_of_two, "invalid_poly_modulus_degree_non_power_of_two",
     "poly_modulus_degree is no power of two"},
    {ErrorType::invalid_parameters_too_large, "invalid_parameters_too_large",
     "the parameters need more memory than the machine can address"},
    {ErrorType::invalid_parameters_insecure, "invalid_parameters_insecure",
     "coeff_modulus is longer than the security level allows for this degree: use shorter primes or a larger degree"},
    {ErrorType::failed_creating_rns_base, "failed_creating_rns_base",
     "the numbers of coeff_modulus have a common factor; use different primes"},
    {ErrorType::invalid_plain_modulus_bit_count, "invalid_plain_modulus_bit_count",
     "plain_modulus does not have 2 to 50 bits"},
    {ErrorType::invalid_plain_modulus_coprimality, "invalid_plain_modulus_coprimality",
     "plain_modulus has a common factor with coeff_modulus"},
    {ErrorType::invalid_plain_modulus_too_large, "invalid_plain_modulus_too_large",
     "plain_modulus is not below the product of coeff_modulus"},
    {ErrorType::invalid_plain_modulus_nonzero, "invalid_plain_modulus_nonzero",
     "CKKS has no plain_modulus; leave it 0"},
    {ErrorType::failed_creating_rns_tool, "failed_creating_rns_tool",
     "ringfort has no ring for these parameters on this device; use fewer primes, a shorter plain modulus, a larger "
     "degree, or RINGFORT_DEVICE=cpu"},
};

const ErrorText* text_of(ErrorType error) noexcept {
  const auto* const found = std::find_if(std::begin(kErrorTexts), std::end(kErrorTexts),
                                         [&](const ErrorText& t) { return t.error == error; });
  return found == std::end(kErrorTexts) ? nullptr : found;
}

bool is_ring_prime(const Modulus& q, std::size_t degree) noexcept {
  return q.is_prime() && q.value() % (2 * degree) == 1;
}

// Multiplies a number by a word. The number has one word more than it needs.
void multiply_by_word(std::vector<std::uint64_t>& number, std::uint64_t factor) {
  unsigned __int128 carry = 0;
  for (std::uint64_t& word : number) {
    carry += static_cast<unsigned __int128>(word) * factor;
    word = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
}

std::uint64_t remainder_of(const std::vector<std::uint64_t>& number, std::uint64_t modulus) {
  unsigned __int128 rest = 0;
  for (std::size_t i = number.size(); i-- > 0;) rest = (rest << 64 | number[i]) % modulus;
  return static_cast<std::uint64_t>(rest);
}

}  // namespace

const char* EncryptionParameterQualifiers::parameter_error_name() const noexcept {
  const ErrorText* text = text_of(parameter_error);
  return text == nullptr ? "invalid parameter_error" : text->name;
}

const char* EncryptionParameterQualifiers::parameter_error_message() const noexcept {
  const ErrorText* text = text_of(parameter_error);
  return text == nullptr ? "invalid parameter_error" : text->message;
}

ErrorType SEALContext::check_primes(ContextData& data) {
  const std::vector<Modulus>& primes = data.parms_.coeff_modulus();
  if (primes.size() < SEAL_COEFF_MOD_COUNT_MIN || primes.size() > SEAL_COEFF_MOD_COUNT_MAX)
    return ErrorType::invalid_coeff_modulus_size;
  for (const Modulus& q : primes) {
    if (q.bit_count() < SEAL_USER_MOD_BIT_COUNT_MIN || q.bit_count() > SEAL_USER_MOD_BIT_COUNT_MAX)
      return ErrorType::invalid_coeff_modulus_bit_count;
  }
  data.total_coeff_modulus_.assign(primes.size(), 0);
  data.total_coeff_modulus_[0] = 1;
  for (const Modulus& q : primes) multiply_by_word(data.total_coeff_modulus_, q.value());
  data.total_coeff_modulus_bit_count_ =
      util::get_significant_bit_count_uint(data.total_coeff_modulus_.data(), primes.size());
  return ErrorType::success;
}

ErrorType SEALContext::check_degree(ContextData& data, sec_level_type level) {
  const std::size_t degree = data.parms_.poly_modulus_degree();
  if (degree < SEAL_POLY_MOD_DEGREE_MIN || degree > SEAL_POLY_MOD_DEGREE_MAX)
    return ErrorType::invalid_poly_modulus_degree;
  if (util::get_power_of_two(degree) < 0) return ErrorType::invalid_poly_modulus_degree_non_power_of_two;
  EncryptionParameterQualifiers& found = data.qualifiers_;
  found.using_fft = true;
  found.sec_level = level;
  if (data.total_coeff_modulus_bit_count_ > CoeffModulus::MaxBitCount(degree, level)) {
    found.sec_level = sec_level_type::none;
    if (level != sec_level_type::none) return ErrorType::invalid_parameters_insecure;
  }
  const std::vector<Modulus>& primes = data.parms_.coeff_modulus();
  for (std::size_t i = 0; i < primes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!util::are_coprime(primes[i].value(), primes[j].value())) return ErrorType::failed_creating_rns_base;
    }
  }
  found.using_ntt =
      std::all_of(primes.begin(), primes.end(), [&](const Modulus& q) { return is_ring_prime(q, degree); });
  return found.using_ntt ? ErrorType::success : ErrorType::invalid_coeff_modulus_no_ntt;
}

ErrorType SEALContext::check_plain_modulus(ContextData& data) {
  const Modulus& t = data.parms_.plain_modulus();
  const std::vector<Modulus>& primes = data.parms_.coeff_modulus();
  EncryptionParameterQualifiers& found = data.qualifiers_;
  if (data.parms_.scheme() == scheme_type::ckks) {
    if (!t.is_zero()) return ErrorType::invalid_plain_modulus_nonzero;
    found.using_batching = true;
    data.plain_upper_half_threshold_ = std::uint64_t(1) << 63;
    return ErrorType::success;
  }
  if (t.bit_count() < SEAL_PLAIN_MOD_BIT_COUNT_MIN || t.bit_count() > SEAL_PLAIN_MOD_BIT_COUNT_MAX)
    return ErrorType::invalid_plain_modulus_bit_count;
  for (const Modulus& q : primes) {
    if (!util::are_coprime(q.value(), t.value())) return ErrorType::invalid_plain_modulus_coprimality;
  }
  const std::vector<std::uint64_t>& product = data.total_coeff_modulus_;
  if (util::get_significant_uint64_count_uint(product.data(), product.size()) == 1 && t.value() >= product[0])
    return ErrorType::invalid_plain_modulus_too_large;
  found.using_batching = is_ring_prime(t, data.parms_.poly_modulus_degree());
  found.using_fast_plain_lift = std::all_of(primes.begin(), primes.end(), [&](const Modulus& q) { return q > t; });
  data.plain_upper_half_threshold_ = (t.value() + 1) / 2;
  data.coeff_modulus_mod_plain_modulus_ = remainder_of(product, t.value());
  return ErrorType::success;
}

SEALContext::ContextData SEALContext::validate(const EncryptionParameters& parms,
                                               std::shared_ptr<detail::ChainTables> tables) const {
  ContextData data(parms, std::move(tables));
  ErrorType& error = data.qualifiers_.parameter_error;
  error = parms.scheme() == scheme_type::none ? ErrorType::invalid_scheme : check_primes(data);
  if (error == ErrorType::success) error = check_degree(data, sec_level_);
  if (error == ErrorType::success) error = check_plain_modulus(data);
  if (error != ErrorType::success) return data;
  const std::vector<Modulus>& primes = parms.coeff_modulus();
  data.qualifiers_.using_descending_modulus_chain =
      std::is_sorted(primes.begin(), primes.end(), [](const Modulus& a, const Modulus& b) { return a > b; });
  return data;
}

bool SEALContext::append_next(const parms_id_type& from, parms_id_type& to) {
  const std::shared_ptr<ContextData> before = chain_.at(from);
  EncryptionParameters parms = before->parms_;
  std::vector<Modulus> primes = parms.coeff_modulus();
  if (primes.size() == 1) return false;
  primes.pop_back();
  parms.set_coeff_modulus(primes);
  auto next = std::make_shared<ContextData>(validate(parms, before->chain_tables_));
  if (!next->qualifiers_.parameters_set()) return false;
  next->prev_context_data_ = before;
  before->next_context_data_ = next;
  to = parms.parms_id();
  chain_.emplace(to, std::move(next));
  return true;
}

void SEALContext::number_chain() {
  std::size_t left = chain_.size();
  for (auto at = chain_.at(key_parms_id_); at; at = std::const_pointer_cast<ContextData>(at->next_context_data_))
    at->chain_index_ = --left;
}

SEALContext::SEALContext(const EncryptionParameters& parms, bool expand_mod_chain, sec_level_type sec_level)
    : sec_level_(sec_level) {
  EncryptionParameters keys = parms;
  if (!keys.random_generator()) keys.set_random_generator(UniformRandomGeneratorFactory::DefaultFactory());
  key_parms_id_ = first_parms_id_ = keys.parms_id();
  chain_.emplace(key_parms_id_, std::make_shared<ContextData>(validate(keys)));
  const bool is_valid = chain_.at(key_parms_id_)->qualifiers_.parameters_set();
  if (is_valid) using_keyswitching_ = append_next(key_parms_id_, first_parms_id_);
  last_parms_id_ = first_parms_id_;
  if (is_valid && expand_mod_chain) {
    while (append_next(last_parms_id_, last_parms_id_)) {}
  }
  number_chain();
  build_ring();
}

std::shared_ptr<const SEALContext::ContextData> SEALContext::get_context_data(parms_id_type parms_id) const {
  const auto found = chain_.find(parms_id);
  return found == chain_.end() ? nullptr : found->second;
}

bool SEALContext::parameters_set() const {
  const auto first = first_context_data();
  return first && first->qualifiers_.parameters_set();
}

const char* SEALContext::parameter_error_name() const {
  const auto first = first_context_data();
  return first ? first->qualifiers_.parameter_error_name() : "SEALContext is empty";
}

const char* SEALContext::parameter_error_message() const {
  const auto first = first_context_data();
  return first ? first->qualifiers_.parameter_error_message() : "SEALContext is empty";
}

}  // namespace seal
