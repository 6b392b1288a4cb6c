// SPDX-License-Identifier: Apache-2.0
// The hardware (rtl/), which Verilator has translated to C++. The test bench drives its ports and its clock, and reads
// its memories during a run. The build (cosim/design.py) writes parameters.h, which has the parameters of the module
// `rpu` as macros.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "Vrpu.h"
#include "parameters.h"
#include "sim/machine.h"
#include "sim/word.h"
#include "verilated.h"

namespace ringfort::rpu::rtl {

inline constexpr u32 kW = RPU_W, kLanes = RPU_H, kBanks = RPU_B, kVdmWords = RPU_VDM_WORDS, kSdmWords = RPU_SDM_WORDS;
inline constexpr u32 kBankRows = (kVdmWords + kBanks - 1) / kBanks;

[[nodiscard]] Machine machine_of_this_build();

// A memory of the design, with words of `bits` bits.
class Memory {
 public:
  Memory(const std::string& scope, const char* name, u32 bits);
  // Returns `count` <= 128 bits of a word, from bit `lsb` on.
  [[nodiscard]] u128 read(u32 word, u32 lsb, u32 count) const;

 private:
  const u8* data_;
  u32 stride_;
};

class Rtl {
 public:
  explicit Rtl(VerilatedContext& context);
  [[nodiscard]] Vrpu& ports() noexcept { return top_; }

  void reset();
  void settle();  // computes the signals of this cycle
  void tick();    // makes a clock edge; call settle() first

  void write_instruction(u32 address, u64 word);
  void write_scalar_data(u32 address, u128 word);
  // Write or read a row of the vector data memory through the port for transfers of the host.
  void write_row(u32 row, const std::vector<u128>& words);
  [[nodiscard]] std::vector<u128> read_row(u32 row);

  // Read memories. The values are those after the last clock edge.
  [[nodiscard]] u128 vector_element(u32 number, u32 i) const;
  [[nodiscard]] u128 vdm_word(u32 bank, u32 row) const { return banks_[bank].read(row, 0, kW); }
  [[nodiscard]] u128 scalar_data(u32 word) const { return sdm_[word % 2].read(word / 2, 0, 128); }
  [[nodiscard]] u128 scalar(u32 number) const { return srf_->read(number, 0, kW); }
  [[nodiscard]] u128 modulus(u32 number) const { return mrf_->read(number, 2 * kW, kW); }
  [[nodiscard]] u128 normal_modulus(u32 number) const { return mrf_->read(number, kW, kW); }
  [[nodiscard]] u128 address(u32 number) const { return arf_->read(0, 21 * number, 21); }

 private:
  VerilatedContext& context_;
  Vrpu top_;
  std::vector<Memory> registers_, banks_, sdm_;
  std::unique_ptr<Memory> srf_, mrf_, arf_;
};

}  // namespace ringfort::rpu::rtl
