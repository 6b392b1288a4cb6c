// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "backend/backend.h"
#include "backend/pim/system.h"

namespace ringfort::pim_host {

// nullptr: `refusal` says which option is not understood. Throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<Backend> make(std::string_view device, std::string& refusal);

// What has passed between host and DPUs; of a backend that make() made.
[[nodiscard]] Traffic traffic_of(Backend& backend) noexcept;

}  // namespace ringfort::pim_host
