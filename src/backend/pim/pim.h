// SPDX-License-Identifier: Apache-2.0
// Makes the device `pim`, which computes on DPUs (processors in memory banks), and gives its traffic.
#pragma once

#include <memory>
#include <string>

#include "backend/backend.h"
#include "backend/pim/system.h"

namespace ringfort::pim_host {

// Makes the device. On failure, returns nullptr and sets `refusal` to the reason. Throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<Backend> make(std::string_view device, std::string& refusal);

// Returns the traffic between the host and the DPUs. `backend` must come from make().
[[nodiscard]] Traffic traffic_of(Backend& backend) noexcept;

}  // namespace ringfort::pim_host
