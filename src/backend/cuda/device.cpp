// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/device.h"

#include "backend/cuda/driver.h"
#include "backend/cuda/library.h"
#include "backend/device/backend.h"
#include "backend/options/options.h"

namespace ringfort::cuda {

std::unique_ptr<device::Driver> open(std::string_view device, std::string& refusal) {
  constexpr u64 kMostDevices = 1024;
  u32 index = 0;
  Option number = number_option("DEVICE", 0, kMostDevices - 1, [&](u64 value) { index = static_cast<u32>(value); });
  number.is_bare = true;
  refusal = read_options(device, {&number, 1});
  if (!refusal.empty()) return nullptr;
  return open(index, refusal);
}

std::shared_ptr<Backend> make(std::string_view device, std::string& refusal) {
  auto driver = open(device, refusal);
  return driver == nullptr ? nullptr : device::make(std::move(driver));
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
