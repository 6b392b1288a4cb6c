// SPDX-License-Identifier: Apache-2.0
// Runs the kernel expand on one simulated DPU, for tests. The kernel expands seeds into uniform polynomials.
// hw/pim/README.md explains the terms.
#pragma once

#include <array>

#include "kernel_run.h"
#include "kernels/expand.h"
#include "reference.h"

namespace ringfort::pim::testing {

struct Stream {
  std::array<u32, 8> key{};
  std::array<u32, 3> nonce{};
};

inline Counters run_expand(KernelRun& run, const Stream& stream, u32 q, u32 words, u32 polynomials,
                           std::vector<u32>& out) {
  ExpandArguments arguments{{}, {}, q, static_cast<u32>(power_mod(2, 144, q)), words, polynomials, 0};
  std::copy(stream.key.begin(), stream.key.end(), arguments.key);
  std::copy(stream.nonce.begin(), stream.nonce.end(), arguments.nonce);
  run.set_arguments(arguments);
  const Counters counters = run.launch();
  out = run.get(0, std::size_t{words} * polynomials);
  return counters;
}

}  // namespace ringfort::pim::testing
