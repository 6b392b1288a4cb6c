// SPDX-License-Identifier: Apache-2.0
// The tables of kernels for AVX-512: one table for each class of moduli (backend/cpu/plan.h).
#include "backend/cpu/kernels/avx512/vector.h"
#include "backend/cpu/kernels/doubles_table.h"

namespace ringfort::cpu::avx512 {

struct Isa {};
using Lanes64 = kernels::Lanes64x8<Isa>;
using Doubles = kernels::Doubles8<Isa>;
using Lanes32 = kernels::Lanes32x16<Isa>;

constinit const Kernels<u32> kKernels32 = kernels::table32<Lanes32, Lanes64>();
constinit const Kernels<u32> kLazy32 = kernels::lazy_table32<Lanes32, Lanes64>();
constinit const Kernels<u32> kFermat32 = kernels::lazy_table32<Lanes32, Lanes64, kernels::Fermat>();
constinit const Kernels<u64> kKernels64 = kernels::table64<Lanes64>();
constinit const Kernels<u64> kNear64 = kernels::table64<Lanes64, kernels::Near>();
constinit const Kernels<u64> kWide64 = kernels::doubles_table<Lanes64, Doubles, false>();
constinit const Kernels<u64> kTight64 = kernels::doubles_table<Lanes64, Doubles, true>();

}  // namespace ringfort::cpu::avx512
