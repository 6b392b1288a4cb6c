// SPDX-License-Identifier: Apache-2.0
// The kernel of verb::GadgetProduct: out[c] = (or +=) sum_k d_k b[k][c]. The d_k are the transformed digits of words.
// The first stages of the transforms also extract the digits. The last stages of all d_k process a few blocks at a
// time. Then the inner product reads these blocks from L1.
//
// Ranges: outputs of the last stage are not reduced. Without their dirty bits (engine.h), they are below a bound v <=
// 2^52: 4q (Tight), or (4 log2(n) + 2) q (Wide). The sum of the upper halves of `terms` products of such outputs with
// residues is below terms v q / 2^52 + terms + 1 < 2^52.
#pragma once

#include "backend/cpu/kernels/ifma/inner_product.h"

namespace ringfort::cpu::ifma {

inline constexpr std::size_t kBlocksAtOnce = 4;  // 256 coefficients are 2 KiB of each polynomial

// Returns a power of two: how many products are added before the sum is reduced. The left factors are unreduced outputs
// of transforms.
template <bool kWide>
constexpr u32 terms_of_outputs(u32 bits) {
  return kWide ? 32 : bits <= 47 ? 16 : 4;
}

template <bool kWide>
void gadget_product(const Limb<u64>& limb, const Products<u64>& p, const DigitRow<u64>& row) {
  using E = Engine<u64, kWide>;
  using Sums = InnerProducts<u64, terms_of_outputs<kWide>>;
  constexpr std::size_t kBlock = E::kLanes << kernels::kBlockStages;
  const std::size_t factors = std::size_t{p.inner} * p.columns, bytes = limb.n * sizeof(u64);
  const E e(limb, {reinterpret_cast<const char*>(p.b), factors * bytes / Prefetch::kChunkBytes, factors,
                   p.b_column * sizeof(u64), p.inner});
  for (u32 k = 0; k < p.inner; ++k) {
    kernels::with_digit(e, limb, row, k,
                        [&](const auto& in) { kernels::forward_upper(e, in, row.digits + k * p.a_inner); });
  }
  const typename Sums::Constants constants(limb);
  const std::size_t blocks = limb.n / kBlock;
  for (std::size_t block = 0; block < blocks; block += kBlocksAtOnce) {
    const kernels::Blocks some = {blocks, block, blocks < kBlocksAtOnce ? blocks : kBlocksAtOnce};
    for (u32 k = 0; k < p.inner; ++k) {
      u64* const digits = row.digits + k * p.a_inner;
      kernels::forward_blocks<false>(e, digits, digits, some);
    }
    Sums::accumulate(constants, p, some.first * kBlock, (some.first + some.count) * kBlock);
  }
}

}  // namespace ringfort::cpu::ifma
