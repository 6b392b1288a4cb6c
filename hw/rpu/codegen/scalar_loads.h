// SPDX-License-Identifier: Apache-2.0
// The loads of scalar, modulus and address registers of a program, in the order of first use. The scalar data memory
// has three parts. Its first word is the base address 0 for a0. Then it has the moduli and their constants for m0, m1,
// ..., with space for all modulus registers. Then it has the scalars for s0, s1, ...
#pragma once

#include <map>

#include "codegen/dataflow.h"

namespace ringfort::rpu {

inline constexpr u32 kZeroWord = 0;
[[nodiscard]] constexpr u32 modulus_word(u32 modulus) noexcept { return 1 + 2 * modulus; }
[[nodiscard]] constexpr u32 scalar_word(u32 scalar) noexcept { return modulus_word(kRegisters) + scalar; }

class ScalarLoads {
 public:
  explicit ScalarLoads(const Dataflow& flow);

  [[nodiscard]] bool pending() const noexcept { return next_ < loads_.size(); }
  // Tells whether the operation needs one of the pending loads.
  [[nodiscard]] bool needed(const Operation& operation) const;
  [[nodiscard]] Instruction take() { return loads_[next_++]; }

 private:
  [[nodiscard]] bool waiting(Op op, u8 number) const { return index_.at({op, number}) >= next_; }
  void want(Op op, u8 number, u32 address);

  std::vector<Instruction> loads_;
  std::map<std::pair<Op, u8>, std::size_t> index_;
  std::size_t next_ = 0;
};

}  // namespace ringfort::rpu
