// SPDX-License-Identifier: Apache-2.0
// What the kernel of base_convert is given: a run of coefficients of one polynomial, its source limbs and those of the result
// (backend.h has the formula). Plain data, as in limb.h.
#pragma once

#include "backend/cpu/kernels/limb.h"

namespace ringfort::cpu {

inline constexpr u32 kMostSources = 128, kMostTargets = 128;

struct ConversionSource {
  u64 q = 0;
  u32 bits = 0;
  Factor<u64> inverse;                // (Q/q)^(-1) mod q, companion for B = 64
  u64 reciprocal = 0;                 // floor(2^(63 + bits) / q)
};

struct ConversionTarget {
  u64 p = 0;
  u64 minus_product = 0;              // -Q mod p
  u32 limb = 0;                       // of the result
  const u64* weights = nullptr;       // Q/q_i mod p, one for each source
};

template <class W>
struct ConversionWork {
  W* out = nullptr;                   // limb l at out + l stride
  const W* a = nullptr;
  std::size_t stride = 0, count = 0;  // coefficients
  const ConversionSource* sources = nullptr;
  const ConversionTarget* targets = nullptr;
  u32 source_count = 0, target_count = 0;
  bool corrected = true;              // k = 0 if not
  u64 rounding = 0;                   // what is added to F before k = floor(F / 2^56)
};

namespace generic {
void convert(const ConversionWork<u32>& work);
void convert(const ConversionWork<u64>& work);
}  // namespace generic

}  // namespace ringfort::cpu
