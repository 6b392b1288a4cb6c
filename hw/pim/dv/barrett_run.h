// SPDX-License-Identifier: Apache-2.0
// Runs the kernel barrett on one simulated DPU, for tests. Words of 64 bits are written and read as pairs of 32-bit
// words. hw/pim/README.md explains the terms.
#pragma once

#include <cstring>

#include "kernel_run.h"
#include "kernels/barrett.h"
#include "reference.h"

namespace ringfort::pim::testing {

inline std::vector<u32> as_pairs(const std::vector<u64>& words) {
  std::vector<u32> pairs(2 * words.size());
  if (!words.empty()) std::memcpy(pairs.data(), words.data(), 8 * words.size());
  return pairs;
}

inline std::vector<u64> as_words(const std::vector<u32>& pairs) {
  std::vector<u64> words(pairs.size() / 2);
  std::memcpy(words.data(), pairs.data(), 8 * words.size());
  return words;
}

// `w` has the roots of butterflies. For other verbs it is empty.
struct Operands60 {
  std::vector<u64> a, b, w;
};

// Runs the kernel. `out` is the result. For butterflies, `out` is the first result, followed by the second result.
inline Counters run_barrett(KernelRun& run, BarrettVerb verb, u64 q, const Operands60& x, std::vector<u64>& out) {
  const auto& [a, b, w] = x;
  const u32 bytes = static_cast<u32>(a.size()) * 8, bits = static_cast<u32>(std::bit_width(q));
  const u64 mu = static_cast<u64>((static_cast<unsigned __int128>(1) << (2 * bits)) / q);
  run.put(0, as_pairs(a));
  run.put(bytes, as_pairs(b));
  run.put(2 * bytes, as_pairs(w));
  run.set_arguments(BarrettArguments{q, mu, bits, static_cast<u32>(a.size()), static_cast<u32>(verb), 0, bytes,
                                     2 * bytes, 3 * bytes, 4 * bytes});
  const Counters counters = run.launch();
  out = as_words(run.get(3 * bytes, (verb == kButterfly60 ? 4 : 2) * a.size()));
  return counters;
}

}  // namespace ringfort::pim::testing
