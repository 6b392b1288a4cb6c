// SPDX-License-Identifier: Apache-2.0
// Opens the devices `emu:N` by name (device.h). It reads their options.
#include "backend/device/emu/device.h"

#include <array>

#include "backend/device/backend.h"
#include "backend/device/emu/catalog.h"
#include "backend/device/emu/driver.h"
#include "backend/options/options.h"

namespace ringfort::emu {

std::unique_ptr<device::Driver> open(std::string_view device, std::string& refusal, device::TransformChoice& choice,
                                     std::map<std::string_view, Counters>* counters) {
  static constexpr std::array<std::string_view, 2> kChecks = {"on", "off"};
  u32 index = 0;
  Options options{.checked = true, .counters = counters};
  Option number = number_option("DEVICE", 0, kDevices - 1, [&](u64 value) { index = static_cast<u32>(value); });
  number.is_bare = true;
  const std::array<Option, 5> known = {
      std::move(number), number_option("seed", 0, ~u64{0}, [&](u64 value) { options.seed = value; }),
      choice_option("checks", kChecks, [&](std::size_t i) { options.checked = i == 0; }), device::ntt_option(choice),
      device::times_option(choice)};
  refusal = read_options(device, known);
  if (!refusal.empty()) return nullptr;
  if (device != "emu") options.name = device;
  return open(index, find_kernel, options);
}

std::shared_ptr<Backend> make(std::string_view device, std::string& refusal) {
  device::TransformChoice choice;
  auto driver = open(device, refusal, choice);
  return driver == nullptr ? nullptr : device::make(std::move(driver), choice);
}

}  // namespace ringfort::emu
