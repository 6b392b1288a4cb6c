// SPDX-License-Identifier: Apache-2.0
// Computes statistics from the exact totals of a study. The number of records N and the totals are below 2^49.
// Therefore a numerator such as N sum(x y) - sum(x) sum(y) is an exact 128-bit integer. Nothing is lost by
// cancellation, and only the division rounds. Regressions solve the normal equations of the centred columns. The
// equations are scaled to a unit diagonal, and Cholesky's method solves them in long double. If features are
// correlated, the last bits of the coefficients are uncertain.
#include <algorithm>
#include <cmath>

#include "cholesky.h"
#include "ringfort/error.h"
#include "ringfort/statistics.h"

namespace ringfort::statistics {

namespace {

__extension__ using int128 = __int128;

[[noreturn]] void refuse_totals(const std::string& problem, const std::string& fix) {
  throw Error(Code::invalid_argument, problem, fix);
}

std::int64_t value_at(const std::vector<std::vector<std::int64_t>>& values, std::size_t index, std::size_t slot) {
  if (index >= values.size() || slot >= values[index].size())
    refuse_totals("column " + std::to_string(index) + ", slot " + std::to_string(slot) + " is not in the totals",
                  "columns and slots count from 0");
  return values[index][slot];
}

std::uint64_t count_of(const Totals& totals) {
  const std::uint64_t count = totals.study.each_slot ? totals.uploads : totals.records;
  if (count == 0) refuse_totals("there are no records", "decrypt a result first");
  return count;
}

// Returns N sum(a b) - sum(a) sum(b).
int128 centred(const Totals& totals, std::size_t a, std::size_t b, std::size_t slot) {
  const auto count = static_cast<int128>(count_of(totals));
  return count * value_at(totals.products, totals.study.product(a, b), slot) -
         static_cast<int128>(value_at(totals.sums, a, slot)) * value_at(totals.sums, b, slot);
}

constexpr long double kLeast = 0x1p-40L;  // lower limit of 1 - (multiple correlation with the earlier features)^2

[[noreturn]] void refuse_dependent() {
  refuse_totals("the features depend on each other, or one of them is constant", "leave one out");
}

// Returns the standard deviations times N.
std::vector<long double> scales_of(const Totals& totals, std::span<const std::size_t> columns, std::size_t slot) {
  std::vector<long double> scales;
  for (const std::size_t c : columns) {
    scales.push_back(std::sqrt(static_cast<long double>(centred(totals, c, c, slot))));
    if (!(scales.back() > 0)) refuse_dependent();
  }
  return scales;
}

}  // namespace

template <class Scheme>
Totals decrypt(const integers::Context<Scheme>& context, const Study& study, const SecretKey& key,
               const Aggregate<Scheme>& aggregate) {
  check(study);
  if (aggregate.sums.size() != study.columns.size() || aggregate.products.size() != study.products()) {
    throw Error(Code::parameters_mismatch, "the totals of the result are not those of the study",
                "give the study of the result");
  }
  const integers::Decryptor<Scheme> decryptor(context, key);
  const integers::Encoder<Scheme> encoder(context);
  const auto read = [&](std::span<const integers::Ciphertext<Scheme>> ciphertexts) {
    std::vector<std::vector<std::int64_t>> values;
    for (const auto& ciphertext : ciphertexts) {
      values.emplace_back(study.each_slot ? study.records : 1);
      encoder.decode(decryptor.decrypt(ciphertext), values.back());
    }
    return values;
  };
  Totals totals{study, aggregate.uploads, aggregate.records, read(aggregate.sums), read(aggregate.products)};
  check_totals(totals);
  return totals;
}

template Totals decrypt(const bgv::Context&, const Study&, const SecretKey&, const Aggregate<bgv::Scheme>&);
template Totals decrypt(const bfv::Context&, const Study&, const SecretKey&, const Aggregate<bfv::Scheme>&);

double mean(const Totals& totals, std::size_t column, std::size_t slot) {
  return static_cast<double>(static_cast<long double>(value_at(totals.sums, column, slot)) /
                             static_cast<long double>(count_of(totals)));
}

double covariance(const Totals& totals, std::size_t a, std::size_t b, std::uint32_t ddof, std::size_t slot) {
  const std::uint64_t count = count_of(totals);
  if (count <= ddof)
    refuse_totals(
        "a variance of " + std::to_string(count) + " records is not defined with ddof = " + std::to_string(ddof),
        "add more records");
  return static_cast<double>(static_cast<long double>(centred(totals, a, b, slot)) /
                             static_cast<long double>(static_cast<int128>(count) * (count - ddof)));
}

Regression regress(const Totals& totals, std::size_t target, std::span<const std::size_t> features, std::size_t slot) {
  const std::size_t size = features.size();
  if (size == 0 || count_of(totals) <= size)
    refuse_totals("a regression on " + std::to_string(size) + " features of " + std::to_string(count_of(totals)) +
                      " records is not defined",
                  "give at least one feature, and more records than features");
  const std::vector<long double> scales = scales_of(totals, features, slot);
  Cholesky matrix(size);
  std::vector<long double> solution(size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j)
      matrix(i, j) =
          static_cast<long double>(centred(totals, features[i], features[j], slot)) / (scales[i] * scales[j]);
    solution[i] = static_cast<long double>(centred(totals, features[i], target, slot)) / scales[i];
  }
  const std::vector<long double> right = solution;
  if (matrix.factor(kLeast) < size || matrix.first_uncertain() < size) refuse_dependent();
  matrix.solve(solution);
  const auto total = static_cast<long double>(centred(totals, target, target, slot));
  const auto count = static_cast<long double>(count_of(totals));
  long double explained = 0, intercept = static_cast<long double>(value_at(totals.sums, target, slot)) / count;
  Regression out;
  for (std::size_t i = 0; i < size; ++i) {
    explained += solution[i] * right[i];
    const long double coefficient = solution[i] / scales[i];
    intercept -= coefficient * static_cast<long double>(value_at(totals.sums, features[i], slot)) / count;
    out.coefficients.push_back(static_cast<double>(coefficient));
  }
  out.intercept = static_cast<double>(intercept);
  // rounding may leave the interval [0, 1]
  out.r_squared = total > 0 ? std::clamp(static_cast<double>(explained / total), 0.0, 1.0) : 1;
  return out;
}

}  // namespace ringfort::statistics
