// SPDX-License-Identifier: Apache-2.0
// A GPU, opened below the library: its driver, which counts launches and copies, and the device over this driver.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "backend/device/driver.h"
#include "backend/device/emu/launch.h"
#include "runtime/device.h"

namespace ringfort::bench::gpu {

// What a driver was asked for since the last reset.
struct Tally {
  std::map<std::string, u64, std::less<>> launches;  // by kernel
  u64 allocations = 0, copies = 0, copied_bytes = 0;
  [[nodiscard]] u64 all_launches() const {
    u64 sum = 0;
    for (const auto& [kernel, count] : launches) sum += count;
    return sum;
  }
};

class Opened {
 public:
  // Errors: device_unknown, with the reason.
  explicit Opened(std::string_view name);
  [[nodiscard]] const std::shared_ptr<const Device>& device() const noexcept { return device_; }
  [[nodiscard]] device::Driver& driver() const noexcept { return *driver_; }
  // An emulated device has counters and no speed. Devices over the double of libcuda have neither: `times` is false for
  // both, because their times are those of the emulator.
  [[nodiscard]] bool times() const noexcept { return times_; }
  void pretend_times() noexcept { times_ = true; }
  [[nodiscard]] Tally& tally() noexcept { return *tally_; }
  // Counters of the emulator by kernel; empty on other devices.
  [[nodiscard]] std::map<std::string_view, emu::Counters>& counters() noexcept { return *counters_; }

 private:
  std::unique_ptr<Tally> tally_;
  std::unique_ptr<std::map<std::string_view, emu::Counters>> counters_;
  device::Driver* driver_ = nullptr;  // owned by the device
  bool times_ = true;
  std::shared_ptr<const Device> device_;
};

}  // namespace ringfort::bench::gpu
