// SPDX-License-Identifier: Apache-2.0
// Base conversion in doubles, with 256-bit vectors.
#include "backend/cpu/kernels/avx2/permutation.h"
#include "backend/cpu/kernels/convert_doubles.h"
#include "backend/cpu/kernels/fma/vector.h"
#include "backend/cpu/kernels/lift.h"
#include "backend/cpu/kernels/automorphism.h"

namespace ringfort::cpu::fma {
namespace {

struct Isa {};
using Lanes64 = kernels::Lanes64x4<Isa>;

constexpr PlanKernels<u64> plan_kernels() {
  PlanKernels<u64> k;
  k.convert = &kernels::InDefaultMode<&kernels::convert_in_doubles<kernels::Doubles4<Isa>>>::call;
  k.lift = &kernels::lift<Lanes64>;
  k.lift_bytes = &kernels::lift_bytes<Lanes64, u64>;
  k.automorphism = &kernels::automorphism_vectors<kernels::Permutation256x4<Isa>, u64>;
  return k;
}

}  // namespace

constinit const PlanKernels<u64> kPlanKernels64 = plan_kernels();

}  // namespace ringfort::cpu::fma
