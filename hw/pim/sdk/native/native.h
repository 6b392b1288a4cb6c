// SPDX-License-Identifier: Apache-2.0
// The native path: the kernels of hw/pim/kernels, compiled for the host, on the memory of a simulated DPU. It computes
// the same results as the simulator and is a hundred times as fast, but it counts no cycles. The cycles come from a
// simulated DPU of the same shape, or from the table of measured costs (data/kernel_cycles.json). A kernel must keep
// nothing but its arguments in WRAM from one launch to the next.
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

// The quantities that determine the time of a launch. Equal shapes and sizes take equal cycles, except for the few
// branches on data. The table of costs has one row per shape. `units` counts the whole launch, `longest` the tasklet
// with the most work.
struct Work {
  std::string shape;
  std::vector<u32> sizes;
  double units = 0, longest = 0;
  bool operator==(const Work&) const = default;
};

struct NativeKernel {
  std::string_view name;  // name of the program
  int (*main)();          // entry of one tasklet
  void* arguments;
  std::size_t argument_bytes;
  Work (*work)(const void* arguments);
};

inline constexpr unsigned kNativeTasklets = 16;

std::span<const NativeKernel> native_kernels();
const NativeKernel* find_native(std::string_view name);
// Returns the kernel whose name the program's symbols contain; nullptr for other programs.
const NativeKernel* native_of(const Program& program);

// Returns the text of a stand-in: without a compiler for DPUs, NAME.dpu is a text with the kernel's name. Such a
// program has no instructions.
std::string stand_in_text(std::string_view name);
std::optional<Program> stand_in(std::span<const u8> file);

// MRAM traffic of a launch. `broken`: a transfer broke a rule of the DMA engine and stopped the launch.
struct NativeReport {
  u64 dma_bytes = 0;
  bool broken = false;
};

// Runs in place on `mram`; the heap begins at byte `heap`.
NativeReport run_native(const NativeKernel& kernel, std::span<const u8> arguments, Mram& mram, u32 heap);

// Runs a kernel without changing the memory, and keeps the written bytes for comparison.
class NativeCheck {
 public:
  NativeCheck(const NativeKernel& kernel, std::span<const u8> arguments, const Mram& mram, u32 heap);
  // Returns the first byte of `mram` that differs from the bytes written here.
  std::optional<u32> first_difference(const Mram& mram) const;
  const NativeReport& report() const { return report_; }

 private:
  Mram written_;
  NativeReport report_;
  std::vector<std::pair<u32, u32>> ranges_;
};

// Returns the cycles from data/kernel_cycles.json, within 10 % (25 % for launches below half a millisecond), or nullopt
// if the table lacks the shape.
std::optional<double> cycles_from_table(const Work& work);

}  // namespace ringfort::pim
