// SPDX-License-Identifier: Apache-2.0
// A modulus with at most 61 bits, and the choice of primes for a ring. Primes are 1 modulo twice the degree.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <limits>
#include <vector>

#include "seal/serialization.h"
#include "seal/util/defines.h"
#include "seal/util/hestdparms.h"
#include "seal/util/uintcore.h"
#include "seal/version.h"

namespace seal {

// Zero means: not set. Errors: std::invalid_argument (1, or more than 61 bits), std::logic_error (reduce by zero).
class Modulus {
 public:
  Modulus(std::uint64_t value = 0) { set_value(value); }
  Modulus& operator=(std::uint64_t value) {
    set_value(value);
    return *this;
  }

  [[nodiscard]] int bit_count() const noexcept { return bit_count_; }
  [[nodiscard]] std::size_t uint64_count() const noexcept { return 1; }
  [[nodiscard]] const std::uint64_t* data() const noexcept { return &value_; }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }
  // Returns the two words of floor(2^128 / value), lowest first, and the remainder.
  [[nodiscard]] const std::array<std::uint64_t, 3>& const_ratio() const noexcept { return const_ratio_; }
  [[nodiscard]] bool is_zero() const noexcept { return value_ == 0; }
  [[nodiscard]] bool is_prime() const noexcept { return is_prime_; }

  [[nodiscard]] bool operator==(const Modulus& compare) const noexcept { return value_ == compare.value_; }
  [[nodiscard]] bool operator==(std::uint64_t compare) const noexcept { return value_ == compare; }
  [[nodiscard]] bool operator!=(const Modulus& compare) const noexcept { return value_ != compare.value_; }
  [[nodiscard]] bool operator!=(std::uint64_t compare) const noexcept { return value_ != compare; }
  [[nodiscard]] bool operator<(const Modulus& compare) const noexcept { return value_ < compare.value_; }
  [[nodiscard]] bool operator<(std::uint64_t compare) const noexcept { return value_ < compare; }
  [[nodiscard]] bool operator<=(const Modulus& compare) const noexcept { return value_ <= compare.value_; }
  [[nodiscard]] bool operator<=(std::uint64_t compare) const noexcept { return value_ <= compare; }
  [[nodiscard]] bool operator>(const Modulus& compare) const noexcept { return value_ > compare.value_; }
  [[nodiscard]] bool operator>(std::uint64_t compare) const noexcept { return value_ > compare; }
  [[nodiscard]] bool operator>=(const Modulus& compare) const noexcept { return value_ >= compare.value_; }
  [[nodiscard]] bool operator>=(std::uint64_t compare) const noexcept { return value_ >= compare; }

  [[nodiscard]] std::streamoff save_size(compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  std::streamoff save(std::ostream& stream, compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  std::streamoff save(seal_byte* out, std::size_t size,
                      compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  std::streamoff load(std::istream& stream);
  std::streamoff load(const seal_byte* in, std::size_t size);

  [[nodiscard]] std::uint64_t reduce(std::uint64_t value) const;

 private:
  void set_value(std::uint64_t value);
  std::uint64_t value_ = 0;
  std::array<std::uint64_t, 3> const_ratio_{{0, 0, 0}};
  int bit_count_ = 0;
  bool is_prime_ = false;
};

enum class sec_level_type : int { none = 0, tc128 = 128, tc192 = 192, tc256 = 256 };

// Errors: std::invalid_argument (a degree or a length out of range), std::logic_error (too few primes).
class CoeffModulus {
 public:
  CoeffModulus() = delete;
  // Returns the longest product of primes, in bits, that is secure; 0 for a degree without a row in the tables.
  [[nodiscard]] static constexpr int MaxBitCount(std::size_t poly_modulus_degree,
                                                 sec_level_type sec_level = sec_level_type::tc128) noexcept {
    switch (sec_level) {
      case sec_level_type::tc128: return util::seal_he_std_parms_128_tc(poly_modulus_degree);
      case sec_level_type::tc192: return util::seal_he_std_parms_192_tc(poly_modulus_degree);
      case sec_level_type::tc256: return util::seal_he_std_parms_256_tc(poly_modulus_degree);
      case sec_level_type::none: return (std::numeric_limits<int>::max)();
    }
    return 0;
  }
  [[nodiscard]] static std::vector<Modulus> BFVDefault(std::size_t poly_modulus_degree,
                                                       sec_level_type sec_level = sec_level_type::tc128);
  // Returns different primes of the given lengths, the largest of a length last.
  [[nodiscard]] static std::vector<Modulus> Create(std::size_t poly_modulus_degree, std::vector<int> bit_sizes);
  // The primes are also 1 modulo the odd part of the plain modulus.
  [[nodiscard]] static std::vector<Modulus> Create(std::size_t poly_modulus_degree, const Modulus& plain_modulus,
                                                   std::vector<int> bit_sizes);
};

class PlainModulus {
 public:
  PlainModulus() = delete;
  // Return primes that give a plaintext one slot a coefficient.
  [[nodiscard]] static Modulus Batching(std::size_t poly_modulus_degree, int bit_size) {
    return CoeffModulus::Create(poly_modulus_degree, {bit_size})[0];
  }
  [[nodiscard]] static std::vector<Modulus> Batching(std::size_t poly_modulus_degree, std::vector<int> bit_sizes) {
    return CoeffModulus::Create(poly_modulus_degree, std::move(bit_sizes));
  }
};

}  // namespace seal
