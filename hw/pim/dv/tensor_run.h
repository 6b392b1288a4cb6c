// SPDX-License-Identifier: Apache-2.0
// Runs the kernel tensor on one simulated DPU, for tests. hw/pim/README.md explains the terms.
#pragma once

#include "kernel_run.h"
#include "kernels/tensor.h"
#include "reference.h"

namespace ringfort::pim::testing {

struct Components {
  std::vector<u32> a0, a1, b0, b1;
};

// Writes the three components of the result to `out`, one after the other. Returns the counters of the launch.
inline Counters run_tensor(KernelRun& run, u32 q, const Components& x, std::vector<u32>& out) {
  const u32 words = static_cast<u32>(x.a0.size()), bytes = words * 4;
  run.put(0, x.a0);
  run.put(bytes, x.a1);
  run.put(2 * bytes, x.b0);
  run.put(3 * bytes, x.b1);
  run.set_arguments(
      TensorArguments{q, q < (1u << 24), words, 0, bytes, 2 * bytes, 3 * bytes, 4 * bytes, 5 * bytes, 6 * bytes});
  const Counters counters = run.launch();
  out = run.get(4 * bytes, 3 * std::size_t{words});
  return counters;
}

}  // namespace ringfort::pim::testing
