// SPDX-License-Identifier: Apache-2.0
// Checks that ciphertexts and keys fit a context (seal/valcheck.h). plaintext.cpp has those for plaintexts. Residues in
// an object of Ringfort are below their primes, so that only words of a program's own are compared with the primes.
#include "seal/valcheck.h"

#include <algorithm>
#include <cmath>

#include "objects.h"

namespace seal {

namespace {

using detail::Access;

bool has_valid_scale(const Ciphertext& in, scheme_type scheme) {
  return scheme == scheme_type::ckks ? std::isfinite(in.scale()) && in.scale() > 0 : in.scale() == 1.0;
}

bool has_valid_factor(const Ciphertext& in, const EncryptionParameters& parms) {
  const std::uint64_t factor = in.correction_factor();
  return parms.scheme() == scheme_type::bgv ? factor != 0 && factor < parms.plain_modulus().value() : factor == 1;
}

// Checks the words of each prime.
bool are_below(const Ciphertext& in, const std::vector<Modulus>& primes) {
  const std::size_t n = in.poly_modulus_degree();
  const auto& words = in.dyn_array();
  for (std::size_t row = 0; row * n < words.size(); ++row) {
    const std::uint64_t q = primes[row % primes.size()].value();
    const std::uint64_t* const first = words.begin() + row * n;
    if (std::any_of(first, first + n, [q](std::uint64_t word) { return word >= q; })) return false;
  }
  return true;
}

template <class Key>
bool are_parts_valid(const Key& in) {
  return std::all_of(in.data().begin(), in.data().end(), [](const std::vector<PublicKey>& key) {
    return std::all_of(key.begin(), key.end(), [](const PublicKey& part) {
      return is_buffer_valid(part.data()) && !Access::has_changed_words(part.data());
    });
  });
}

}  // namespace

bool is_metadata_valid_for(const Ciphertext& in, const SEALContext& context, bool allow_pure_key_levels) {
  if (!context.parameters_set()) return false;
  const auto data = context.get_context_data(in.parms_id());
  if (!data) return false;
  const bool of_keys = data->chain_index() > context.first_context_data()->chain_index();
  if (of_keys && !allow_pure_key_levels) return false;
  const EncryptionParameters& parms = data->parms();
  if (in.coeff_modulus_size() != parms.coeff_modulus().size()) return false;
  if (in.poly_modulus_degree() != parms.poly_modulus_degree()) return false;
  const std::size_t size = in.size();
  if (size != 0 && (size < SEAL_CIPHERTEXT_SIZE_MIN || size > SEAL_CIPHERTEXT_SIZE_MAX)) return false;
  return has_valid_factor(in, parms) && has_valid_scale(in, parms.scheme());
}

bool is_metadata_valid_for(const SecretKey& in, const SEALContext& context) {
  return context.parameters_set() && Access::object(in) != nullptr && in.parms_id() == context.key_parms_id();
}

bool is_metadata_valid_for(const PublicKey& in, const SEALContext& context) {
  return is_metadata_valid_for(in.data(), context, true) && in.is_ntt_form() &&
         in.parms_id() == context.key_parms_id() && in.data().size() == SEAL_CIPHERTEXT_SIZE_MIN;
}

bool is_metadata_valid_for(const KSwitchKeys& in, const SEALContext& context) {
  if (!context.parameters_set() || in.parms_id() != context.key_parms_id()) return false;
  const std::size_t digits = context.first_context_data()->parms().coeff_modulus().size();
  return std::all_of(in.data().begin(), in.data().end(), [&](const std::vector<PublicKey>& key) {
    if (!key.empty() && key.size() != digits) return false;
    return std::all_of(key.begin(), key.end(),
                       [&](const PublicKey& part) { return is_metadata_valid_for(part, context); });
  });
}

bool is_metadata_valid_for(const RelinKeys& in, const SEALContext& context) {
  return is_metadata_valid_for(static_cast<const KSwitchKeys&>(in), context) &&
         in.size() <= SEAL_CIPHERTEXT_SIZE_MAX - 2;
}

bool is_metadata_valid_for(const GaloisKeys& in, const SEALContext& context) {
  return is_metadata_valid_for(static_cast<const KSwitchKeys&>(in), context) &&
         in.size() <= context.key_context_data()->parms().poly_modulus_degree();
}

bool is_buffer_valid(const Ciphertext& in) {
  if (Access::has_shared_words(in)) return in.size() == Access::object(in)->components();
  const std::size_t words = util::mul_safe(in.size(), in.coeff_modulus_size(), in.poly_modulus_degree());
  return in.dyn_array().size() == words;
}

bool is_buffer_valid(const SecretKey& in) { return Access::shows_its_words(in); }
bool is_buffer_valid(const PublicKey& in) {
  return Access::object(in) != nullptr && is_buffer_valid(in.data()) && !Access::has_changed_words(in.data());
}
bool is_buffer_valid(const KSwitchKeys& in) { return are_parts_valid(in); }
bool is_buffer_valid(const RelinKeys& in) { return are_parts_valid(in); }
bool is_buffer_valid(const GaloisKeys& in) { return are_parts_valid(in); }

bool is_data_valid_for(const Ciphertext& in, const SEALContext& context) {
  if (!is_metadata_valid_for(in, context)) return false;
  return Access::has_shared_words(in) ||
         are_below(in, context.get_context_data(in.parms_id())->parms().coeff_modulus());
}
bool is_data_valid_for(const SecretKey& in, const SEALContext& context) { return is_metadata_valid_for(in, context); }
bool is_data_valid_for(const PublicKey& in, const SEALContext& context) { return is_metadata_valid_for(in, context); }
bool is_data_valid_for(const KSwitchKeys& in, const SEALContext& context) { return is_metadata_valid_for(in, context); }
bool is_data_valid_for(const RelinKeys& in, const SEALContext& context) { return is_metadata_valid_for(in, context); }
bool is_data_valid_for(const GaloisKeys& in, const SEALContext& context) { return is_metadata_valid_for(in, context); }

bool is_valid_for(const Ciphertext& in, const SEALContext& context) {
  return is_buffer_valid(in) && is_data_valid_for(in, context);
}
bool is_valid_for(const SecretKey& in, const SEALContext& context) {
  return is_buffer_valid(in) && is_data_valid_for(in, context);
}
bool is_valid_for(const PublicKey& in, const SEALContext& context) {
  return is_buffer_valid(in) && is_data_valid_for(in, context);
}
bool is_valid_for(const KSwitchKeys& in, const SEALContext& context) {
  return is_buffer_valid(in) && is_data_valid_for(in, context);
}
bool is_valid_for(const RelinKeys& in, const SEALContext& context) {
  return is_buffer_valid(in) && is_data_valid_for(in, context);
}
bool is_valid_for(const GaloisKeys& in, const SEALContext& context) {
  return is_buffer_valid(in) && is_data_valid_for(in, context);
}

}  // namespace seal
