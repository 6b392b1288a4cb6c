// SPDX-License-Identifier: Apache-2.0
// The native path: the kernels of hw/pim/kernels, compiled for the host, on the memory of a simulated DPU. It computes
// what the simulator computes, a hundred times as quickly, and knows no cycles: those come from a simulated DPU of the
// same shape, or from the table of measured costs (data/kernel_cycles.json). A kernel keeps nothing in WRAM from launch
// to launch but its arguments.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/mram.h"
#include "sim/program.h"
#include "sim/words.h"

namespace ringfort::pim {

// What the time of a launch depends on: equal shapes and sizes take equal cycles, but for the few branches on data. The
// table of costs knows shapes: `units` are those of the whole launch, `longest` those of the tasklet with most.
struct Work {
  std::string shape;
  std::vector<u32> sizes;
  double units = 0, longest = 0;
  bool operator==(const Work&) const = default;
};

struct NativeKernel {
  std::string_view name;  // of the program
  int (*main)();          // of one tasklet
  void* arguments;
  std::size_t argument_bytes;
  Work (*work)(const void* arguments);
};

inline constexpr unsigned kNativeTasklets = 16;

std::span<const NativeKernel> native_kernels();
const NativeKernel* find_native(std::string_view name);
// The kernel that the program was built from, as its symbols say; nullptr for other programs.
const NativeKernel* native_of(const Program& program);

// Where no compiler for DPUs was found, NAME.dpu is a text that names the kernel: such a program has no instructions.
std::string stand_in_text(std::string_view name);
std::optional<Program> stand_in(std::span<const u8> file);

// What a launch did to MRAM. `broken`: a transfer broke a rule of the DMA engine, and the launch stopped there.
struct NativeReport {
  u64 dma_bytes = 0;
  bool broken = false;
};

// Runs on the memory itself; the heap begins at `heap` bytes.
NativeReport run_native(const NativeKernel& kernel, std::span<const u8> arguments, Mram& mram, u32 heap);

// Runs beside the memory, which stays as it is, and keeps what was written to compare with.
class NativeCheck {
 public:
  NativeCheck(const NativeKernel& kernel, std::span<const u8> arguments, const Mram& mram, u32 heap);
  // The first byte of MRAM that differs from what was written here.
  std::optional<u32> first_difference(const Mram& mram) const;
  const NativeReport& report() const { return report_; }

 private:
  Mram written_;
  NativeReport report_;
  std::vector<std::pair<u32, u32>> ranges_;
};

// From data/kernel_cycles.json; nullopt where the table lacks the shape. Within 10 %; within 25 % for launches below
// half a millisecond.
std::optional<double> cycles_from_table(const Work& work);

}  // namespace ringfort::pim
