// SPDX-License-Identifier: Apache-2.0
// Base conversion and automorphisms with 256-bit vectors.
#include "backend/cpu/kernels/avx2/permutation.h"
#include "backend/cpu/kernels/avx2/vector.h"
#include "backend/cpu/kernels/convert64.h"
#include "backend/cpu/kernels/lift.h"
#include "backend/cpu/kernels/automorphism.h"

namespace ringfort::cpu::avx2 {
namespace {

struct Isa {};
using Lanes64 = kernels::Lanes64x4<Isa>;

template <class W>
constexpr PlanKernels<W> plan_kernels() {
  PlanKernels<W> k;
  k.convert = &kernels::BlockConversion<kernels::Halves<Lanes64>, W>::convert;
  if constexpr (sizeof(W) == 8) k.lift = &kernels::lift<Lanes64>;
  k.lift_bytes = &kernels::lift_bytes<Lanes64, W>;
  if constexpr (sizeof(W) == 8) k.automorphism = &kernels::automorphism_vectors<kernels::Permutation256x4<Isa>, u64>;
  else k.automorphism = &kernels::automorphism_vectors<kernels::Permutation256x8<Isa>, u32>;
  return k;
}

}  // namespace

constinit const PlanKernels<u32> kPlanKernels32 = plan_kernels<u32>();
constinit const PlanKernels<u64> kPlanKernels64 = plan_kernels<u64>();

}  // namespace ringfort::cpu::avx2
