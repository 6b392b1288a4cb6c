// SPDX-License-Identifier: Apache-2.0
// Runs the kernel inner_product on one simulated DPU, for tests. hw/pim/README.md explains the terms.
#pragma once

#include "kernel_run.h"
#include "kernels/inner_product.h"
#include "reference.h"

namespace ringfort::pim::testing {

struct Shape {
  u32 words, rows, inner, columns;
};

// Computes out = a b. If `out` is not empty, computes out += a b.
inline Counters run_inner_product(KernelRun& run, u32 q, const Shape& s, const std::vector<u32>& a,
                                  const std::vector<u32>& b, std::vector<u32>& out) {
  const u32 b_offset = static_cast<u32>(a.size()) * 4, out_offset = b_offset + static_cast<u32>(b.size()) * 4;
  run.put(0, a);
  run.put(b_offset, b);
  run.put(out_offset, out);
  run.set_arguments(InnerProductArguments{q, q < (1u << 24), s.words, s.rows, s.inner, s.columns, !out.empty(), 0,
                                          b_offset, out_offset});
  const Counters counters = run.launch();
  out = run.get(out_offset, std::size_t{s.words} * s.rows * s.columns);
  return counters;
}

}  // namespace ringfort::pim::testing
