// SPDX-License-Identifier: Apache-2.0
// One simulated DPU. It loads a program, runs the program to its end, and lets the host read and write the memories.
// The same program and the same memory contents give the same cycles on every machine. Only one thread at a time may
// use a DPU. Different DPUs are independent. hw/pim/README.md explains the terms.
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
  Fault fault;  // FaultCode::none if every tasklet returned from main
};

class Dpu {
 public:
  explicit Dpu(const Chip& chip = kV1A, const Timing& timing = {});
  ~Dpu();
  Dpu(Dpu&&) noexcept;
  Dpu& operator=(Dpu&&) noexcept;

  // Loads a program: resets IRAM, WRAM, the mutexes, and the part of MRAM that the program initialises. The rest of
  // MRAM keeps its contents.
  void load(std::shared_ptr<const Program> program);
  bool loaded() const { return program_ != nullptr; }
  const Program& program() const { return *program_; }

  // Runs the loaded program. Does nothing without a program, or if the program has no instructions
  // (sdk/native/native.h). Variables keep their values from one run to the next.
  RunReport run(u64 cycle_limit = std::numeric_limits<u64>::max());

  // Write and read memory at the program's addresses: WRAM begins at 0, MRAM at kMramBase. A call that reaches beyond
  // the end of a memory does nothing and returns false.
  bool write(u32 address, std::span<const u8> bytes);
  bool read(u32 address, std::span<u8> bytes) const;

  // Turns the checks of DMA transfers on or off; they are on by default. With checks, a transfer that breaks a rule of
  // the DMA engine is a fault. Without checks, the transfer ignores the same bits as the hardware: the low three bits
  // of addresses and sizes, and the bits of an MRAM address above 64 MiB. The hardware encodes the size as the number
  // of 8-byte words minus one, modulo 256. Therefore it moves 8 bytes if 2056 are requested.
  void check_dma(bool on);

  Mram& mram();

  // Returns the text that the program printed since the last call or load.
  std::string take_log();

 private:
  std::unique_ptr<Machine> machine_;
  std::shared_ptr<const Program> program_;
};

}  // namespace ringfort::pim
