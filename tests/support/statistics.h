// SPDX-License-Identifier: Apache-2.0
// Code that the tests of the statistics share: the parties of a study in a tiny ring, random uploads, and totals in
// 128-bit integers. In a study, users upload encrypted records, an aggregator adds them, and the owner of the key
// decrypts the totals.
#pragma once

#include "ringfort/statistics.h"
#include "support/integers.h"

namespace ringfort::statistics::testing {

using integers::testing::choose_seed;
using Table = std::vector<std::vector<std::int64_t>>;  // [column][record]

inline Study study_of(std::vector<Column> columns, Wanted wanted, std::uint64_t uploads, std::uint32_t records,
                      bool each_slot = false) {
  return {std::move(columns), wanted, uploads, records, each_slot};
}

inline Choice tiny_ring(PrimeChoice primes = {}) { return {primes, {}, 64, "a test"}; }

template <class S>
struct Parties {
  explicit Parties(const Study& s, const Choice& choice = tiny_ring(), std::string_view device = "")
      : Parties(s, choose<S>(s, choice), device) {}
  Parties(const Study& s, const typename S::Parameters& parameters, std::string_view device)
      : study(s),
        context(parameters, device),
        generator(context),
        key(generator.create_public_key()),
        relinearization(generator.create_relinearization_key()),
        rotations(generator.create_galois_keys(plan_rotations(context))) {}

  [[nodiscard]] Aggregator<S> aggregator() const { return {context, study, key}; }
  [[nodiscard]] Upload<S> upload(const Table& columns) const { return encrypt(context, study, key, columns); }
  [[nodiscard]] Totals open(const Aggregator<S>& a) const {
    return decrypt(context, study, generator.secret_key(), a.result(&relinearization, &rotations));
  }

  Study study;
  integers::Context<S> context;
  KeyGenerator generator;
  PublicKey key;
  RelinearizationKey relinearization;
  GaloisKeys rotations;
};

inline Table random_table(const Study& study, std::size_t records, std::mt19937_64& random) {
  Table table;
  for (const Column& column : study.columns) {
    std::uniform_int_distribution<std::int64_t> value(column.low, column.high);
    table.emplace_back(records);
    for (auto& v : table.back()) v = value(random);
  }
  return table;
}

// Returns the totals over all records of all tables. The sums of columns come first. The sums of products of two
// columns follow, in the order of Study::product.
inline std::vector<i128> plain_totals(const Study& study, const std::vector<Table>& tables) {
  const std::size_t columns = study.columns.size();
  std::vector<i128> totals(columns + study.products());
  for (const Table& table : tables) {
    for (std::size_t r = 0; r < table[0].size(); ++r) {
      for (std::size_t b = 0; b < columns; ++b) {
        totals[b] += table[b][r];
        if (study.wanted == Wanted::means) continue;
        for (std::size_t a = study.wanted == Wanted::variances ? b : 0; a <= b; ++a)
          totals[columns + study.product(a, b)] += static_cast<i128>(table[a][r]) * table[b][r];
      }
    }
  }
  return totals;
}

// Returns the totals of one upload with this table, computed without encryption.
inline Totals totals_in_the_clear(const Study& study, const Table& table) {
  const auto all = plain_totals(study, {table});
  Totals totals{study, 1, table[0].size(), {}, {}};
  for (std::size_t i = 0; i < all.size(); ++i)
    (i < study.columns.size() ? totals.sums : totals.products).push_back({static_cast<std::int64_t>(all[i])});
  return totals;
}

inline std::vector<i128> all_of(const Totals& totals, std::size_t slot = 0) {
  std::vector<i128> all;
  for (const auto* group : {&totals.sums, &totals.products}) {
    for (const auto& values : *group) all.push_back(values.at(slot));
  }
  return all;
}

template <class Call>
Code code_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_FALSE(error.problem().empty());
    return error.code();
  }
  ADD_FAILURE() << "nothing was refused";
  return Code::internal;
}

}  // namespace ringfort::statistics::testing
