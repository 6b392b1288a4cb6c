// SPDX-License-Identifier: Apache-2.0
// Whether records within the study's ranges can have such totals: what an upload that is no encryption of such records, or a sum
// that wrapped, leaves behind. With l <= x <= h and l' <= y <= h' for each record, sums of (x - l)(y - l'), (h - x)(h' - y),
// (x - l)(h' - y) and (h - x)(y - l') are not negative [McCormick76]; covariances obey the inequality of Cauchy and Schwarz.
// What passes need not be true: see README.md.
#include "ringfort/error.h"
#include "ringfort/statistics.h"

namespace ringfort::statistics {

namespace {

__extension__ using int128 = __int128;
constexpr long double kRounding = 0x1p-50L;   // relative; the products of two 98-bit integers are compared in 64 bits

[[noreturn]] void refuse(const std::string& what, std::uint64_t count) {
  throw Error(Code::range_exceeded, what + " cannot be that of " + std::to_string(count) + " records in their ranges",
              "an upload held no such records or was damaged on purpose, or a total wrapped: aggregate again without it");
}

std::string named(const Column& column) { return "column '" + column.name + "'"; }

// One slot's totals of a result.
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
    const auto corner = [&](int128 u, int128 v) { return xy - u * sum(b) - v * sum(a) + u * v * n(); };   // sum of (x - u)(y - v)
    if (corner(x.low, y.low) < 0 || corner(x.high, y.high) < 0 || corner(x.low, y.high) > 0 || corner(x.high, y.low) > 0) refuse_product(a, b);
  }

  // After the squares, whose variances are then not negative.
  void check_covariance(std::size_t a, std::size_t b) const {
    const auto joint = static_cast<long double>(centred(a, b));
    const auto most = static_cast<long double>(centred(a, a)) * static_cast<long double>(centred(b, b));
    if (joint * joint > most * (1 + kRounding)) refuse_product(a, b);
  }

  void check_variance(std::size_t c) const {
    if (centred(c, c) < 0) refuse_product(c, c);
  }

 private:
  [[noreturn]] void refuse_product(std::size_t a, std::size_t b) const {
    refuse(a == b ? "the sum of squares of " + named(column_of(a)) : "the sum of products of " + named(column_of(a)) + " and " + named(column_of(b)), count_);
  }
  [[nodiscard]] const Column& column_of(std::size_t c) const { return totals_.study.columns[c]; }
  [[nodiscard]] int128 n() const { return static_cast<int128>(count_); }
  [[nodiscard]] int128 sum(std::size_t c) const { return totals_.sums[c][slot_]; }
  [[nodiscard]] int128 product(std::size_t a, std::size_t b) const { return totals_.products[totals_.study.product(a, b)][slot_]; }
  [[nodiscard]] int128 centred(std::size_t a, std::size_t b) const { return n() * product(a, b) - sum(a) * sum(b); }

  const Totals& totals_;
  std::uint64_t count_;
  std::size_t slot_;
};

void check_counts(const Totals& totals) {
  const Study& study = totals.study;
  const std::uint64_t most = study.each_slot ? 1 : study.records;
  if (totals.uploads >= 1 && totals.uploads <= study.uploads && totals.records >= totals.uploads && totals.records <= totals.uploads * most) return;
  throw Error(Code::range_exceeded, std::to_string(totals.records) + " records of " + std::to_string(totals.uploads) + " uploads do not fit the study",
              "it takes " + std::to_string(study.uploads) + " uploads of 1 .. " + std::to_string(most) + " records");
}

}  // namespace

void check_totals(const Totals& totals) {
  const Study& study = totals.study;
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
      }
      for (std::size_t a = 0; pairs && a < b; ++a) {
        moments.check_product(a, b);
        moments.check_covariance(a, b);
      }
    }
  }
}

}  // namespace ringfort::statistics
