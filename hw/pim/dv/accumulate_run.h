// SPDX-License-Identifier: Apache-2.0
// Runs the kernel accumulate on one simulated DPU, for tests. hw/pim/README.md explains the terms.
#pragma once

#include "kernel_run.h"
#include "kernels/accumulate.h"
#include "reference.h"

namespace ringfort::pim::testing {

// Writes the sum of the rows of `data` to `out`. A row has `words` words. Returns the counters of the launch.
inline Counters run_accumulate(KernelRun& run, u32 q, u32 words, const std::vector<u32>& data, std::vector<u32>& out) {
  const bool narrow = q < (1u << 24);
  const u64 radix = u64{1} << (narrow ? 24 : 32);
  const u32 bytes = static_cast<u32>(data.size()) * 4, rows = static_cast<u32>(data.size()) / words;
  run.put(0, data);
  run.set_arguments(AccumulateArguments{q, narrow, words, rows, 0, bytes, static_cast<u32>(radix % q),
                                        static_cast<u32>(product_mod(radix, 1u << kSplitBits, q))});
  const Counters counters = run.launch();
  out = run.get(bytes, words);
  return counters;
}

}  // namespace ringfort::pim::testing
