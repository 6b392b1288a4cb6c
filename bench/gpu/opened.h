// SPDX-License-Identifier: Apache-2.0
// A GPU for the benchmark. It consists of a driver, a wrapper of the driver that counts launches and copies, and the
// library's device on top of this wrapper.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "backend/device/driver.h"
#include "backend/device/emu/launch.h"
#include "runtime/device.h"

namespace ringfort::bench::gpu {

// Numbers of calls since the last reset.
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
  // Tells whether the device measures times. An emulated device and the stand-in for libcuda do not measure times,
  // because these would be the times of the emulator.
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
