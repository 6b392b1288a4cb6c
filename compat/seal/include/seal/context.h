// SPDX-License-Identifier: Apache-2.0
// A context: validated parameters, and the chain of parameters that ciphertexts pass through as they lose primes. The
// chain begins with the parameters of keys (all primes). The next ones are those of fresh ciphertexts: all primes but
// the last. A valid context owns one context of this library, on its default device (RINGFORT_DEVICE).
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "seal/encryptionparams.h"
#include "seal/memorymanager.h"
#include "seal/modulus.h"
#include "seal/util/galois.h"
#include "seal/util/ntt.h"
#include "seal/util/rns.h"

namespace seal {

namespace detail {
struct ChainTables;
struct ContextState;
struct KeptLevelTables;
struct LevelTables;
}  // namespace detail

class EncryptionParameterQualifiers {
 public:
  enum class error_type : int {
    none = -1,
    success = 0,
    invalid_scheme = 1,
    invalid_coeff_modulus_size = 2,
    invalid_coeff_modulus_bit_count = 3,
    invalid_coeff_modulus_no_ntt = 4,
    invalid_poly_modulus_degree = 5,
    invalid_poly_modulus_degree_non_power_of_two = 6,
    invalid_parameters_too_large = 7,
    invalid_parameters_insecure = 8,
    failed_creating_rns_base = 9,
    invalid_plain_modulus_bit_count = 10,
    invalid_plain_modulus_coprimality = 11,
    invalid_plain_modulus_too_large = 12,
    invalid_plain_modulus_nonzero = 13,
    failed_creating_rns_tool = 14  // this library has no ring for the parameters
  };

  error_type parameter_error = error_type::none;
  bool using_fft = false;
  bool using_ntt = false;
  bool using_batching = false;
  bool using_fast_plain_lift = false;
  bool using_descending_modulus_chain = false;
  sec_level_type sec_level = sec_level_type::none;

  [[nodiscard]] const char* parameter_error_name() const noexcept;
  [[nodiscard]] const char* parameter_error_message() const noexcept;
  [[nodiscard]] bool parameters_set() const noexcept { return parameter_error == error_type::success; }

 private:
  EncryptionParameterQualifiers() = default;
  friend class SEALContext;
};

// Copies share everything.
class SEALContext {
 public:
  class ContextData {
   public:
    ContextData() = delete;
    ContextData(const ContextData&) = delete;
    ContextData(ContextData&&) = default;
    ContextData& operator=(ContextData&&) = default;

    [[nodiscard]] const EncryptionParameters& parms() const noexcept { return parms_; }
    [[nodiscard]] const parms_id_type& parms_id() const noexcept { return parms_.parms_id(); }
    [[nodiscard]] EncryptionParameterQualifiers qualifiers() const noexcept { return qualifiers_; }
    // Returns the product of the primes: as many words as primes, lowest first; null if the primes are invalid.
    [[nodiscard]] const std::uint64_t* total_coeff_modulus() const noexcept {
      return total_coeff_modulus_.empty() ? nullptr : total_coeff_modulus_.data();
    }
    [[nodiscard]] int total_coeff_modulus_bit_count() const noexcept { return total_coeff_modulus_bit_count_; }
    // Returns the smallest plaintext coefficient that is the residue of a negative number.
    [[nodiscard]] std::uint64_t plain_upper_half_threshold() const noexcept { return plain_upper_half_threshold_; }
    [[nodiscard]] std::uint64_t coeff_modulus_mod_plain_modulus() const noexcept {
      return coeff_modulus_mod_plain_modulus_;
    }
    // The rest is for programs that compute with words: the first call makes the tables. Pointers are valid as long as
    // this object. Null: the parameters are not valid or have no such table (plain_ntt_tables: no slots; words of the
    // plain modulus: CKKS).
    [[nodiscard]] util::NTTTables* small_ntt_tables() const;
    [[nodiscard]] util::NTTTables* plain_ntt_tables() const;
    [[nodiscard]] util::GaloisTool* galois_tool() const;
    [[nodiscard]] util::RNSTool* rns_tool() const;
    // Returns floor(q / t) modulo each prime.
    [[nodiscard]] const util::MultiplyUIntModOperand* coeff_div_plain_modulus() const;
    // Returns what is added modulo each prime to a plaintext coefficient that is the residue of a negative number.
    // Without using_fast_plain_lift: the words of q - t.
    [[nodiscard]] const std::uint64_t* plain_upper_half_increment() const;
    // Returns the words of (q + 1) / 2, the smallest residue of a negative number.
    [[nodiscard]] const std::uint64_t* upper_half_threshold() const;

    [[nodiscard]] std::shared_ptr<const ContextData> prev_context_data() const noexcept {
      return prev_context_data_.lock();
    }
    [[nodiscard]] std::shared_ptr<const ContextData> next_context_data() const noexcept { return next_context_data_; }
    // Returns the number of parameters that follow in the chain.
    [[nodiscard]] std::size_t chain_index() const noexcept { return chain_index_; }

   private:
    friend class SEALContext;
    explicit ContextData(EncryptionParameters parms, std::shared_ptr<detail::ChainTables> tables = {});
    [[nodiscard]] const detail::LevelTables& level_tables() const;

    EncryptionParameters parms_;
    EncryptionParameterQualifiers qualifiers_;
    std::vector<std::uint64_t> total_coeff_modulus_;
    int total_coeff_modulus_bit_count_ = 0;
    std::uint64_t plain_upper_half_threshold_ = 0;
    std::uint64_t coeff_modulus_mod_plain_modulus_ = 0;
    std::weak_ptr<const ContextData> prev_context_data_;
    std::shared_ptr<const ContextData> next_context_data_;
    std::size_t chain_index_ = 0;
    std::shared_ptr<detail::ChainTables> chain_tables_;  // shared by the whole chain
    std::shared_ptr<detail::KeptLevelTables> level_tables_;
  };

  // Invalid parameters are no error: see parameters_set. Without expand_mod_chain, the chain ends with the parameters
  // of fresh ciphertexts.
  SEALContext(const EncryptionParameters& parms, bool expand_mod_chain = true,
              sec_level_type sec_level = sec_level_type::tc128);

  // Returns null if no parameters of the chain have this hash.
  [[nodiscard]] std::shared_ptr<const ContextData> get_context_data(parms_id_type parms_id) const;
  [[nodiscard]] std::shared_ptr<const ContextData> key_context_data() const { return get_context_data(key_parms_id_); }
  [[nodiscard]] std::shared_ptr<const ContextData> first_context_data() const {
    return get_context_data(first_parms_id_);
  }
  [[nodiscard]] std::shared_ptr<const ContextData> last_context_data() const {
    return get_context_data(last_parms_id_);
  }
  [[nodiscard]] bool parameters_set() const;
  [[nodiscard]] const char* parameter_error_name() const;
  [[nodiscard]] const char* parameter_error_message() const;
  [[nodiscard]] const parms_id_type& key_parms_id() const noexcept { return key_parms_id_; }
  [[nodiscard]] const parms_id_type& first_parms_id() const noexcept { return first_parms_id_; }
  [[nodiscard]] const parms_id_type& last_parms_id() const noexcept { return last_parms_id_; }
  [[nodiscard]] bool using_keyswitching() const noexcept { return using_keyswitching_; }
  [[nodiscard]] sec_level_type sec_level() const noexcept { return sec_level_; }

  // For this library. Never null.
  [[nodiscard]] const std::shared_ptr<const detail::ContextState>& state() const noexcept { return state_; }

 private:
  using Chain = std::unordered_map<parms_id_type, std::shared_ptr<ContextData>>;
  [[nodiscard]] ContextData validate(const EncryptionParameters& parms,
                                     std::shared_ptr<detail::ChainTables> tables = {}) const;
  [[nodiscard]] static EncryptionParameterQualifiers::error_type check_primes(ContextData& data);
  [[nodiscard]] static EncryptionParameterQualifiers::error_type check_degree(ContextData& data, sec_level_type level);
  [[nodiscard]] static EncryptionParameterQualifiers::error_type check_plain_modulus(ContextData& data);
  [[nodiscard]] bool append_next(const parms_id_type& from, parms_id_type& to);
  void build_ring();
  void number_chain();

  parms_id_type key_parms_id_{};
  parms_id_type first_parms_id_{};
  parms_id_type last_parms_id_{};
  Chain chain_;
  sec_level_type sec_level_;
  bool using_keyswitching_ = false;
  std::shared_ptr<const detail::ContextState> state_;
};

}  // namespace seal
