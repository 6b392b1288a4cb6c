// SPDX-License-Identifier: Apache-2.0
// Parameters of the leveled schemes CKKS, BFV and BGV. The ring is the integer polynomials modulo x^n + 1; a larger
// degree n allows longer moduli, and costs more time. choose() finds parameters for given requirements, preset()
// returns them by name, and explain() describes them. choose() returns the smallest ring for the following circuit:
// values are encrypted under a public key, `depth` consecutive products of them are computed, and up to four such
// results are added. Except with probability 2^-128, CKKS then has `precision` correct bits after the binary point in
// every slot, and BFV and BGV are exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringfort {

// Names the table that states the longest secure modulus for each n. `bits` is the security in bits: 128, 192 or 256.
// `standard` is 2024 for the guidelines of that year, or 2018 for the standard of that year.
struct SecurityGoal {
  std::uint32_t bits = 128;
  std::uint32_t standard = 2024;
  bool quantum = false;  // true: the limits for attacks by quantum computers
};

// Ring and primes. The modulus of a ciphertext is a product of data primes. limbs_per_level consecutive data primes
// form a group. A ciphertext of level l has the first l + 1 groups.
struct ChainParameters {
  std::uint32_t n = 0;  // ring degree, a power of two
  // q_0, q_1, ...: primes, 1 mod 2n. If all data and special primes are below 2^31, residues are words of 32 bits.
  std::vector<std::uint64_t> data;
  // p_0, ...: key switching divides by them; if there are none, relinearization and rotation are not possible
  std::vector<std::uint64_t> special;
  std::uint32_t limbs_per_level = 1;
  // number of data primes in one digit of key switching; there are ceil(data.size() / digit_limbs) digits
  std::uint32_t digit_limbs = 1;
  std::string insecure_reason;  // not empty: the limits of the table do not apply; the text says why
  SecurityGoal security;
  // Not empty: objects carry no noise bounds, verbs never refuse an operand for its noise, and decryption returns
  // whatever the phase contains, also a wrong value. The text says why; for example, the program measures the noise
  // itself. Files do not contain such parameters. A digit of key switching may be longer than the special primes.
  std::string unguarded_reason{};
};

enum class PrimeForm : std::uint8_t { any, c_2_16_1 };  // form of a prime; c_2_16_1: c * 2^16 + 1

// Length and form of the primes. Devices that multiply only short words need short primes. If `bits` is 20 .. 60, every
// prime is below 2^bits and near 2^bits, and a level has as many primes as its scale needs. If `bits` is 0, the library
// chooses lengths up to about 60 bits.
struct PrimeChoice {
  std::uint32_t bits = 0;
  PrimeForm form = PrimeForm::any;
};

// A plan for decryptions whose results others will see. After `queries` such decryptions, the key must still have
// `bits` bits of security. bits = 0: no such decryption is planned.
struct Release {
  std::uint32_t bits = 0;
  std::uint64_t queries = 1;
};

// Requirements that all schemes have.
struct RingRequirements {
  std::uint32_t depth = 4;  // consecutive products
  // smallest number of slots; 0: all slots of the chosen ring; 1 in BFV and BGV: the program needs no slots, and any
  // plain_modulus is possible
  std::uint32_t slots = 0;
  std::uint32_t n = 0;  // ring degree; 0: the smallest possible
  SecurityGoal security;
  std::string insecure_reason;  // not empty: any modulus is accepted for the given n; the text says why
  PrimeChoice primes;
  // BFV, BGV: true if contexts with other plaintext moduli will use the same primes. The other plaintext moduli may not
  // be longer than plain_modulus. If false, BGV prefers primes that are 1 modulo its plaintext modulus.
  bool shared_chain = false;
};

struct Explanation {  // facts about a parameter set, from explain()
  std::uint32_t n = 0;
  std::uint32_t slots = 0;
  std::uint32_t depth = 0;          // number of consecutive products for which the bounds hold
  double log2_qp = 0;               // log2 of the largest modulus under which a key is published
  std::uint32_t log2_qp_limit = 0;  // largest secure log2_qp; 0: the table has no limit for this n
  std::string security;  // for example "128 bits (2024, classical attacks)"; or the reason for less than 128 bits
  // element k, for k in 0 .. depth: bits of precision (CKKS) or noise budget (BFV, BGV) after k products
  std::vector<double> bits_left;
  std::size_t ciphertext_bytes = 0;  // memory of a ciphertext with two components and all levels
  std::size_t secret_key_bytes = 0;
  std::size_t public_key_bytes = 0;
  std::size_t relinearization_key_bytes = 0;  // 0: no special prime
  std::size_t galois_key_bytes = 0;           // memory of one key
  [[nodiscard]] std::string text() const;     // returns one fact per line
};

// Errors of every choose(): invalid_argument; unsupported (no ring, or not enough primes; the message states how much
// is missing); insecure_parameters. Errors of every preset(): invalid_argument (unknown name; the message lists the
// names).
namespace ckks {

struct Requirements : RingRequirements {  // requirements of choose()
  std::uint32_t precision = 20;           // correct bits after the binary point that `depth` products leave
  double magnitude = 16;  // bound on the absolute values of the factors of every product; results may reach its square
  Release release;
};

struct Parameters {  // parameters of a context
  ChainParameters chain;
  // scale of plaintexts at the top level; the product of the primes of each level above 0 should be near it
  double scale = 0;
  std::uint32_t slots = 0;  // a power of two; 0: n/2
  double magnitude = 1;     // bound on the absolute values that are encrypted
  // planned decryptions for others; their noise is part of the planned precision
  Release release;
};

[[nodiscard]] Parameters choose(const Requirements& requirements);  // the smallest ring for these requirements
[[nodiscard]] Explanation explain(const Parameters& parameters);    // sizes, security and remaining precision
// "ckks-32768-8": n = 32768, 8 data primes of 50 bits
[[nodiscard]] Parameters preset(std::string_view name);
[[nodiscard]] std::vector<std::string_view> preset_names();  // all names for preset()

}  // namespace ckks

namespace bfv {

struct Requirements : RingRequirements {  // requirements of choose()
  std::uint64_t plain_modulus = 65537;
};

struct Parameters {  // parameters of a context
  ChainParameters chain;
  // t, 2 .. 2^50 - 1, and no multiple of a prime of the chain; slots need a prime t that is 1 mod 2n
  std::uint64_t plain_modulus = 65537;
};

[[nodiscard]] Parameters choose(const Requirements& requirements);  // the smallest ring for these requirements
[[nodiscard]] Explanation explain(const Parameters& parameters);    // sizes, security and remaining noise budget
[[nodiscard]] Parameters preset(std::string_view name);             // "bfv-8192", "bfv-16384"
[[nodiscard]] std::vector<std::string_view> preset_names();         // all names for preset()

}  // namespace bfv

namespace bgv {

struct Requirements : RingRequirements {  // requirements of choose()
  std::uint64_t plain_modulus = 65537;
};

struct Parameters {  // parameters of a context
  ChainParameters chain;
  std::uint64_t plain_modulus = 65537;  // t, as in BFV
};

[[nodiscard]] Parameters choose(const Requirements& requirements);  // the smallest ring for these requirements
[[nodiscard]] Explanation explain(const Parameters& parameters);    // sizes, security and remaining noise budget
[[nodiscard]] Parameters preset(std::string_view name);             // "bgv-8192", "bgv-16384"
[[nodiscard]] std::vector<std::string_view> preset_names();         // all names for preset()

}  // namespace bgv

}  // namespace ringfort
