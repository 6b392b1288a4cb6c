// SPDX-License-Identifier: Apache-2.0
// The choice of parameters for all leveled schemes. It first chooses the sizes of primes and the digits of key
// switching, within the security tables, and then finds the primes. Each scheme gives its bounds. All sizes are base-2
// logarithms.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <set>

#include "ringfort/parameters.h"
#include "rlwe/embedding_bound.h"
#include "rlwe/security.h"

namespace ringfort {

inline constexpr u32 kSmallestDegree = 1024, kLargestDegree = 131072;  // range of the security tables
inline constexpr u32 kLongestPrime = 60;
inline constexpr u32 kDeepest = 200;

// The sizes of a chain's primes.
struct ChainSizes {
  u32 n = 0;
  std::vector<double> data, special;
  u32 limbs_per_level = 1;
  u32 digit_limbs = 1;

  [[nodiscard]] u32 levels() const noexcept { return static_cast<u32>(data.size()) / limbs_per_level; }
  // Returns the size of the primes by which rescaling from `level` divides.
  [[nodiscard]] double group(u32 level) const noexcept;
  [[nodiscard]] double log2_q(u32 level) const noexcept;
  [[nodiscard]] double log2_qp() const noexcept;
  [[nodiscard]] std::vector<double> digits(u32 level) const;
  // Tells whether contexts accept the digits: none is more than a bit longer than the special primes.
  [[nodiscard]] bool digits_fit() const;
  // Returns the bound of the error of a key switch at a level, rounding included; zero without special primes.
  [[nodiscard]] Bound key_switch(const EmbeddingBound& bound, u32 level) const;
};

[[nodiscard]] ChainSizes sizes_of(const ChainParameters& parameters);

// Supplies primes below 2^62 of one form that are 1 mod 2n, and 1 modulo the odd number `also`: each prime only once.
// Errors: unsupported.
class PrimePool {
 public:
  PrimePool(u32 n, PrimeForm form, u64 also = 1);
  // Returns the prime below 2^most that is nearest to 2^target, within a factor of 2.
  [[nodiscard]] u64 nearest(double target, u32 most);
  [[nodiscard]] u64 largest_below(double bits) { return nearest(std::ceil(bits), static_cast<u32>(std::ceil(bits))); }

 private:
  u32 n_;
  u64 step_;
  std::set<u64> taken_;
};

[[nodiscard]] SecurityLevel level_of(const SecurityGoal& goal);
// Calls check_sample for every kind of sample that keys of these parameters publish. Errors: insecure_parameters.
void check_samples(const ChainParameters& parameters);

// Throws invalid_argument for requirements that no ring meets.
void check_requirements(const RingRequirements& requirements);
// Throws unsupported or invalid_argument unless t is a prime below 2^60.
void check_plain_modulus(u64 t);
// Returns the degrees to try, ascending, at most `largest`.
[[nodiscard]] std::vector<u32> degrees(const RingRequirements& requirements, u32 largest);
// Returns the largest degree whose slots exist modulo t, or kLargestDegree if one slot is enough. Throws
// invalid_argument if there is none.
[[nodiscard]] u32 largest_degree(const RingRequirements& requirements, u64 t);
// Returns the largest modulus of the security table, or infinity if there is a reason to ignore the table.
[[nodiscard]] double modulus_limit(const RingRequirements& requirements, u32 n);

// Sets digit_limbs and the special primes, each as long as the longest data prime. Of all choices within `limit`, it
// takes the choice with the fewest transforms in a key switch. Returns false if no choice fits.
[[nodiscard]] bool choose_digits(ChainSizes& sizes, double limit);

// A scheme's part of the search. `fit` returns the sizes of data primes for a degree and a depth, or nothing if no
// chain fits. Error messages contain `asked`, and `none` if no chain fits.
struct Search {
  std::string asked;
  std::string none;
  u32 largest = kLargestDegree;
  std::function<std::optional<ChainSizes>(u32 n, u32 depth)> fit;
};
// Returns the smallest ring. Errors: unsupported, with the depth that would fit.
[[nodiscard]] ChainSizes smallest_ring(const RingRequirements& requirements, const Search& search);

// Finds primes of these sizes. Without a scale, they are the largest primes of their sizes. With a scale S, the primes
// of each level are as near as possible to the scale of that level: S at the top, then S^2 / (primes of the level
// above), and so on. Otherwise the scales would drift doubly exponentially. All primes are 1 modulo `also`. Errors:
// unsupported, insecure_parameters.
[[nodiscard]] ChainParameters make_chain(const ChainSizes& sizes, const RingRequirements& requirements,
                                         std::optional<double> log2_scale, u64 also = 1);
// Throws unsupported for more primes than a ring can have.
void check_count(std::size_t primes);

// Returns the explanation without the parts that schemes add.
[[nodiscard]] Explanation explain_chain(const ChainParameters& parameters);

}  // namespace ringfort
