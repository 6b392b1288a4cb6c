// SPDX-License-Identifier: Apache-2.0
// Kernels that are chosen for a whole plan, and not for a single limb. These are base conversion of a range of
// coefficients of one polynomial, lifts (residues of integers) and automorphisms. verb::BaseConvert (backend/verbs.h)
// has the formula of base conversion, and the names of its terms. Like limb.h, this header has only plain data.
#pragma once

#include "backend/cpu/kernels/limb.h"

namespace ringfort::cpu {

inline constexpr u32 kMostSources = 128, kMostTargets = 128;

struct ConversionSource {
  u64 q = 0;
  u32 bits = 0;
  Factor<u64> inverse;  // (Q/q)^(-1) mod q, with the companion for B = 64
  u64 reciprocal = 0;   // floor(2^(63 + bits) / q)
};

struct ConversionTarget {
  u64 p = 0;
  u32 limb = 0;                  // index in the result
  const u64* weights = nullptr;  // Q/q_i mod p for each source i, then -Q mod p for k
};

template <class W>
struct ConversionWork {
  W* out = nullptr;  // limb l is at out + l stride
  const W* a = nullptr;
  std::size_t stride = 0, count = 0;  // in coefficients
  const ConversionSource* sources = nullptr;
  const ConversionTarget* targets = nullptr;
  u32 source_count = 0, target_count = 0;
  u32 most_bits = 0;      // bits of the largest prime of the plan
  bool corrected = true;  // if false, k = 0
  u64 rounding = 0;       // is added to F; then k = floor(F / 2^56)
};

// A table of the kernels.
template <class W>
struct PlanKernels {
  void (*convert)(const ConversionWork<W>&) = nullptr;
  // May be null. ratio: floor(2^64 / q).
  void (*lift)(W* out, const i64* integers, u64 q, u64 ratio, std::size_t n) = nullptr;
  // Requires q > 128.
  void (*lift_bytes)(W* out, const i8* integers, W q, std::size_t n) = nullptr;
  void (*automorphism)(W* out, const W* a, std::size_t n, u32 galois) = nullptr;  // in the evaluation domain
};

namespace generic {
extern const PlanKernels<u32> kPlanKernels32;
extern const PlanKernels<u64> kPlanKernels64;
extern const PlanKernels<u128> kPlanKernels128;  // has no `convert`: u128 words are never converted
}  // namespace generic
// The tables of vector kernels are for n >= 64.
namespace avx2 {
extern const PlanKernels<u32> kPlanKernels32;
extern const PlanKernels<u64> kPlanKernels64;
}  // namespace avx2
namespace fma {
extern const PlanKernels<u64> kPlanKernels64;  // needs n >= 64, and every q < 2^50
}  // namespace fma
namespace avx512 {
extern const PlanKernels<u32> kPlanKernels32;
extern const PlanKernels<u64> kPlanKernels64;
extern const PlanKernels<u64> kDoublePlanKernels64;  // every q < 2^50
}  // namespace avx512
namespace ifma {
extern const PlanKernels<u32> kPlanKernels32;
extern const PlanKernels<u64> kPlanKernels64;  // every q < 2^50
}  // namespace ifma

}  // namespace ringfort::cpu
