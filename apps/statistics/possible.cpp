// SPDX-License-Identifier: Apache-2.0
// Checks decrypted totals of a study. If all records are within the study's ranges, totals satisfy all conditions of
// this file. Totals may violate a condition if an upload encrypts other values, or if a sum wrapped around. Conditions:
//   * Let x and y be the values of two columns in a record, with l <= x <= h and l' <= y <= h'. Then the sums of
//     (x - l)(y - l'), (h - x)(h' - y), (x - l)(h' - y) and (h - x)(y - l') over all records are not negative
//     [McCormick76].
//   * Let u be an integer, such as x, x + y or x - y. Then the sum of u (u - 1) is even, and for every integer k the
//     sum of (u - k)(u - k - 1) is not negative.
//   * The covariance matrix is positive semidefinite. This condition is checked in long double.
// Totals that satisfy all conditions may still be impossible: a complete test is as hard as membership in the cut
// polytope, which is NP-hard.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cholesky.h"
#include "ringfort/error.h"
#include "ringfort/statistics.h"

namespace ringfort::statistics {

namespace {

__extension__ using int128 = __int128;
// relative error of a product of two 98-bit integers in a long double, whose significand has 64 bits
constexpr long double kRounding = 0x1p-50L;
constexpr long double kUnit = std::numeric_limits<long double>::epsilon();

[[noreturn]] void refuse(const std::string& what, std::uint64_t count) {
  throw Error(
      Code::range_exceeded, what + " cannot come from " + std::to_string(count) + " records in their ranges",
      "an upload has values outside the ranges or was manipulated, or a total wrapped: aggregate again without it");
}

std::string named(const Column& column) { return "column '" + column.name + "'"; }

// Totals of one slot of a result.
class Moments {
 public:
  Moments(const Totals& totals, std::uint64_t count, std::size_t slot) : totals_(totals), count_(count), slot_(slot) {}

  void check_sum(std::size_t c) const {
    const Column& column = column_of(c);
    if (sum(c) < column.low * n() || sum(c) > column.high * n()) refuse("the sum of " + named(column), count_);
  }

  void check_product(std::size_t a, std::size_t b) const {
    const Column& x = column_of(a);
    const Column& y = column_of(b);
    const int128 xy = product(a, b);
    // sum of (x - u)(y - v)
    const auto corner = [&](int128 u, int128 v) { return xy - u * sum(b) - v * sum(a) + u * v * n(); };
    if (corner(x.low, y.low) < 0 || corner(x.high, y.high) < 0 || corner(x.low, y.high) > 0 ||
        corner(x.high, y.low) > 0)
      refuse_product(a, b);
  }

  // Call it after the checks of the squares, because variances must not be negative.
  void check_covariance(std::size_t a, std::size_t b) const {
    const auto joint = static_cast<long double>(centred(a, b));
    const auto most = static_cast<long double>(centred(a, a)) * static_cast<long double>(centred(b, b));
    if (joint * joint > most * (1 + kRounding)) refuse_product(a, b);
  }

  void check_variance(std::size_t c) const {
    if (centred(c, c) < 0) refuse_product(c, c);
  }

  void check_integers(std::size_t c) const {
    if (!of_integers(sum(c), product(c, c))) refuse_product(c, c);
  }

  // Checks x + y and x - y.
  void check_integers(std::size_t a, std::size_t b) const {
    const int128 squares = product(a, a) + product(b, b), twice = 2 * product(a, b);
    if (!of_integers(sum(a) + sum(b), squares + twice) || !of_integers(sum(a) - sum(b), squares - twice))
      refuse_product(a, b);
  }

  // Checks that the correlation matrix C, with a margin added to its diagonal, has a Cholesky factor. The correlation
  // matrix of any records has no negative eigenvalue. The margin is for rounding errors. Let C have m rows, and let its
  // entries be wrong by at most 4 units (a unit is the epsilon of long double). Then Cholesky's method succeeds if the
  // smallest eigenvalue is above m (m + 1) units [Higham02, theorem 10.7].
  void check_covariances() const {
    std::vector<std::size_t> varied;
    for (std::size_t c = 0; c < totals_.study.columns.size(); ++c) {
      if (centred(c, c) > 0) varied.push_back(c);  // the other covariances are 0, by check_covariance
    }
    const auto size = static_cast<long double>(varied.size());
    Cholesky matrix(varied.size());
    for (std::size_t i = 0; i < varied.size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j) matrix(i, j) = correlation(varied[i], varied[j]);
      matrix(i, i) += 2 * size * (size + 6) * kUnit;
    }
    const std::size_t failed = matrix.factor(kUnit);
    if (failed < varied.size())
      refuse("the sums of products of " + named(column_of(varied[failed])) + " and the columns before it", count_);
  }

 private:
  // Checks two necessary conditions for n() integers u with the sum s and the sum of squares `squares`: the sum of
  // u (u - 1) is even, and the sum of (u - k)(u - k - 1) is not negative. Here k is the floor of the mean s / n().
  [[nodiscard]] bool of_integers(int128 s, int128 squares) const {
    const int128 k = s / n() - (s % n() < 0 ? 1 : 0);
    return (squares - s) % 2 == 0 && squares - (2 * k + 1) * s + k * (k + 1) * n() >= 0;
  }
  [[nodiscard]] long double correlation(std::size_t a, std::size_t b) const {
    return static_cast<long double>(centred(a, b)) / std::sqrt(static_cast<long double>(centred(a, a))) /
           std::sqrt(static_cast<long double>(centred(b, b)));
  }
  [[noreturn]] void refuse_product(std::size_t a, std::size_t b) const {
    refuse(a == b ? "the sum of squares of " + named(column_of(a))
                  : "the sum of products of " + named(column_of(a)) + " and " + named(column_of(b)),
           count_);
  }
  [[nodiscard]] const Column& column_of(std::size_t c) const { return totals_.study.columns[c]; }
  [[nodiscard]] int128 n() const { return static_cast<int128>(count_); }
  [[nodiscard]] int128 sum(std::size_t c) const { return totals_.sums[c][slot_]; }
  [[nodiscard]] int128 product(std::size_t a, std::size_t b) const {
    return totals_.products[totals_.study.product(a, b)][slot_];
  }
  [[nodiscard]] int128 centred(std::size_t a, std::size_t b) const { return n() * product(a, b) - sum(a) * sum(b); }

  const Totals& totals_;
  std::uint64_t count_;
  std::size_t slot_;
};

void check_shape(const Totals& totals) {
  const Study& study = totals.study;
  check(study);
  const std::size_t values = study.each_slot ? study.records : 1;
  const auto fits = [&](const std::vector<std::vector<std::int64_t>>& all, std::size_t count) {
    return all.size() == count && std::ranges::all_of(all, [&](const auto& one) { return one.size() == values; });
  };
  if (fits(totals.sums, study.columns.size()) && fits(totals.products, study.products())) return;
  throw Error(Code::invalid_argument, "the totals are not those of the study",
              "give a sum for each column and its products, each of " + std::to_string(values) + " values");
}

void check_counts(const Totals& totals) {
  const Study& study = totals.study;
  const std::uint64_t most = study.each_slot ? 1 : study.records;
  if (totals.uploads >= 1 && totals.uploads <= study.uploads && totals.records >= totals.uploads &&
      totals.records <= totals.uploads * most)
    return;
  throw Error(
      Code::range_exceeded,
      std::to_string(totals.records) + " records of " + std::to_string(totals.uploads) +
          " uploads do not fit the study",
      "the study takes " + std::to_string(study.uploads) + " uploads of 1 .. " + std::to_string(most) + " records");
}

}  // namespace

void check_totals(const Totals& totals) {
  const Study& study = totals.study;
  check_shape(totals);
  check_counts(totals);
  const std::size_t columns = study.columns.size();
  const bool squares = study.wanted != Wanted::means, pairs = study.wanted == Wanted::regressions;
  for (std::size_t slot = 0; slot < totals.sums[0].size(); ++slot) {
    const Moments moments(totals, study.each_slot ? totals.uploads : totals.records, slot);
    for (std::size_t b = 0; b < columns; ++b) {
      moments.check_sum(b);
      if (squares) {
        moments.check_product(b, b);
        moments.check_variance(b);
        moments.check_integers(b);
      }
      for (std::size_t a = 0; pairs && a < b; ++a) {
        moments.check_product(a, b);
        moments.check_covariance(a, b);
        moments.check_integers(a, b);
      }
    }
    if (pairs) moments.check_covariances();
  }
}

}  // namespace ringfort::statistics
