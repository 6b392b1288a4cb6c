// SPDX-License-Identifier: Apache-2.0
// What choosing parameters has in common for all leveled schemes: sizes of a chain before there are primes, the primes,
// digits of key switching, the security tables, sizes of objects. A scheme adds its bounds. Sizes are base-2 logarithms
// throughout.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <set>

#include "ringfort/parameters.h"
#include "rlwe/embedding_bound.h"
#include "rlwe/security.h"

namespace ringfort {

inline constexpr u32 kSmallestDegree = 1024, kLargestDegree = 131072;  // of the security tables
inline constexpr u32 kLongestPrime = 60;
inline constexpr u32 kDeepest = 200;

// A chain of which only the lengths of the primes are known.
struct ChainSizes {
  u32 n = 0;
  std::vector<double> data, special;
  u32 limbs_per_level = 1;
  u32 digit_limbs = 1;

  [[nodiscard]] u32 levels() const noexcept { return static_cast<u32>(data.size()) / limbs_per_level; }
  // the primes that rescaling from `level` divides by
  [[nodiscard]] double group(u32 level) const noexcept;
  [[nodiscard]] double log2_q(u32 level) const noexcept;
  [[nodiscard]] double log2_qp() const noexcept;
  [[nodiscard]] std::vector<double> digits(u32 level) const;
  // Of one polynomial switched at a level, rounding included; zero without special primes.
  [[nodiscard]] Bound key_switch(const EmbeddingBound& bound, u32 level) const;
};

[[nodiscard]] ChainSizes sizes_of(const ChainParameters& parameters);

// Primes 1 mod 2n of one form below 2^62, each given once. Errors: unsupported.
class PrimePool {
 public:
  PrimePool(u32 n, PrimeForm form);
  // The nearest one to 2^target that is below 2^most, not further away than a factor of 2.
  [[nodiscard]] u64 nearest(double target, u32 most);
  [[nodiscard]] u64 largest_below(double bits) { return nearest(std::ceil(bits), static_cast<u32>(std::ceil(bits))); }

 private:
  u32 n_;
  u64 step_;
  std::set<u64> taken_;
};

[[nodiscard]] SecurityLevel level_of(const SecurityGoal& goal);
// Every sample that is published under a key of these parameters passes check_sample. Errors: insecure_parameters.
void check_samples(const ChainParameters& parameters);

// Throws invalid_argument for what no ring can serve.
void check_requirements(const RingRequirements& requirements);
// A prime below 2^60: unsupported or invalid_argument.
void check_plain_modulus(u64 t);
// The degrees to be tried, ascending, none above `largest`.
[[nodiscard]] std::vector<u32> degrees(const RingRequirements& requirements, u32 largest);
// Of a ring with batches modulo t (kLargestDegree where one slot is enough). Throws invalid_argument where there is
// none.
[[nodiscard]] u32 largest_degree(const RingRequirements& requirements, u64 t);
// The table's largest modulus; nothing to be kept where that was waived.
[[nodiscard]] double modulus_limit(const RingRequirements& requirements, u32 n);

// As few digits as the modulus allows, by the number of transforms of a key switch: sets digit_limbs and the special
// primes, each as long as the longest data prime. False if not even digits of one prime fit.
[[nodiscard]] bool choose_digits(ChainSizes& sizes, double limit);

// What a scheme searches for: `fit` gives the sizes that a degree needs, digits and special primes not chosen (nothing:
// no chain does); `asked`, and `none` where no chain does, are said in errors.
struct Search {
  std::string asked;
  std::string none;
  u32 largest = kLargestDegree;
  std::function<std::optional<ChainSizes>(u32 n, u32 depth)> fit;
};
// The smallest ring. Errors: unsupported, with the depth that would fit.
[[nodiscard]] ChainSizes smallest_ring(const RingRequirements& requirements, const Search& search);

// Primes of these sizes. With a scale, the primes of each level from the top are as near as can be to the scale there
// (S, then S^2 / primes of the level, ..): it would drift doubly exponentially otherwise. Without: the largest primes
// below.
[[nodiscard]] ChainParameters make_chain(const ChainSizes& sizes, const RingRequirements& requirements,
                                         std::optional<double> log2_scale);

// All of an explanation that no scheme changes.
[[nodiscard]] Explanation explain_chain(const ChainParameters& parameters);

}  // namespace ringfort
