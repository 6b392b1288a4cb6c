// SPDX-License-Identifier: Apache-2.0
// Parameters of the leveled schemes CKKS, BFV and BGV: as plain data, chosen from what is wanted (choose), by name
// (preset), and explained. choose() gives the smallest ring for which the library's own bounds keep the promise: CKKS
// `precision` bits after the binary point in every slot, BFV and BGV exact results, except with probability 2^-128,
// after `depth` products one after another under a public key, and sums of up to four such results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringfort {

// Which table of largest moduli holds: 128, 192 or 256 bits; the guidelines of 2024 or the standard of 2018.
struct SecurityGoal {
  std::uint32_t bits = 128;
  std::uint32_t standard = 2024;
  bool quantum = false;  // attacks by quantum computers
};

// Ring and primes. A level is a group of limbs_per_level data primes; the top level has all of them, level 0 the first
// group.
struct ChainParameters {
  std::uint32_t n = 0;                 // ring degree, a power of two
  std::vector<std::uint64_t> data;     // q_0, q_1, ...: primes, 1 mod 2n; all primes < 2^31: 32-bit words
  std::vector<std::uint64_t> special;  // p_0, ...: what key switching divides by; none: no evaluation keys
  std::uint32_t limbs_per_level = 1;
  // data primes in a digit of key switching (dnum = data / digit_limbs, rounded up)
  std::uint32_t digit_limbs = 1;
  std::string insecure_reason;  // not empty: not checked against the table, and why that was accepted
  SecurityGoal security;
};

enum class PrimeForm : std::uint8_t { any, c_2_16_1 };  // c * 2^16 + 1

// For devices that multiply short words only: every data prime is below 2^bits, as near to it as there are primes, and
// a level has as many as it needs. Special primes too. bits: 0 (the library chooses, at most 60) or 20 .. 60.
struct PrimeChoice {
  std::uint32_t bits = 0;
  PrimeForm form = PrimeForm::any;
};

// What decryptions that others see have to hide: `bits` of security against `queries` of them; 0: none is planned.
struct Release {
  std::uint32_t bits = 0;
  std::uint64_t queries = 1;
};

// What all schemes' requirements have in common.
struct RingRequirements {
  std::uint32_t depth = 4;  // products one after another
  // at least so many; 0: all of the ring that is chosen; BFV, BGV: 1 needs no batches
  std::uint32_t slots = 0;
  std::uint32_t n = 0;  // 0: the smallest that fits
  SecurityGoal security;
  std::string insecure_reason;  // not empty: any modulus is accepted for the given n
  PrimeChoice primes;
};

struct Explanation {
  std::uint32_t n = 0;
  std::uint32_t slots = 0;
  std::uint32_t depth = 0;          // products one after another that the bounds allow
  double log2_qp = 0;               // of the largest modulus under which a key is published
  std::uint32_t log2_qp_limit = 0;  // 0: the table has no such row
  std::string security;             // "128 bits (2024, classical attacks)", or why not
  // after k products, k in 0 .. depth: CKKS precision bits, BFV and BGV noise budget
  std::vector<double> bits_left;
  std::size_t ciphertext_bytes = 0;  // in memory: two components, all levels
  std::size_t secret_key_bytes = 0;
  std::size_t public_key_bytes = 0;
  std::size_t relinearization_key_bytes = 0;  // 0: no special prime
  std::size_t galois_key_bytes = 0;           // of each
  [[nodiscard]] std::string text() const;     // one fact a line
};

// Errors of every choose(): invalid_argument; unsupported (no ring or no primes: the message says how much is missing);
// insecure_parameters. Of every preset(): invalid_argument (unknown name; the message lists them).
namespace ckks {

struct Requirements : RingRequirements {
  std::uint32_t precision = 20;  // bits after the binary point, after `depth` products
  double magnitude = 1;          // |factors| of every product are at most this; results may be its square
  Release release;
};

struct Parameters {
  ChainParameters chain;
  // of plaintexts at the top level; each data prime but q_0 should be near it
  double scale = 0;
  std::uint32_t slots = 0;  // a power of two; 0: n/2
  double magnitude = 1;     // |values| of what is encrypted are at most this
  // planned for: decryptions to be shown stay precise under their flooding noise
  Release release;
};

[[nodiscard]] Parameters choose(const Requirements& requirements);
[[nodiscard]] Explanation explain(const Parameters& parameters);
// "ckks-32768-8": N = 32768, 8 data primes of 50 bits
[[nodiscard]] Parameters preset(std::string_view name);
[[nodiscard]] std::vector<std::string_view> preset_names();

}  // namespace ckks

namespace bfv {

struct Requirements : RingRequirements {
  std::uint64_t plain_modulus = 65537;
};

struct Parameters {
  ChainParameters chain;
  std::uint64_t plain_modulus = 65537;  // t: a prime; 1 mod 2n for batches
};

[[nodiscard]] Parameters choose(const Requirements& requirements);
[[nodiscard]] Explanation explain(const Parameters& parameters);
[[nodiscard]] Parameters preset(std::string_view name);  // "bfv-8192", "bfv-16384"
[[nodiscard]] std::vector<std::string_view> preset_names();

}  // namespace bfv

namespace bgv {

struct Requirements : RingRequirements {
  std::uint64_t plain_modulus = 65537;
};

struct Parameters {
  ChainParameters chain;
  std::uint64_t plain_modulus = 65537;
};

[[nodiscard]] Parameters choose(const Requirements& requirements);
[[nodiscard]] Explanation explain(const Parameters& parameters);
[[nodiscard]] Parameters preset(std::string_view name);  // "bgv-8192", "bgv-16384"
[[nodiscard]] std::vector<std::string_view> preset_names();

}  // namespace bgv

}  // namespace ringfort
