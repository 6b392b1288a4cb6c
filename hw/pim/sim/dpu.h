// SPDX-License-Identifier: Apache-2.0
// One simulated DPU: loads a program, lets the host read and write its memories, runs it to its end. The same program
// and memory give the same cycles on every machine. A DPU is not thread-safe; different DPUs are independent.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string>

#include "chip.h"
#include "machine.h"
#include "program.h"
#include "words.h"

namespace ringfort::pim {

struct RunReport {
  Counters counters;
  Fault fault;  // FaultCode::none: every tasklet returned from main
};

class Dpu {
 public:
  explicit Dpu(const Chip& chip = kV1A, const Timing& timing = {});
  ~Dpu();
  Dpu(Dpu&&) noexcept;
  Dpu& operator=(Dpu&&) noexcept;

  // Resets IRAM, WRAM, the mutexes and the initialised part of MRAM; the rest of MRAM stays.
  void load(std::shared_ptr<const Program> program);
  bool loaded() const { return program_ != nullptr; }
  const Program& program() const { return *program_; }

  // Runs the loaded program. Without a program, or if the program has no instructions (sdk/native), nothing runs.
  // Variables keep their values from launch to launch.
  RunReport run(u64 cycle_limit = std::numeric_limits<u64>::max());

  // Accesses use the program's addresses: WRAM from 0, MRAM from kMramBase. Beyond the end of a memory they do nothing
  // and return false.
  bool write(u32 address, std::span<const u8> bytes);
  bool read(u32 address, std::span<u8> bytes) const;

  // Checked transfers are the default: a transfer that breaks a rule of the DMA engine is a fault. Unchecked transfers
  // ignore what the hardware ignores: the low three bits of addresses and sizes, and the bits of an MRAM address above
  // its 64 MiB. The field of the size has eight bits: the number of 8-byte words minus one, mod 256.
  void check_dma(bool on);

  Mram& mram();

  // Returns the text that the program printed since the last call.
  std::string take_log();

 private:
  std::unique_ptr<Machine> machine_;
  std::shared_ptr<const Program> program_;
};

}  // namespace ringfort::pim
