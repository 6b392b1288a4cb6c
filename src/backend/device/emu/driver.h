// SPDX-License-Identifier: Apache-2.0
// The driver `emu` runs kernels on the host. It runs them late, in an order that a seed chooses, within the rules of
// device/driver.h. Therefore code that relies on more than these rules gets wrong words. For example, a copy reads its
// source only when it runs. Until then, a pattern fills its target in host memory. The pattern also fills device memory
// whose contents are undefined.
//
// The driver checks every use of memory. It reports a *finding* in three cases: two uses conflict and no event orders
// them, the memory was released, or the use is out of bounds. Then the device fails with Status::internal, and error()
// states the work, its stream and the memory. With checks on, the driver also finds three other kinds of faults: those
// that emu/launch.h lists, accesses to memory that the launch did not declare, and copies of words that were never
// written.
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

// Makes one call of an operation fail: the k-th call, counted from 1. The operation `event` means record() and wait().
// If the failure is late, the call succeeds, and the device is lost when the launch or the copy runs. If it is not
// late, the call returns Status::out_of_memory and does nothing.
struct Failure {
  Operation operation = Operation::none;
  u64 k = 0;
  bool is_late = false;
};

struct Options {
  std::string name{};  // if empty, the name is "emu:" and the number of the device
  u64 seed = 1;
  std::size_t memory_bytes = std::size_t{1} << 30;
  bool checked = false;
  Failure failure{};
  // The driver adds the counters of each checked launch here, by kernel. The map must outlive the device. nullptr:
  // nothing is counted.
  std::map<std::string_view, Counters>* counters = nullptr;
};

inline constexpr u32 kDevices = 4;  // emu:0 .. emu:3

// Returns the kernel of this name, or nullptr.
using FindKernel = const EmuKernel* (*)(std::string_view name) noexcept;

// Opens device `index` with the kernels that find_kernel() returns. Returns nullptr if there is no such device, or if
// memory runs out.
[[nodiscard]] std::unique_ptr<device::Driver> open(u32 index, FindKernel find_kernel, const Options& options) noexcept;

}  // namespace ringfort::emu
