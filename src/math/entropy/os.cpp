// SPDX-License-Identifier: Apache-2.0
// Entropy from the operating system. Each request is one call of getrandom(), which gives the full length or fails.
#include <sys/random.h>

#include "base/fault.h"
#include "math/random.h"

namespace ringfort {

bool fill_entropy(std::span<u8> out) noexcept {
  if (fault::strikes(fault::Point::rng)) return false;
  return getrandom(out.data(), out.size(), 0) == static_cast<ssize_t>(out.size());
}

}  // namespace ringfort
