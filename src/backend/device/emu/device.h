// SPDX-License-Identifier: Apache-2.0
// The devices `emu:0` .. `emu:3`. They are the backend of GPUs (device/backend.h) over the emulated driver.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "backend/device/emu/driver.h"
#include "backend/device/transform_options.h"

namespace ringfort::emu {

// Opens "emu" (emu:0) or "emu:DEVICE". The option "seed=N" chooses the order of streams, blocks and lanes. The option
// "checks=off" omits the checks inside kernels and copies; then whole programs run about four times as fast as with
// checks. The other options choose the transforms (device/transform_options.h). If an option is invalid, returns
// nullptr and sets `refusal`. Throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<Backend> make(std::string_view device, std::string& refusal);
// Opens the driver without a backend. Sets `choice` to the transforms that the options choose. emu/driver.h explains
// `counters` (Options).
[[nodiscard]] std::unique_ptr<device::Driver> open(std::string_view device, std::string& refusal,
                                                   device::TransformChoice& choice,
                                                   std::map<std::string_view, Counters>* counters = nullptr);

}  // namespace ringfort::emu
