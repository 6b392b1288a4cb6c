// SPDX-License-Identifier: Apache-2.0
// Makes the device `ref`, with which tests compare every other device.
#pragma once

#include <memory>

#include "backend/backend.h"

namespace ringfort::ref {

[[nodiscard]] std::shared_ptr<Backend> make();  // throws std::bad_alloc

}  // namespace ringfort::ref
