// SPDX-License-Identifier: Apache-2.0
// Tables and arguments of the kernel convert, computed with the arithmetic of reference.h, and a function that runs the
// kernel. For tests. hw/pim/README.md explains the terms.
#pragma once

#include "big.h"
#include "kernel_run.h"
#include "kernels/convert.h"

namespace ringfort::pim::testing {

struct Bases {
  std::vector<u32> from, to;

  bool narrow() const { return from.front() < 1u << 24; }
  u64 radix() const { return u64{1} << (narrow() ? 24 : 32); }
  // Returns Q / q_i mod m, or Q mod m if i is the number of source primes.
  u32 weight(std::size_t i, u32 m) const {
    u64 result = 1;
    for (std::size_t k = 0; k < from.size(); ++k) {
      if (k != i) result = product_mod(result, from[k], m);
    }
    return static_cast<u32>(result);
  }
};

inline u32 inverse_mod(u64 a, u32 q) { return static_cast<u32>(power_mod(a % q, q - 2, q)); }

// Returns floor(2^(63 + bits) / q) for q of `bits` bits.
inline u64 reciprocal(u32 q) {
  return static_cast<u64>((static_cast<unsigned __int128>(1) << (63 + std::bit_width(q))) / q);
}

inline std::vector<u32> source_table(const Bases& bases) {
  std::vector<u32> table;
  for (std::size_t i = 0; i < bases.from.size(); ++i) {
    const u32 q = bases.from[i];
    table.push_back(q);
    table.push_back(static_cast<u32>(product_mod(inverse_mod(bases.weight(i, q), q), bases.radix(), q)));
    table.push_back(static_cast<u32>(reciprocal(q)));
    table.push_back(static_cast<u32>(reciprocal(q) >> 32));
    table.push_back(30 - static_cast<u32>(std::bit_width(q)));
    table.push_back(0);
  }
  return table;
}

inline std::vector<u32> target_table(const Bases& bases) {
  std::vector<u32> table;
  for (u32 p : bases.to) {
    table.push_back(p);
    table.push_back(
        static_cast<u32>(product_mod(inverse_mod(bases.weight(bases.from.size(), p), p), bases.radix(), p)));
  }
  return table;
}

inline std::vector<u32> weight_table(const Bases& bases) {
  std::vector<u32> table;
  for (u32 p : bases.to) {
    std::vector<u32> row(convert_row(static_cast<u32>(bases.from.size())));
    for (std::size_t i = 0; i < bases.from.size(); ++i)
      row[i] = static_cast<u32>(product_mod(bases.weight(i, p), bases.radix(), p));
    row[bases.from.size()] =
        static_cast<u32>((p - product_mod(bases.weight(bases.from.size(), p), bases.radix(), p)) % p);
    table.insert(table.end(), row.begin(), row.end());
  }
  return table;
}

// Runs the kernel. `x` has the consecutive vectors of the sources. For kModDown, `a` has the vectors of the targets.
// For kConvert, `a` is empty.
inline Counters run_convert(KernelRun& run, const Bases& bases, ConvertKind kind, const std::vector<u32>& x,
                            const std::vector<u32>& a, std::vector<u32>& out) {
  const u32 words = static_cast<u32>(x.size() / bases.from.size());
  const u32 k = static_cast<u32>(bases.from.size()), m = static_cast<u32>(bases.to.size());
  const u32 a_offset = k * words * 4, out_offset = a_offset + m * words * 4, tables = out_offset + m * words * 4;
  const auto sources = source_table(bases), targets = target_table(bases), weights = weight_table(bases);
  run.put(0, x);
  if (!a.empty()) run.put(a_offset, a);
  run.put(tables, sources);
  run.put(tables + 3072, targets);
  run.put(tables + 4096, weights);
  run.set_arguments(ConvertArguments{a.empty() ? u32{kConvert} : u32{kModDown}, static_cast<u32>(kind), bases.narrow(),
                                     words, k, m, 0, a_offset, out_offset, tables, tables + 3072, tables + 4096});
  const Counters counters = run.launch();
  out = run.get(out_offset, std::size_t{m} * words);
  return counters;
}

}  // namespace ringfort::pim::testing
