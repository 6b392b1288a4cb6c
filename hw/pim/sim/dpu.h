// SPDX-License-Identifier: Apache-2.0
// One simulated DPU: load a program, read and write its memories as a host does, run it to its end. Deterministic: the
// same program and memory give the same cycles on every machine. Not thread-safe; different DPUs are independent.
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

  // A program without instructions does nothing: see sdk/native. Variables keep their values from launch to launch.
  // Without a loaded program nothing runs.
  RunReport run(u64 cycle_limit = std::numeric_limits<u64>::max());

  // Addresses are the program's: WRAM from 0, MRAM from kMramBase. False, and nothing done, beyond the memory's end.
  bool write(u32 address, std::span<const u8> bytes);
  bool read(u32 address, std::span<u8> bytes) const;

  Mram& mram();

  // What the program printed since the last call.
  std::string take_log();

 private:
  std::unique_ptr<Machine> machine_;
  std::shared_ptr<const Program> program_;
};

}  // namespace ringfort::pim
