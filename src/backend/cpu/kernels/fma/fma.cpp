// SPDX-License-Identifier: Apache-2.0
// The tables of kernels for AVX2 with FMA, which compute in doubles (backend/cpu/kernels/doubles.h).
#include "backend/cpu/kernels/doubles_table.h"
#include "backend/cpu/kernels/fma/vector.h"

namespace ringfort::cpu::fma {

struct Isa {};
using Lanes64 = kernels::Lanes64x4<Isa>;
using Doubles = kernels::Doubles4<Isa>;

constinit const Kernels<u64> kTight64 = kernels::doubles_table<Lanes64, Doubles, true>();
constinit const Kernels<u64> kWide64 = kernels::doubles_table<Lanes64, Doubles, false>();

}  // namespace ringfort::cpu::fma
