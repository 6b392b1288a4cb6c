// SPDX-License-Identifier: Apache-2.0
// Runs one operation on vectors that are divided among many DPUs. It pushes the operands, which are generated from
// seeds, launches the kernel once, and copies the result back. It reports the simulated time of each step, and compares
// a few words of the result with plain arithmetic. hw/pim/README.md explains the terms.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dv/host_system.h"
#include "sim/words.h"

namespace ringfort::pim::bench {

struct Times {
  double to_ms = 0, dpu_ms = 0, from_ms = 0;
  bool estimated = false;
  u32 simulated = 0;
  double all_ms() const { return to_ms + dpu_ms + from_ms; }
};

struct KernelCase {
  std::string kernel;
  u32 words = 0;  // 32-bit words per operand on one DPU
  u32 bound = 0;  // all 32-bit words of the operands are below this bound
  // numbers of words of the pushes; the first push begins at offset 0, and each push follows the previous one
  std::vector<u32> pushes;
  u32 out = 0, pulled = 0;    // offset of the result in bytes, and its number of words
  std::vector<u8> arguments;  // every DPU gets the same arguments
  // Throws if the result of a DPU is wrong. `word(i)` is word i of the pushed operands.
  std::function<void(const std::function<u32(u32)>& word, const std::vector<u32>& result)> check;
};

// Measures a case. `profile` is the name of a timing profile. Further keys of dpu_alloc (ringfort_pim.h) may follow the
// name, for example ",chip=v1B".
Times measure_case(const std::string& folder, const std::string& profile, u32 dpus, const KernelCase& kernel_case);

}  // namespace ringfort::pim::bench
