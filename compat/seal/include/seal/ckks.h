// SPDX-License-Identifier: Apache-2.0
// Encodes n/2 real or complex numbers into plaintexts of CKKS. A single number fills all slots. The product of scale
// and value is below 2^119. decode does not round: its results have the noise of the computation (see decryptor.h).
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "seal/context.h"
#include "seal/memorymanager.h"
#include "seal/plaintext.h"
#include "seal/util/croots.h"
#include "seal/util/dwthandler.h"

namespace seal {

namespace util {

template <>
class Arithmetic<std::complex<double>, std::complex<double>, double> {
  using Complex = std::complex<double>;

 public:
  [[nodiscard]] Complex add(const Complex& a, const Complex& b) const { return a + b; }
  [[nodiscard]] Complex sub(const Complex& a, const Complex& b) const { return a - b; }
  [[nodiscard]] Complex mul_root(const Complex& a, const Complex& r) const { return a * r; }
  [[nodiscard]] Complex mul_scalar(const Complex& a, const double& s) const { return a * s; }
  [[nodiscard]] Complex mul_root_scalar(const Complex& r, const double& s) const { return r * s; }
  [[nodiscard]] Complex guard(const Complex& a) const { return a; }
};

}  // namespace util

// Errors: std::invalid_argument (parameters, level, scale, number of values or plaintext are not valid).
class CKKSEncoder {
  template <class T>
  static constexpr bool is_number = std::is_same_v<T, double> || std::is_same_v<T, std::complex<double>>;

 public:
  CKKSEncoder(const SEALContext& context);  // NOLINT(google-explicit-constructor)
  CKKSEncoder(const CKKSEncoder&) = delete;
  CKKSEncoder& operator=(const CKKSEncoder&) = delete;

  template <class T, class = std::enable_if_t<is_number<T>>>
  void encode(const std::vector<T>& values, parms_id_type parms_id, double scale, Plaintext& destination,
              MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    encode_values(values, parms_id, scale, destination, pool);
  }
  template <class T, class = std::enable_if_t<is_number<T>>>
  void encode(const std::vector<T>& values, double scale, Plaintext& destination,
              MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    encode_values(values, context_.first_parms_id(), scale, destination, pool);
  }
  void encode(double value, parms_id_type parms_id, double scale, Plaintext& destination,
              MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void encode(double value, double scale, Plaintext& destination,
              MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void encode(std::complex<double> value, parms_id_type parms_id, double scale, Plaintext& destination,
              MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void encode(std::complex<double> value, double scale, Plaintext& destination,
              MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  // Encode an integer with scale 1.
  void encode(std::int64_t value, parms_id_type parms_id, Plaintext& destination) const;
  void encode(std::int64_t value, Plaintext& destination) const;

  template <class T, class = std::enable_if_t<is_number<T>>>
  void decode(const Plaintext& plain, std::vector<T>& destination,
              MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    decode_values(plain, destination, pool);
  }
  [[nodiscard]] std::size_t slot_count() const noexcept { return slots_; }

 private:
  void encode_values(const std::vector<double>& values, const parms_id_type& parms_id, double scale,
                     Plaintext& destination, const MemoryPoolHandle& pool) const;
  void encode_values(const std::vector<std::complex<double>>& values, const parms_id_type& parms_id, double scale,
                     Plaintext& destination, const MemoryPoolHandle& pool) const;
  void decode_values(const Plaintext& plain, std::vector<double>& destination, const MemoryPoolHandle& pool) const;
  void decode_values(const Plaintext& plain, std::vector<std::complex<double>>& destination,
                     const MemoryPoolHandle& pool) const;

  SEALContext context_;
  std::size_t slots_;
};

}  // namespace seal
