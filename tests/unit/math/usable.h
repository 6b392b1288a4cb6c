// SPDX-License-Identifier: Apache-2.0
// Lists the instruction sets of this machine for which the streams and samplers have kernels.
#pragma once

#include <vector>

#include "base/cpu.h"

namespace ringfort::testing {

inline std::vector<Isa> usable() {
  std::vector<Isa> found;
  for (Isa isa : {Isa::generic, Isa::avx2, Isa::avx512, Isa::ifma}) {
    if (isa <= machine_isa()) found.push_back(isa);
  }
  return found;
}

}  // namespace ringfort::testing
