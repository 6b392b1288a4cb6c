// SPDX-License-Identifier: Apache-2.0
// Base conversion and automorphisms with 512-bit vectors.
#include "backend/cpu/kernels/avx512/permutation.h"
#include "backend/cpu/kernels/avx512/vector.h"
#include "backend/cpu/kernels/convert64.h"
#include "backend/cpu/kernels/convert_doubles.h"
#include "backend/cpu/kernels/lift.h"
#include "backend/cpu/kernels/automorphism.h"

namespace ringfort::cpu::avx512 {
namespace {

struct Isa {};

template <class W>
constexpr PlanKernels<W> plan_kernels() {
  PlanKernels<W> k;
  k.convert = &kernels::BlockConversion<kernels::Halves<kernels::Lanes64x8<Isa>>, W>::convert;
  if constexpr (sizeof(W) == 8) k.lift = &kernels::lift<kernels::Lanes64x8<Isa>>;
  k.lift_bytes = &kernels::lift_bytes<Isa, W>;
  k.automorphism = &kernels::automorphism_vectors<kernels::Permutation512<Isa, W>, W>;
  return k;
}

constexpr PlanKernels<u64> double_plan_kernels() {
  PlanKernels<u64> k = plan_kernels<u64>();
  k.convert = &kernels::InDefaultMode<&kernels::convert_in_doubles<kernels::Doubles8<Isa>>>::call;
  return k;
}

}  // namespace

constinit const PlanKernels<u32> kPlanKernels32 = plan_kernels<u32>();
constinit const PlanKernels<u64> kPlanKernels64 = plan_kernels<u64>();
constinit const PlanKernels<u64> kDoublePlanKernels64 = double_plan_kernels();

}  // namespace ringfort::cpu::avx512
