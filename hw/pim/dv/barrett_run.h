// SPDX-License-Identifier: Apache-2.0
// Arguments of the 60-bit kernel; words of 64 bits are put and read as pairs.
#pragma once

#include <cstring>

#include "kernel_run.h"
#include "kernels/barrett.h"
#include "reference.h"

namespace ringfort::pim::testing {

inline std::vector<u32> as_pairs(const std::vector<u64>& words) {
  std::vector<u32> pairs(2 * words.size());
  std::memcpy(pairs.data(), words.data(), 8 * words.size());
  return pairs;
}

inline Counters run_barrett(KernelRun& run, u64 q, const std::vector<u64>& a, const std::vector<u64>& b, std::vector<u64>& out) {
  const u32 bytes = static_cast<u32>(a.size()) * 8, bits = static_cast<u32>(std::bit_width(q));
  const u64 mu = static_cast<u64>((static_cast<unsigned __int128>(1) << (2 * bits)) / q);
  run.put(0, as_pairs(a));
  run.put(bytes, as_pairs(b));
  run.set_arguments(BarrettArguments{q, mu, bits, static_cast<u32>(a.size()), 0, bytes, 2 * bytes});
  const Counters counters = run.run();
  const auto pairs = run.get(2 * bytes, 2 * a.size());
  out.resize(a.size());
  std::memcpy(out.data(), pairs.data(), 8 * out.size());
  return counters;
}

}  // namespace ringfort::pim::testing
