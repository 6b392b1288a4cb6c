// SPDX-License-Identifier: Apache-2.0
// Opens the devices `cuda:N` by name, and lists them (device.h).
#include "backend/cuda/device.h"

#include <array>

#include "backend/cuda/driver.h"
#include "backend/cuda/library.h"
#include "backend/device/backend.h"
#include "backend/options/options.h"

namespace ringfort::cuda {

std::unique_ptr<device::Driver> open(std::string_view device, std::string& refusal, device::TransformChoice& choice) {
  constexpr u64 kMostDevices = 1024;
  u32 index = 0;
  Option number = number_option("DEVICE", 0, kMostDevices - 1, [&](u64 value) { index = static_cast<u32>(value); });
  number.is_bare = true;
  const std::array<Option, 3> known{std::move(number), device::ntt_option(choice), device::times_option(choice)};
  refusal = read_options(device, known);
  if (!refusal.empty()) return nullptr;
  return open(index, refusal);
}

std::shared_ptr<Backend> make(std::string_view device, std::string& refusal) {
  device::TransformChoice choice;
  auto driver = open(device, refusal, choice);
  return driver == nullptr ? nullptr : device::make(std::move(driver), choice);
}

std::vector<std::string> names(std::string& refusal) {
  std::vector<std::string> found;
  Library library;
  int count = 0;
  refusal = open_library(library, count);
  for (int i = 0; i < count; ++i) found.push_back("cuda:" + std::to_string(i));
  return found;
}

}  // namespace ringfort::cuda
