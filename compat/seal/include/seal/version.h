// SPDX-License-Identifier: Apache-2.0
// The version that saved objects carry.
#pragma once

#include <cstdint>

#include "seal/util/defines.h"

namespace seal {

struct SEALVersion {
  std::uint8_t major = SEAL_VERSION_MAJOR;
  std::uint8_t minor = SEAL_VERSION_MINOR;
  std::uint8_t patch = SEAL_VERSION_PATCH;
  std::uint8_t tweak = 0;
};

}  // namespace seal
