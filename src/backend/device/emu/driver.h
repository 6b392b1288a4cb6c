// SPDX-License-Identifier: Apache-2.0
// The driver `emu`: kernels run on the host, as late as the rules of device/driver.h allow, in an order that a seed
// chooses. What relies on more than the rules gets wrong words: copies read and write host memory when they run, the
// target of a copy to the host holds a pattern until then, and so does memory without contents.
//
// A use of memory that is not ordered behind an earlier one, that is after a release or out of bounds, is a finding:
// the device then fails with Status::internal, and error() names the work, its stream and the memory. A checked device
// also finds what emu/launch.h finds inside a kernel, accesses of a kernel to memory that its call did not name, and
// copies of words that nothing wrote.
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

// The k-th call of an operation fails, from 1; `event` is record() and wait(). A late failure is one of a launch or a
// copy when it runs: it loses the device. Others return Status::out_of_memory and have done nothing.
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
  // Sums of the counters of checked launches, by kernel; it outlives the device. nullptr: not wanted.
  std::map<std::string_view, Counters>* counters = nullptr;
};

inline constexpr u32 kDevices = 4;  // emu:0 .. emu:3

// Returns the kernel of this name, or nullptr.
using FindKernel = const EmuKernel* (*)(std::string_view name) noexcept;

// Opens device `index` with the kernels that find_kernel() finds. Returns nullptr for other numbers and without memory.
[[nodiscard]] std::unique_ptr<device::Driver> open(u32 index, FindKernel find_kernel, const Options& options) noexcept;

}  // namespace ringfort::emu
