// SPDX-License-Identifier: Apache-2.0
// The driver `emu`: kernels run on the host, as late as the rules of device/driver.h allow, in an order that a seed
// chooses. Code that relies on more than the rules gets wrong words: copies read and write host memory only when they
// run. A pattern fills the target of a copy to the host until the copy runs, and device memory with undefined contents.
//
// The driver checks every use of memory. A use is a finding if no event orders it after an earlier conflicting use, if
// it follows a release, or if it is out of bounds: the device then fails with Status::internal, and error() states the
// work, its stream and the memory. A checked device also finds the faults of emu/launch.h inside kernels, accesses of a
// kernel to memory that the launch did not declare, and copies of words that nothing wrote.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "backend/device/driver.h"
#include "backend/device/emu/kernel.h"
#include "backend/device/emu/launch.h"

namespace ringfort::emu {

enum class Operation : u8 { none, allocate, load, launch, copy, event };

// Makes the k-th call of an operation fail, counted from 1; `event` counts record() and wait(). A late failure happens
// when a launch or a copy runs: the device is lost. Other failures return Status::out_of_memory without an effect.
struct Failure {
  Operation operation = Operation::none;
  u64 k = 0;
  bool is_late = false;
};

struct Options {
  std::string name{};  // empty: "emu:" and its number
  u64 seed = 1;
  std::size_t memory_bytes = std::size_t{1} << 30;
  bool checked = false;
  Failure failure{};
  // Receives sums of the counters of checked launches, by kernel; must outlive the device. nullptr: no sums.
  std::map<std::string_view, Counters>* counters = nullptr;
};

inline constexpr u32 kDevices = 4;  // emu:0 .. emu:3

// Returns the kernel of this name, or nullptr.
using FindKernel = const EmuKernel* (*)(std::string_view name) noexcept;

// Opens device `index` with the kernels that find_kernel() returns. Returns nullptr for other numbers, or if memory
// runs out.
[[nodiscard]] std::unique_ptr<device::Driver> open(u32 index, FindKernel find_kernel, const Options& options) noexcept;

}  // namespace ringfort::emu
