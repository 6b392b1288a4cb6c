// SPDX-License-Identifier: Apache-2.0
// Opens the devices of OpenCL by name (device.h). It reads DEVICE, TILE and the options of transforms from the name.
#include "backend/opencl/device.h"

#include <array>

#include "backend/device/backend.h"
#include "backend/opencl/driver.h"
#include "backend/opencl/library.h"
#include "backend/options/options.h"

namespace ringfort::opencl {
namespace {

constexpr u64 kMostDevices = 1024;

// The option "DEVICE" or "DEVICE.TILE".
struct DeviceNumber {
  u32 index = 0;
  std::optional<u32> tile;

  std::string read(std::string_view text) {
    const std::size_t point = std::min(text.find('.'), text.size());
    const auto option = [](std::string key, auto set) {
      return number_option(std::move(key), 0, kMostDevices - 1, set);
    };
    std::string takes = option("DEVICE", [&](u64 n) { index = static_cast<u32>(n); }).read(text.substr(0, point));
    if (takes.empty() && point != text.size())
      takes = option("TILE", [&](u64 n) { tile = static_cast<u32>(n); }).read(text.substr(point + 1));
    return takes;
  }
};

}  // namespace

std::unique_ptr<device::Driver> open(std::string_view device, std::string& refusal, device::TransformChoice& choice) {
  DeviceNumber number;
  const std::array<Option, 3> known{
      Option{"DEVICE.TILE", [&](std::string_view text) { return number.read(text); }, true}, device::ntt_option(choice),
      device::times_option(choice)};
  refusal = read_options(device, known);
  if (!refusal.empty()) return nullptr;
  Library library;
  refusal = open_library(library);
  return refusal.empty() ? open(library, number.index, number.tile, refusal) : nullptr;
}

std::shared_ptr<Backend> make(std::string_view device, std::string& refusal) {
  device::TransformChoice choice;
  auto driver = open(device, refusal, choice);
  return driver == nullptr ? nullptr : device::make(std::move(driver), choice);
}

std::vector<std::string> names(std::string& refusal) {
  std::vector<std::string> found;
  Library library;
  refusal = open_library(library);
  if (!refusal.empty()) return found;
  const std::vector<Device> devices = find_devices(library, refusal);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const bool is_gpu = (number_of(library, devices[i], kDeviceType) & kGpu) != 0;
    if (is_gpu && number_of(library, devices[i], kDeviceVendor) != kVendorNvidia)
      found.push_back("opencl:" + std::to_string(i));
  }
  if (found.empty() && refusal.empty()) refusal = "OpenCL finds no GPU";
  return found;
}

}  // namespace ringfort::opencl
