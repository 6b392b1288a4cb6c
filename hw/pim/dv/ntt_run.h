// SPDX-License-Identifier: Apache-2.0
// Tables and arguments of the kernel ntt, computed with the arithmetic of reference.h, and a function that runs the
// kernel. For tests. hw/pim/README.md explains the terms.
#pragma once

#include <algorithm>

#include "kernel_run.h"
#include "kernels/ntt.h"
#include "reference.h"

namespace ringfort::pim::testing {

struct Transform {
  bool narrow = false;
  u32 q = 0;
  u32 log_n = 0;
  u32 root = 0;

  u32 n() const { return 1u << log_n; }
  u32 in_form(u64 value) const { return static_cast<u32>(product_mod(value, u64{1} << (narrow ? 24 : 32), q)); }
};

inline Transform make_transform(unsigned prime_bits, u32 log_n) {
  Transform t{prime_bits <= 24, prime_below(u64{1} << prime_bits, 1u << 16), log_n, 0};
  t.root = minimal_root(t.q, t.n());
  return t;
}

// Returns a table whose entry j is root^reversed(j) in Montgomery form. If `inverse` is true, takes the inverse of the
// root.
inline std::vector<u32> twiddle_table(const Transform& t, bool inverse) {
  const u64 base = inverse ? power_mod(t.root, t.q - 2, t.q) : t.root;
  std::vector<u32> table(t.n());
  u64 power = 1;
  for (u32 i = 0; i < t.n(); ++i, power = product_mod(power, base, t.q))
    table[reversed_bits(i, t.n())] = t.in_form(power);
  return table;
}

// Rearranges the table of twiddles row by row, for transforms of more than 2^13 words.
inline std::vector<u32> row_tables(const std::vector<u32>& table, u32 log_rows) {
  const u32 rows = 1u << log_rows, length = static_cast<u32>(table.size()) >> log_rows;
  std::vector<u32> tables(table.size());
  for (u32 g = 0; g < rows; ++g) {
    for (u32 half = 1; half < length; half *= 2)
      std::copy_n(table.begin() + (rows + g) * half, half, tables.begin() + g * length + half);
  }
  return tables;
}

// Transforms the consecutive polynomials in `data` in place. Returns the counters of the launch.
inline Counters run_transform(KernelRun& run, const Transform& t, NttVerb verb, std::vector<u32>& data) {
  const u32 bytes = static_cast<u32>(data.size()) * 4, log_rows = t.log_n > kMostLog ? t.log_n - kMostLog : 0;
  const auto table = twiddle_table(t, verb == kInverse);
  NttArguments arguments{static_cast<u32>(verb),
                         t.narrow,
                         t.q,
                         t.log_n - log_rows,
                         log_rows,
                         static_cast<u32>(data.size()) >> t.log_n,
                         0,
                         bytes,
                         t.in_form(power_mod(t.n(), t.q - 2, t.q)),
                         {}};
  std::copy_n(table.begin(), 1u << log_rows, arguments.columns);
  run.put(0, data);
  run.put(bytes, log_rows == 0 ? table : row_tables(table, log_rows));
  run.set_arguments(arguments);
  const Counters counters = run.launch();
  data = run.get(0, data.size());
  return counters;
}

}  // namespace ringfort::pim::testing
