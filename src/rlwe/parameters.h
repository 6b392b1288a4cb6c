// SPDX-License-Identifier: Apache-2.0
// Chooses parameters for all leveled schemes. It first chooses the sizes of the primes and the digits of key switching
// (chain.h), within the security tables. Then it finds primes of these sizes. Each scheme supplies its own noise
// bounds. All sizes are base-2 logarithms.
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
  // Tells whether a context accepts the digits: no digit may be longer than the special primes together by more than
  // one bit.
  [[nodiscard]] bool digits_fit() const;
  // Returns the bound of the error of a key switch at a level, including rounding. Returns zero if there are no special
  // primes.
  [[nodiscard]] Bound key_switch(const EmbeddingBound& bound, u32 level) const;
};

[[nodiscard]] ChainSizes sizes_of(const ChainParameters& parameters);

// Conditions on all primes of a chain: they are 1 modulo `also`, and do not divide `coprime_to`. Both are at least 1.
struct PrimeConditions {
  u64 also = 1;
  u64 coprime_to = 1;
};

// Supplies primes below 2^62 of one PrimeForm. They are 1 modulo 2n and meet the conditions. A pool supplies no prime
// twice. Errors: unsupported.
class PrimePool {
 public:
  PrimePool(u32 n, PrimeForm form, const PrimeConditions& conditions = {});
  // Returns the prime nearest to 2^target that the pool has not supplied yet. The prime is below 2^most, and between
  // half and twice 2^target.
  [[nodiscard]] u64 nearest(double target, u32 most);
  [[nodiscard]] u64 largest_below(double bits) { return nearest(std::ceil(bits), static_cast<u32>(std::ceil(bits))); }

 private:
  u32 n_;
  u64 step_;
  u64 coprime_to_;
  std::set<u64> taken_;
};

[[nodiscard]] SecurityLevel level_of(const SecurityGoal& goal);
// Calls check_sample for every kind of sample that keys of these parameters publish, unless insecure_reason is set.
// Errors: insecure_parameters.
void check_samples(const ChainParameters& parameters);

// Throws invalid_argument if n, the prime length, the depth or the security of the requirements is out of range.
void check_requirements(const RingRequirements& requirements);
// Throws invalid_argument unless 2 <= t < 2^50. Contexts accept no other plain modulus.
void check_plain_modulus(u64 t);
// Tells whether plaintexts modulo t have n slots: t is a prime that is 1 modulo 2n.
[[nodiscard]] bool has_slots(u64 t, u32 n);
// Returns the degrees to try: the required n, or, if none is required, all degrees up to `largest` in ascending order.
[[nodiscard]] std::vector<u32> degrees(const RingRequirements& requirements, u32 largest);
// Returns the largest degree for which the requested slots exist modulo t. If one slot is enough, returns
// kLargestDegree. Throws invalid_argument if that degree is below the required n or slots, or if t is no odd prime.
[[nodiscard]] u32 largest_degree(const RingRequirements& requirements, u64 t);
// Returns log2 of the largest modulus that the security table allows. Returns 0 if the table has no
// entry, and infinity if the requirements give a reason to ignore the table.
[[nodiscard]] double modulus_limit(const RingRequirements& requirements, u32 n);

// Sets digit_limbs and the special primes. Each special prime is as long as the longest data prime, rounded up to whole
// bits. Of all choices within `limit`, the function takes the choice with the fewest transforms in a key switch.
// Returns false if no choice fits.
[[nodiscard]] bool choose_digits(ChainSizes& sizes, double limit);

// A scheme's part of the search. `fit` returns the sizes of the data primes for a degree and a depth, or nothing if no
// chain fits. Error messages quote `asked`. If no chain fits, they also quote `none`.
struct Search {
  std::string asked;
  std::string none;
  u32 largest = kLargestDegree;
  std::function<std::optional<ChainSizes>(u32 n, u32 depth)> fit;
};
// Returns the sizes for the smallest ring that fits. Errors: unsupported; its message states a depth that fits, if
// there is one.
[[nodiscard]] ChainSizes smallest_ring(const RingRequirements& requirements, const Search& search);

// Finds the largest primes of the given sizes. With a scale S, the primes of each level except level 0 are instead as
// near as possible to the scale of that level. This scale is S at the top level. On each level below, it is the square
// of the scale above, divided by the primes of the level above. With other primes, the difference between the
// logarithms of scale and primes would double from level to level. Errors: unsupported, insecure_parameters.
[[nodiscard]] ChainParameters make_chain(const ChainSizes& sizes, const RingRequirements& requirements,
                                         std::optional<double> log2_scale, const PrimeConditions& conditions = {});
// Returns make(plan(spare)). plan() chooses sizes that leave `spare` bits more than the requirements need. make() finds
// primes of these sizes. If it throws unsupported, primes are missing, because there are few short ones. Then this
// function tries longer ones, with more spare bits.
template <class Plan, class Make>
auto with_spare_bits(Plan plan, Make make) {
  std::optional<Error> missing;
  for (const double spare : {0.0, 0.125, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0}) {
    std::optional<decltype(plan(spare))> planned;
    try {
      planned = plan(spare);
    } catch (const Error&) {
      if (!missing) throw;
      break;  // no ring has room for longer primes
    }
    try {
      return make(*planned);
    } catch (const Error& error) {
      if (error.code() != Code::unsupported) throw;
      if (!missing) missing = error;
    }
  }
  throw *missing;
}

// Throws unsupported if a chain has more primes than a ring can have.
void check_count(std::size_t primes);

// Returns the explanation of a chain, without the parts that the schemes add.
[[nodiscard]] Explanation explain_chain(const ChainParameters& parameters);

}  // namespace ringfort
