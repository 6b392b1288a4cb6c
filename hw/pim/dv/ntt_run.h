// SPDX-License-Identifier: Apache-2.0
// Tables and arguments of the transform kernel, made by the reference arithmetic.
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

// root^reversed(j) in Montgomery form; of the inverse root for the inverse.
inline std::vector<u32> twiddle_table(const Transform& t, bool inverse) {
  const u64 base = inverse ? power_mod(t.root, t.q - 2, t.q) : t.root;
  std::vector<u32> table(t.n());
  u64 power = 1;
  for (u32 i = 0; i < t.n(); ++i, power = product_mod(power, base, t.q)) table[reversed_bits(i, t.n())] = t.in_form(power);
  return table;
}

// Transforms `data`, polynomials one after the other, in place; returns the counters of the launch.
inline Counters run_transform(KernelRun& run, const Transform& t, NttVerb verb, std::vector<u32>& data) {
  const u32 bytes = static_cast<u32>(data.size()) * 4;
  const u64 scale = power_mod(t.n(), t.q - 2, t.q);
  const u64 first_inverse = power_mod(power_mod(t.root, t.n() / 2, t.q), t.q - 2, t.q);
  run.put(0, data);
  run.put(bytes, twiddle_table(t, verb == kInverse));
  run.set_arguments(NttArguments{static_cast<u32>(verb), t.narrow, t.q, t.log_n, static_cast<u32>(data.size()) >> t.log_n, 0, bytes, t.in_form(scale),
                                 t.in_form(product_mod(scale, first_inverse, t.q))});
  const Counters counters = run.run();
  data = run.get(0, data.size());
  return counters;
}

}  // namespace ringfort::pim::testing
