// SPDX-License-Identifier: Apache-2.0
// Statistics over many users' encrypted records [Gupta23]: means, variances, covariances and linear regressions. Users
// encrypt their records under the analyst's public key. An aggregator, which has no secret, adds up the uploads and the
// products of columns. The analyst decrypts these totals, which are exact integers, and divides. Aggregator and analyst
// must be two parties, because an analyst who sees an upload can read it (apps/statistics/README.md). Scheme:
// bgv::Scheme or bfv::Scheme. add() rejects an upload if a total could wrap modulo t for values in the declared ranges.
// Nothing proves that users keep to the ranges; decrypt rejects totals that are impossible for values in the ranges.
#pragma once

#include <functional>

#include "ringfort/files.h"

namespace ringfort::statistics {

struct Column {  // one value of every record
  std::string name;
  std::int64_t low = 0, high = 0;  // range of every value, at most 2^31 in magnitude
};

enum class Wanted : std::uint8_t {  // totals that a study needs
  means = 0,                        // sums
  variances = 1,                    // sums and squares
  regressions = 2,                  // sums, squares, and the products of all pairs of columns
};

// All parties agree on a study before the first upload.
struct Study {
  std::vector<Column> columns;  // 1 .. 64
  Wanted wanted = Wanted::variances;
  std::uint64_t uploads = 0;  // limit, at most 2^24
  std::uint32_t records = 1;  // limit per upload, one per slot
  // true: an upload is one record, whose values are vectors of `records` elements; totals have one value for each
  // element
  bool each_slot = false;
  [[nodiscard]] std::size_t products() const noexcept;
  // Returns the index in Totals::products of the sum of products of columns a and b. Errors: invalid_argument (not part
  // of the study).
  [[nodiscard]] std::size_t product(std::size_t a, std::size_t b) const;
  // Returns how many records can be added before a total modulo t may wrap.
  [[nodiscard]] std::uint64_t capacity(std::uint64_t plain_modulus) const;
};
// Errors: invalid_argument.
void check(const Study& study);

struct Choice {        // options of choose
  PrimeChoice primes;  // {30, PrimeForm::c_2_16_1} for devices that compute on 32-bit words
  SecurityGoal security;
  std::uint32_t n = 0;
  std::string insecure_reason;
};
// Chooses a ring for the study: no total wraps and no noise bound is exceeded. Errors: unsupported, invalid_argument,
// insecure_parameters.
template <class Scheme>
[[nodiscard]] typename Scheme::Parameters choose(const Study& study, const Choice& choice = {});

// Returns the rotations that totals over all slots need.
[[nodiscard]] KeyPlan plan_rotations(const KeyContext& context);

// One user's records: a ciphertext for each column. Move-only, like ciphertexts.
template <class Scheme>
struct Upload {
  Upload() = default;
  Upload(Upload&&) noexcept = default;
  Upload& operator=(Upload&&) noexcept = default;
  std::uint32_t records = 0;  // public
  std::vector<integers::Ciphertext<Scheme>> columns;
};
// Encrypts records: columns[c][r] is the value of column c in record r. Errors: invalid_argument (values outside their
// ranges, ragged columns).
template <class Scheme>
[[nodiscard]] Upload<Scheme> encrypt(const integers::Context<Scheme>& context, const Study& study, const PublicKey& key,
                                     std::span<const std::vector<std::int64_t>> columns);

// Encrypted totals; the counts are public.
template <class Scheme>
struct Aggregate {
  Aggregate() = default;
  Aggregate(Aggregate&&) noexcept = default;
  Aggregate& operator=(Aggregate&&) noexcept = default;
  std::uint64_t uploads = 0, records = 0;
  std::vector<integers::Ciphertext<Scheme>> sums, products;
};

// Adds uploads as they arrive, in constant memory. For one thread at a time; it starts `threads` threads itself. Every
// use of a moved-from aggregator is an error (invalid_argument).
template <class Scheme>
class Aggregator {
 public:
  Aggregator(const integers::Context<Scheme>& context, Study study, const PublicKey& key, unsigned threads = 1);
  Aggregator(Aggregator&&) noexcept;
  Aggregator& operator=(Aggregator&&) noexcept;
  ~Aggregator();
  // Adds an upload. Errors, with nothing added: parameters_mismatch (another study, another key), mode_forbidden (not a
  // fresh encryption), range_exceeded (a total might wrap). Other errors (noise_bound_exceeded, out_of_memory,
  // device_lost) may leave products half added; then add, merge and result fail: use a new aggregator for all uploads.
  void add(const Upload<Scheme>& upload);
  [[nodiscard]] std::uint64_t uploads() const;
  [[nodiscard]] std::uint64_t records() const;
  // Returns the totals so far; more uploads may follow. Keys: relinearization for products, rotations for totals over
  // slots. Errors: invalid_argument (nothing was added), key_missing, noise_bound_exceeded.
  [[nodiscard]] Aggregate<Scheme> result(const RelinearizationKey* relinearization, const GaloisKeys* rotations) const;
  // Returns a second aggregator, for another thread, for the same study on the device of `context`. The limit of the
  // study applies to the uploads of the two aggregators together. The second aggregator does not return a result:
  // merge() adds its totals to this aggregator. Errors: parameters_mismatch.
  [[nodiscard]] Aggregator beside(const integers::Context<Scheme>& context, unsigned threads = 1) const;
  // Adds the totals of `other`, which is empty afterwards. The residues of the result do not depend on which aggregator
  // added which uploads. Errors: invalid_argument (this aggregator's beside() did not make `other`); device_lost if
  // either device failed: then uploads are lost, and this aggregator cannot be used any more.
  void merge(Aggregator& other);
  struct State;

 private:
  explicit Aggregator(std::unique_ptr<State> state) noexcept;
  [[nodiscard]] State& state() const;
  std::unique_ptr<State> state_;
};

// Files of uploads and aggregates. An upload is read without trust in its writer; the noise bound in an aggregate is a
// claim of the aggregator. Errors: those of ringfort/files.h; parameters_mismatch for a file of another study.
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

// Exact integers. sums[c] and products[p] have one value. In a study with each_slot, they have one value for each
// element.
struct Totals {
  Study study;
  std::uint64_t uploads = 0, records = 0;
  std::vector<std::vector<std::int64_t>> sums, products;
};
// Checks relations between totals that hold if all values are in the study's ranges (apps/statistics/README.md). True
// totals always pass; false totals may pass. Errors: range_exceeded; invalid_argument (the study is invalid, or the
// totals do not have its shape).
void check_totals(const Totals& totals);
// Errors: parameters_mismatch, noise_bound_exceeded, range_exceeded (see check_totals).
template <class Scheme>
[[nodiscard]] Totals decrypt(const integers::Context<Scheme>& context, const Study& study, const SecretKey& key,
                             const Aggregate<Scheme>& aggregate);

// Computes from exact numerators, within one unit in the last place of a double. Errors: invalid_argument (no such
// column or slot; not part of the study).
[[nodiscard]] double mean(const Totals& totals, std::size_t column, std::size_t slot = 0);
// Divides by records - ddof: 0 for a population, 1 for a sample.
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
// Solves least squares in long double; precision drops as features approach linear dependence. Errors: invalid_argument
// (dependent features, or fewer records than unknowns).
[[nodiscard]] Regression regress(const Totals& totals, std::size_t target, std::span<const std::size_t> features,
                                 std::size_t slot = 0);

}  // namespace ringfort::statistics
