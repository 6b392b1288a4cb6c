// SPDX-License-Identifier: Apache-2.0
// The DPU instructions of DpuUnary, for which RV32 has no instructions: counts of bits and comparisons of bytes.
// hw/pim/README.md explains the terms.
#include "rules.h"

#include "../sdk/dpu/dpu_isa.h"

namespace ringfort::pim::rule {

u32 unary(u32 a, u32 b, u32 which) {
  switch (which) {
    case kDpuCountOnes: return static_cast<u32>(std::popcount(a));
    case kDpuCountLeadingOnes: return static_cast<u32>(std::countl_one(a));
    case kDpuCountLeadingSigns: return static_cast<u32>(std::countl_zero(a ^ (0 - (a >> 31))));
    default: break;
  }
  u32 equal = 0;
  for (int shift = 0; shift < 32; shift += 8)
    equal |= static_cast<u32>((a >> shift & 255) == (b >> shift & 255)) << shift;
  return equal;
}

}  // namespace ringfort::pim::rule
