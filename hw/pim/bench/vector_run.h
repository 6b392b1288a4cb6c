// SPDX-License-Identifier: Apache-2.0
// Runs one operation on vectors that are divided among many DPUs: pushes the operands (from seeds), launches the kernel
// once, and pulls the result. Reports the simulated time of each step, and compares a few words of the result with
// plain arithmetic.
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
  u32 words = 0;              // 32-bit words per operand on one DPU
  u32 bound = 0;              // bound of the operands' words
  std::vector<u32> pushes;    // words of each push, from offset 0 on
  u32 out = 0, pulled = 0;    // the result: its offset in bytes, its number of words
  std::vector<u8> arguments;  // every DPU gets the same arguments
  // Throws if the result of a DPU is wrong. `word(i)` is word i of the operands as pushed.
  std::function<void(const std::function<u32(u32)>& word, const std::vector<u32>& result)> check;
};

// Measures a case. profile: a timing profile's name; further keys of dpu_alloc may follow (",chip=v1B").
Times measure_case(const std::string& folder, const std::string& profile, u32 dpus, const KernelCase& kernel_case);

}  // namespace ringfort::pim::bench
