// SPDX-License-Identifier: Apache-2.0
// Statistics over many users' encrypted records [Gupta23]: means, variances, covariances and linear regressions. Users
// encrypt their records under the analyst's public key. An aggregator has no secret. It adds up the uploads and the
// products of columns. The analyst decrypts these totals, which are exact integers, and divides them by the number of
// records. Aggregator and analyst must be two parties, because an analyst who sees an upload can read it
// (apps/statistics/README.md). The template argument Scheme is bgv::Scheme or bfv::Scheme. add() rejects an upload if a
// total of values in the declared ranges could wrap around modulo t, the modulus of plaintexts. Nothing proves that
// users keep to the ranges; decrypt rejects totals that check_totals shows to be impossible.
#pragma once

#include <functional>

#include "ringfort/files.h"

namespace ringfort::statistics {

struct Column {  // description of one of the values that every record has
  std::string name;
  std::int64_t low = 0, high = 0;  // smallest and largest value; magnitudes are at most 2^31
};

enum class Wanted : std::uint8_t {  // the totals that a study computes
  means = 0,                        // sums
  variances = 1,                    // sums and squares
  regressions = 2,                  // sums, squares, and the products of all pairs of columns
};

// All parties agree on a study before the first upload.
struct Study {
  std::vector<Column> columns;  // 1 .. 64 columns
  Wanted wanted = Wanted::variances;
  std::uint64_t uploads = 0;  // largest number of uploads, at most 2^24
  std::uint32_t records = 1;  // largest number of records in one upload, one per slot; at most 2^15
  // true: an upload is one record whose values are vectors of `records` elements. A total then has one value for each
  // element.
  bool each_slot = false;
  [[nodiscard]] std::size_t products() const noexcept;
  // Returns an index in Totals::products. The element with this index is the sum, over all records, of column a times
  // column b. Errors: invalid_argument (the study does not compute this product).
  [[nodiscard]] std::size_t product(std::size_t a, std::size_t b) const;
  // Returns the number of records that can be added before a total may wrap modulo t.
  [[nodiscard]] std::uint64_t capacity(std::uint64_t plain_modulus) const;
};
// Throws invalid_argument for a study that is outside these limits.
void check(const Study& study);

struct Choice {        // options of choose()
  PrimeChoice primes;  // for devices that compute on 32-bit words: {30, PrimeForm::c_2_16_1}
  SecurityGoal security;
  std::uint32_t n = 0;
  std::string insecure_reason;
};
// Chooses a ring in which no total of the study wraps, and no noise bound is exceeded. Errors: unsupported,
// invalid_argument, insecure_parameters.
template <class Scheme>
[[nodiscard]] typename Scheme::Parameters choose(const Study& study, const Choice& choice = {});

// Returns the plan of the rotation keys that a sum over all slots needs.
[[nodiscard]] KeyPlan plan_rotations(const KeyContext& context);

// One user's records: a ciphertext for each column. Move-only, like ciphertexts.
template <class Scheme>
struct Upload {
  Upload() = default;
  Upload(Upload&&) noexcept = default;
  Upload& operator=(Upload&&) noexcept = default;
  std::uint32_t records = 0;  // number of records; public
  std::vector<integers::Ciphertext<Scheme>> columns;
};
// Encrypts records: columns[c][r] is the value of column c in record r. Errors: invalid_argument (values outside their
// ranges, ragged columns).
template <class Scheme>
[[nodiscard]] Upload<Scheme> encrypt(const integers::Context<Scheme>& context, const Study& study, const PublicKey& key,
                                     std::span<const std::vector<std::int64_t>> columns);

// Encrypted totals. The numbers of uploads and records are public.
template <class Scheme>
struct Aggregate {
  Aggregate() = default;
  Aggregate(Aggregate&&) noexcept = default;
  Aggregate& operator=(Aggregate&&) noexcept = default;
  std::uint64_t uploads = 0, records = 0;
  std::vector<integers::Ciphertext<Scheme>> sums, products;
};

// Adds uploads as they arrive. The memory does not grow with the number of uploads. Call an aggregator from one thread
// at a time: it starts `threads` threads itself. Every use of a moved-from aggregator is an error (invalid_argument).
template <class Scheme>
class Aggregator {
 public:
  Aggregator(const integers::Context<Scheme>& context, Study study, const PublicKey& key, unsigned threads = 1);
  Aggregator(Aggregator&&) noexcept;
  Aggregator& operator=(Aggregator&&) noexcept;
  ~Aggregator();
  // Adds an upload. These errors leave the aggregator unchanged: parameters_mismatch (another study, another key),
  // mode_forbidden (not a fresh encryption), range_exceeded (a total might wrap). After another error
  // (noise_bound_exceeded, out_of_memory, device_lost) some products may be missing. Then add, merge and result fail:
  // add all uploads to a new aggregator.
  void add(const Upload<Scheme>& upload);
  [[nodiscard]] std::uint64_t uploads() const;
  [[nodiscard]] std::uint64_t records() const;
  // Returns the totals of the uploads so far; more uploads may follow. Products need the relinearization key, and
  // totals over slots need the rotation keys. Errors: invalid_argument (no upload was added), key_missing,
  // noise_bound_exceeded.
  [[nodiscard]] Aggregate<Scheme> result(const RelinearizationKey* relinearization, const GaloisKeys* rotations) const;
  // Returns a second aggregator of the same study, for another thread, on the device of `context`. The study's limits
  // apply to the uploads of both aggregators together. The second aggregator gives no result of its own: call merge()
  // to add its totals to this aggregator. Errors: parameters_mismatch.
  [[nodiscard]] Aggregator beside(const integers::Context<Scheme>& context, unsigned threads = 1) const;
  // Adds the totals of `other`, and empties `other`. The bits of the result do not depend on which aggregator added
  // which uploads. Errors: invalid_argument (beside() of this aggregator did not make `other`), noise_bound_exceeded,
  // out_of_memory, device_lost. After the last three, uploads are lost: add, merge and result fail.
  void merge(Aggregator& other);
  struct State;

 private:
  explicit Aggregator(std::unique_ptr<State> state) noexcept;
  [[nodiscard]] State& state() const;
  std::unique_ptr<State> state_;
};

// Files of uploads and aggregates. A reader does not trust the writer of an upload. The noise bound in the file of an
// aggregate is a claim of the aggregator. Errors: those of ringfort/files.h; parameters_mismatch for a file of another
// study.
template <class Scheme>
[[nodiscard]] io::Bytes encode(const integers::Context<Scheme>& context, const Upload<Scheme>& upload);
template <class Scheme>
[[nodiscard]] io::Bytes encode(const integers::Context<Scheme>& context, const Aggregate<Scheme>& aggregate);
template <class Scheme>
[[nodiscard]] Upload<Scheme> decode_upload(const integers::Context<Scheme>& context, const Study& study,
                                           io::ByteView bytes);
template <class Scheme>
[[nodiscard]] Aggregate<Scheme> decode_aggregate(const integers::Context<Scheme>& context, const Study& study,
                                                 io::ByteView bytes);

// Decrypted totals: exact integers. Each element of `sums` and of `products` has one value or, if the study has
// each_slot, one value for each element of the vectors.
struct Totals {
  Study study;
  std::uint64_t uploads = 0, records = 0;
  std::vector<std::vector<std::int64_t>> sums, products;
};
// Checks relations between totals that hold if all values are in the study's ranges (apps/statistics/README.md). True
// totals always pass; some false totals pass, too. Errors: range_exceeded; invalid_argument (the study is invalid, or
// the totals do not have the shape of the study).
void check_totals(const Totals& totals);
// Errors: parameters_mismatch, noise_bound_exceeded, range_exceeded (see check_totals).
template <class Scheme>
[[nodiscard]] Totals decrypt(const integers::Context<Scheme>& context, const Study& study, const SecretKey& key,
                             const Aggregate<Scheme>& aggregate);

// Compute statistics from exact numerators; the error is at most one unit in the last place of a double. Errors:
// invalid_argument (no such column or slot; the study does not compute the total; too few records).
[[nodiscard]] double mean(const Totals& totals, std::size_t column, std::size_t slot = 0);
// Divides the sum of (a - mean of a) (b - mean of b) over all records by the number of records minus ddof. Set ddof to
// 0 for a population, and to 1 for a sample.
[[nodiscard]] double covariance(const Totals& totals, std::size_t a, std::size_t b, std::uint32_t ddof = 0,
                                std::size_t slot = 0);
[[nodiscard]] inline double variance(const Totals& totals, std::size_t column, std::uint32_t ddof = 0,
                                     std::size_t slot = 0) {
  return covariance(totals, column, column, ddof, slot);
}

struct Regression {  // the result of linear least squares
  double intercept = 0;
  std::vector<double> coefficients;  // one for each feature
  double r_squared = 0;              // in 0 .. 1; 1 if the target is constant
};
// Solves the least squares problem in long double. The nearer the features are to linear dependence, the lower is the
// precision. Errors: invalid_argument (dependent features, or fewer records than unknowns).
[[nodiscard]] Regression regress(const Totals& totals, std::size_t target, std::span<const std::size_t> features,
                                 std::size_t slot = 0);

}  // namespace ringfort::statistics
