// SPDX-License-Identifier: Apache-2.0
// The tables of kernels for AVX2: one table for each class of moduli (backend/cpu/plan.h).
#include "backend/cpu/kernels/avx2/vector.h"
#include "backend/cpu/kernels/table.h"

namespace ringfort::cpu::avx2 {

struct Isa {};
using Lanes64 = kernels::Lanes64x4<Isa>;
using Lanes32 = kernels::Lanes32x8<Isa>;

constinit const Kernels<u32> kKernels32 = kernels::table32<Lanes32, Lanes64>();
constinit const Kernels<u32> kLazy32 = kernels::lazy_table32<Lanes32, Lanes64>();
constinit const Kernels<u32> kFermat32 = kernels::lazy_table32<Lanes32, Lanes64, kernels::Fermat>();
constinit const Kernels<u64> kKernels64 = kernels::table64<Lanes64>();
constinit const Kernels<u64> kNear64 = kernels::table64<Lanes64, kernels::Near>();

}  // namespace ringfort::cpu::avx2
