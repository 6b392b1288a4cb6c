// SPDX-License-Identifier: Apache-2.0
// A plan that device `cpu` has prepared. For every modulus it has constants, tables of twiddles (the powers of a root
// of unity that a transform multiplies by), and a table of kernels. The class of the modulus (the row) and the
// instruction set (the column) select the kernels. An instruction set without an entry of its own uses the next entry
// to its right. kernels/engines.h, kernels/fermat.h, kernels/doubles.h and kernels/ifma/engine.h explain the names:
//   word  class         ifma                      avx512, avx2-fma    avx512, avx2     generic
//   u32   q = 65537                                                   Fermat           otherwise
//   u32   q < 2^30      Lazy (n >= 256), Wide                         Lazy             otherwise
//   u32   q < 2^31      Wide (n <= 8192)                              Strict32         otherwise
//   u64   q < 2^50      Wide (forward), Tight     doubles             Near             otherwise
//   u64   q < 2^61                                                    Near             otherwise
//   u64   q < 2^62                                                    Lazy             otherwise
//   u128  q < 2^126                                                                    Lazy
//   u128  q < 2^127                                                                    otherwise
// "otherwise" is for all degrees and instruction sets for which the row has no other entry. Conversions combine several
// limbs of a plan. If all moduli of the plan are below 2^50, a conversion uses the 52-bit kernels (ifma) or, for 64-bit
// words, doubles (avx512, avx2-fma). Otherwise it uses integers. Short polynomials use the portable code; the limit is
// 64, 128 or 256 coefficients.
#pragma once

#include <memory>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/kernels/convert.h"
#include "backend/cpu/kernels/limb.h"
#include "base/buffer.h"
#include "base/cpu.h"

namespace ringfort::cpu {

template <class W>
struct PreparedLimb {
  Limb<W> constants;
  const Kernels<W>* kernels = nullptr;
  AlignedBuffer<u8> tables;
};

struct CpuPlan : PreparedPlan {
  using PreparedPlan::PreparedPlan;
  std::vector<PreparedLimb<u32>> limbs32;
  std::vector<PreparedLimb<u64>> limbs64;
  std::vector<PreparedLimb<u128>> limbs128;
  u32 most_bits = 0;  // length of the largest modulus in bits
  PlanKernels<u32> kernels32;
  PlanKernels<u64> kernels64;
  PlanKernels<u128> kernels128;

  template <class W>
  auto& limbs() {
    if constexpr (sizeof(W) == 4) return limbs32;
    else if constexpr (sizeof(W) == 8) return limbs64;
    else return limbs128;
  }
  template <class W>
  const auto& limbs() const {
    return const_cast<CpuPlan*>(this)->limbs<W>();
  }
  template <class W>
  const PlanKernels<W>& kernels() const {
    if constexpr (sizeof(W) == 4) return kernels32;
    else if constexpr (sizeof(W) == 8) return kernels64;
    else return kernels128;
  }
};

// Prepares a plan. Returns Status::unsupported if a degree or modulus is outside the ranges in backend/plan.h. Throws
// std::bad_alloc.
Status prepare(const Plan& plan, Isa isa, std::shared_ptr<const CpuPlan>& out);

// Returns the constant `value` and its companion, a rounded quotient that replaces a division (kernels/limb.h), in the
// form that the kernels of this limb use.
template <class W>
[[nodiscard]] Factor<typename Limb<W>::C> make_factor(const Limb<W>& limb, typename Limb<W>::C value) noexcept;

}  // namespace ringfort::cpu
