// SPDX-License-Identifier: Apache-2.0
// Parameters of the leveled schemes CKKS, BFV and BGV. choose() finds them from requirements, preset() by name, and
// explain() describes them. choose() returns the smallest ring for this circuit: encrypt values under a public key,
// compute `depth` consecutive products of them, and add up to four such results. Then, except with probability 2^-128,
// CKKS has `precision` correct bits after the binary point in every slot, and BFV and BGV are exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringfort {

// Chooses the table of largest moduli: for 128, 192 or 256 bits, from the guidelines of 2024 or the standard of 2018.
struct SecurityGoal {
  std::uint32_t bits = 128;
  std::uint32_t standard = 2024;
  bool quantum = false;  // attacks by quantum computers
};

// Ring and primes. The data primes form groups of limbs_per_level. A ciphertext of level l has the first l + 1 groups.
struct ChainParameters {
  std::uint32_t n = 0;                 // ring degree, a power of two
  std::vector<std::uint64_t> data;     // q_0, q_1, ...: primes, 1 mod 2n; if all are below 2^31, words have 32 bits
  std::vector<std::uint64_t> special;  // p_0, ...: key switching divides by them; empty: no evaluation keys
  std::uint32_t limbs_per_level = 1;
  // data primes in a digit of key switching (dnum = data / digit_limbs, rounded up)
  std::uint32_t digit_limbs = 1;
  std::string insecure_reason;  // not empty: skips the check against the table; states why
  SecurityGoal security;
};

enum class PrimeForm : std::uint8_t { any, c_2_16_1 };  // c * 2^16 + 1

// Length and form of the primes, for devices that multiply only short words. Every prime is below 2^bits, and as near
// to 2^bits as possible. A level has as many primes as it needs. bits: 20 .. 60, or 0 (the library chooses, at most
// 60).
struct PrimeChoice {
  std::uint32_t bits = 0;
  PrimeForm form = PrimeForm::any;
};

// A plan for decryptions that others will see: after `queries` of them, `bits` of security must remain. bits = 0: no
// such decryption is planned.
struct Release {
  std::uint32_t bits = 0;
  std::uint64_t queries = 1;
};

// Requirements common to all schemes.
struct RingRequirements {
  std::uint32_t depth = 4;  // consecutive products
  // least number of slots; 0: all slots of the chosen ring; 1 in BFV and BGV: slots are not needed
  std::uint32_t slots = 0;
  std::uint32_t n = 0;  // ring degree; 0: the smallest that fits
  SecurityGoal security;
  std::string insecure_reason;  // not empty: accepts any modulus for the given n; states why
  PrimeChoice primes;
  // BFV, BGV: true if contexts with other plaintext moduli, at most as long as this one, will use the same primes. The
  // primes then do not depend on the plaintext modulus.
  bool shared_chain = false;
};

struct Explanation {  // facts about parameters
  std::uint32_t n = 0;
  std::uint32_t slots = 0;
  std::uint32_t depth = 0;          // consecutive products that the bounds allow
  double log2_qp = 0;               // log2 of the largest modulus under which keys are published
  std::uint32_t log2_qp_limit = 0;  // 0: the table has no such row
  std::string security;             // "128 bits (2024, classical attacks)", or the reason for less
  // after k products, k in 0 .. depth: CKKS precision bits, BFV and BGV noise budget
  std::vector<double> bits_left;
  std::size_t ciphertext_bytes = 0;  // in memory: two components, all levels
  std::size_t secret_key_bytes = 0;
  std::size_t public_key_bytes = 0;
  std::size_t relinearization_key_bytes = 0;  // 0: no special prime
  std::size_t galois_key_bytes = 0;           // per key
  [[nodiscard]] std::string text() const;     // one fact per line
};

// Errors of every choose(): invalid_argument; unsupported (no ring or no primes: the message states how much is
// missing); insecure_parameters. Errors of every preset(): invalid_argument (unknown name; the message lists all).
namespace ckks {

struct Requirements : RingRequirements {  // requirements for `choose`
  std::uint32_t precision = 20;           // bits after the binary point, after `depth` products
  double magnitude = 16;                  // bound on |factors| of every product; results may reach its square
  Release release;
};

struct Parameters {  // parameters of a ciphertext and its keys
  ChainParameters chain;
  // scale of plaintexts at the top level; data primes other than q_0 should be near it
  double scale = 0;
  std::uint32_t slots = 0;  // a power of two; 0: n/2
  double magnitude = 1;     // bound on encrypted |values|
  // planned decryptions for others; the planned precision includes their noise
  Release release;
};

[[nodiscard]] Parameters choose(const Requirements& requirements);  // the smallest ring that meets them
[[nodiscard]] Explanation explain(const Parameters& parameters);    // sizes, security, bits left
// "ckks-32768-8": N = 32768, 8 data primes of 50 bits
[[nodiscard]] Parameters preset(std::string_view name);
[[nodiscard]] std::vector<std::string_view> preset_names();  // names for preset

}  // namespace ckks

namespace bfv {

struct Requirements : RingRequirements {  // requirements for `choose`
  std::uint64_t plain_modulus = 65537;
};

struct Parameters {  // parameters of a ciphertext and its keys
  ChainParameters chain;
  std::uint64_t plain_modulus = 65537;  // t: a prime; slots need t = 1 mod 2n
};

[[nodiscard]] Parameters choose(const Requirements& requirements);  // the smallest ring that meets them
[[nodiscard]] Explanation explain(const Parameters& parameters);    // sizes, security, bits left
[[nodiscard]] Parameters preset(std::string_view name);             // "bfv-8192", "bfv-16384"
[[nodiscard]] std::vector<std::string_view> preset_names();         // names for preset

}  // namespace bfv

namespace bgv {

struct Requirements : RingRequirements {  // requirements for `choose`
  std::uint64_t plain_modulus = 65537;
};

struct Parameters {  // parameters of a ciphertext and its keys
  ChainParameters chain;
  std::uint64_t plain_modulus = 65537;
};

[[nodiscard]] Parameters choose(const Requirements& requirements);  // the smallest ring that meets them
[[nodiscard]] Explanation explain(const Parameters& parameters);    // sizes, security, bits left
[[nodiscard]] Parameters preset(std::string_view name);             // "bgv-8192", "bgv-16384"
[[nodiscard]] std::vector<std::string_view> preset_names();         // names for preset

}  // namespace bgv

}  // namespace ringfort
