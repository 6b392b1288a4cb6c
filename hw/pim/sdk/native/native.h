// SPDX-License-Identifier: Apache-2.0
// The native path runs the kernels of hw/pim/kernels, compiled for the host, on the memory of a simulated DPU. It
// computes the same results as the simulator, and is about a hundred times as fast as the simulator. But it counts no
// cycles. The cycles come from a simulated DPU of the same shape, or from the table of measured costs
// (data/kernel_cycles.json). A kernel must keep nothing but its arguments in WRAM from one launch to the next.
// hw/pim/README.md explains the terms.
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

// The quantities that determine the time of a launch. Launches with equal shapes and sizes take equal cycles, except
// for a few branches that depend on data. The table of costs has one row per shape. `units` is the work of all
// tasklets, in units of the kernel. `longest` is the work of the tasklet that has the most work.
struct Work {
  std::string shape;
  std::vector<u32> sizes;
  double units = 0, longest = 0;
  bool operator==(const Work&) const = default;
};

struct NativeKernel {
  std::string_view name;  // name of the program
  int (*main)();          // every tasklet runs this function
  void* arguments;
  std::size_t argument_bytes;
  Work (*work)(const void* arguments);
};

inline constexpr unsigned kNativeTasklets = 16;

std::span<const NativeKernel> native_kernels();
const NativeKernel* find_native(std::string_view name);
// Returns the kernel whose name is in the program's symbols, or nullptr if the program is no kernel for 16
// tasklets.
const NativeKernel* native_of(const Program& program);

// Returns the text of a stand-in. In a build without a compiler for DPUs, a stand-in replaces the program of a kernel:
// the file NAME.dpu is a text that contains the name of the kernel. The Program of a stand-in has no instructions.
std::string stand_in_text(std::string_view name);
std::optional<Program> stand_in(std::span<const u8> file);

// The result of a native launch. `dma_bytes` is the number of bytes that transfers moved. `broken` is true if a
// transfer broke a rule of the DMA engine and thereby stopped the launch.
struct NativeReport {
  u64 dma_bytes = 0;
  bool broken = false;
};

// Runs a kernel on `mram`. The heap begins at byte `heap` of `mram`.
NativeReport run_native(const NativeKernel& kernel, std::span<const u8> arguments, Mram& mram, u32 heap);

// Runs a kernel without changing the memory. Keeps the bytes that the kernel wrote, to compare them later.
class NativeCheck {
 public:
  NativeCheck(const NativeKernel& kernel, std::span<const u8> arguments, const Mram& mram, u32 heap);
  // Returns the offset of a byte of `mram` that differs from the byte that the kernel wrote, or nullopt.
  std::optional<u32> first_difference(const Mram& mram) const;
  const NativeReport& report() const { return report_; }

 private:
  Mram written_;
  NativeReport report_;
  std::vector<std::pair<u32, u32>> ranges_;
};

// Returns the cycles of a launch from data/kernel_cycles.json, or nullopt if the table has no row of the shape. In the
// launches of the tests, the error is at most 10 %, or 25 % for a launch of a tenth of a millisecond.
std::optional<double> cycles_from_table(const Work& work);

}  // namespace ringfort::pim
