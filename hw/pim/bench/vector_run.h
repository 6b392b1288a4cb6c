// SPDX-License-Identifier: Apache-2.0
// One operation on vectors that lie in pieces on many DPUs: operands pushed, one launch, the result pulled, each with its simulated
// time, and a few places of the result held against plain arithmetic. Operands come from seeds.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dv/host_system.h"

namespace ringfort::pim::bench {

struct Times {
  double to_ms = 0, dpu_ms = 0, from_ms = 0;
  bool estimated = false;
  std::uint32_t simulated = 0;
  double all_ms() const { return to_ms + dpu_ms + from_ms; }
};

struct Piece {
  std::string kernel;
  std::uint32_t words = 0;              // of 32 bits, of an operand on one DPU
  std::uint32_t bound = 0;              // of the operands' words
  std::vector<std::uint32_t> pushes;    // words of each push, from offset 0 on
  std::uint32_t out = 0, pulled = 0;    // offset in bytes, words
  std::vector<std::uint8_t> arguments;  // of every DPU
  // Throws where the result of one DPU is wrong; `word(i)` is word i of the operands as pushed.
  std::function<void(const std::function<std::uint32_t(std::uint32_t)>& word, const std::vector<std::uint32_t>& result)> check;
};

// profile: a timing profile's name; further keys of dpu_alloc may follow (",chip=v1B").
Times run_piece(const std::string& folder, const std::string& profile, std::uint32_t dpus, const Piece& piece);

}  // namespace ringfort::pim::bench
