// SPDX-License-Identifier: Apache-2.0
// Encryption parameters: their rules, their hash and their bytes (seal/encryptionparams.h).
#include "bytes.h"
#include "errors.h"
#include "seal/encryptionparams.h"

namespace seal {

const parms_id_type parms_id_zero = util::HashFunction::hash_zero_block;

EncryptionParameters::EncryptionParameters(std::uint8_t scheme) : scheme_(static_cast<scheme_type>(scheme)) {
  if (scheme > static_cast<std::uint8_t>(scheme_type::bgv))
    detail::refuse_argument("scheme " + std::to_string(scheme) + " was requested", "choose bfv, ckks or bgv");
  compute_parms_id();
}

void EncryptionParameters::set_poly_modulus_degree(std::size_t poly_modulus_degree) {
  if (scheme_ == scheme_type::none && poly_modulus_degree != 0)
    detail::refuse_state("a degree was set without a scheme", "pass a scheme to EncryptionParameters");
  poly_modulus_degree_ = poly_modulus_degree;
  compute_parms_id();
}

void EncryptionParameters::set_coeff_modulus(const std::vector<Modulus>& coeff_modulus) {
  if (scheme_ == scheme_type::none) {
    if (!coeff_modulus.empty())
      detail::refuse_state("primes were set without a scheme", "pass a scheme to EncryptionParameters");
  } else if (coeff_modulus.size() < SEAL_COEFF_MOD_COUNT_MIN || coeff_modulus.size() > SEAL_COEFF_MOD_COUNT_MAX) {
    detail::refuse_argument(std::to_string(coeff_modulus.size()) + " primes were set", "choose 1 to 64");
  }
  coeff_modulus_ = coeff_modulus;
  compute_parms_id();
}

void EncryptionParameters::set_plain_modulus(const Modulus& plain_modulus) {
  if (scheme_ != scheme_type::bfv && scheme_ != scheme_type::bgv && !plain_modulus.is_zero())
    detail::refuse_state("a plain modulus was set for a scheme without one", "set it only for bfv and bgv");
  plain_modulus_ = plain_modulus;
  compute_parms_id();
}

void EncryptionParameters::compute_parms_id() {
  std::vector<std::uint64_t> words{static_cast<std::uint64_t>(scheme_), poly_modulus_degree_};
  for (const Modulus& prime : coeff_modulus_) words.push_back(prime.value());
  words.push_back(plain_modulus_.value());
  util::HashFunction::hash(words.data(), words.size(), parms_id_);
}

std::streamoff EncryptionParameters::save_size(compr_mode_type compr_mode) const {
  const std::size_t moduli = (coeff_modulus_.size() + 1) * (sizeof(Serialization::SEALHeader) + sizeof(std::uint64_t));
  const std::size_t members = sizeof(std::uint8_t) + 2 * sizeof(std::uint64_t) + moduli;
  return static_cast<std::streamoff>(sizeof(Serialization::SEALHeader) +
                                     Serialization::ComprSizeEstimate(members, compr_mode));
}
std::streamoff EncryptionParameters::save(std::ostream& stream, compr_mode_type compr_mode) const {
  return Serialization::Save([this](std::ostream& to) { save_members(to); }, save_size(compr_mode_type::none), stream,
                             compr_mode, false);
}
std::streamoff EncryptionParameters::save(seal_byte* out, std::size_t size, compr_mode_type compr_mode) const {
  return Serialization::Save([this](std::ostream& to) { save_members(to); }, save_size(compr_mode_type::none), out,
                             size, compr_mode, false);
}
std::streamoff EncryptionParameters::load(std::istream& stream) {
  return Serialization::Load([this](std::istream& from, SEALVersion) { *this = load_members(from); }, stream, false);
}
std::streamoff EncryptionParameters::load(const seal_byte* in, std::size_t size) {
  return Serialization::Load([this](std::istream& from, SEALVersion) { *this = load_members(from); }, in, size, false);
}

void EncryptionParameters::save_members(std::ostream& stream) const {
  detail::write_value(stream, static_cast<std::uint8_t>(scheme_));
  detail::write_value<std::uint64_t>(stream, poly_modulus_degree_);
  detail::write_value<std::uint64_t>(stream, coeff_modulus_.size());
  for (const Modulus& prime : coeff_modulus_) prime.save(stream, compr_mode_type::none);
  plain_modulus_.save(stream, compr_mode_type::none);
}

EncryptionParameters EncryptionParameters::load_members(std::istream& stream) {
  EncryptionParameters loaded(detail::read_value<std::uint8_t>(stream));
  const auto degree = detail::read_value<std::uint64_t>(stream), count = detail::read_value<std::uint64_t>(stream);
  if (degree > SEAL_POLY_MOD_DEGREE_MAX || count > SEAL_COEFF_MOD_COUNT_MAX)
    detail::refuse_state(
        "saved parameters have degree " + std::to_string(degree) + " and " + std::to_string(count) + " primes",
        "the bytes are damaged");
  std::vector<Modulus> primes(static_cast<std::size_t>(count));
  for (Modulus& prime : primes) prime.load(stream);
  Modulus plain_modulus;
  plain_modulus.load(stream);
  loaded.set_poly_modulus_degree(static_cast<std::size_t>(degree));
  loaded.set_coeff_modulus(primes);
  loaded.set_plain_modulus(plain_modulus);
  return loaded;
}

}  // namespace seal
