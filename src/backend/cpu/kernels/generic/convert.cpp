// SPDX-License-Identifier: Apache-2.0
// Portable base conversion. verb::BaseConvert (backend/verbs.h) has the formula and the names v_i, k and F. The digits
// v_i and k of a block of coefficients stay in L1. For every target, the kernel adds products in a double word. It adds
// as many terms as fit before it reduces the sum.
#include "backend/cpu/kernels/lift.h"
#include "backend/cpu/kernels/automorphism.h"
#include "math/modulus.h"

namespace ringfort::cpu::generic {
namespace {

inline constexpr std::size_t kDigits = 2048, kMostCoefficients = 256;

template <class W>
struct CoefficientBlock {
  W digits[kDigits];                 // the digits of source i are at digits + i count
  u64 multiples[kMostCoefficients];  // first F, later k
  std::size_t first = 0, count = 0;
};

template <class W>
void take_digits(const ConversionWork<W>& work, CoefficientBlock<W>& block) {
  for (std::size_t c = 0; c < block.count; ++c) block.multiples[c] = work.rounding;
  for (u32 i = 0; i < work.source_count; ++i) {
    const ConversionSource& source = work.sources[i];
    const W* const a = work.a + i * work.stride + block.first;
    for (std::size_t c = 0; c < block.count; ++c) {
      const u64 product = a[c] * source.inverse.value - mulhi<u64>(a[c], source.inverse.companion) * source.q;
      const u64 v = subtract_if_not_below<u64>(product, source.q);
      block.digits[i * block.count + c] = static_cast<W>(v);
      block.multiples[c] += mulhi<u64>(v << (64 - source.bits), source.reciprocal) >> 7;
    }
  }
  for (std::size_t c = 0; c < block.count; ++c) block.multiples[c] = work.corrected ? block.multiples[c] >> 56 : 0;
}

template <class W>
void put_residues(const ConversionWork<W>& work, const CoefficientBlock<W>& block, const ConversionTarget& target) {
  constexpr u32 kTerms = sizeof(W) == 4 ? 3 : 15;  // (2^31)^2 3 + 2^31 < 2^64, (2^62)^2 15 + 2^62 < 2^128
  const Modulus<W> p(static_cast<W>(target.p));
  W* const out = work.out + target.limb * work.stride + block.first;
  for (std::size_t c = 0; c < block.count; ++c) {
    Wide<W> sum = static_cast<Wide<W>>(block.multiples[c]) * target.weights[work.source_count];
    for (u32 i = 0; i < work.source_count; ++i) {
      if (i % kTerms == kTerms - 1) sum = p.reduce(sum);
      sum += static_cast<Wide<W>>(block.digits[i * block.count + c]) * target.weights[i];
    }
    out[c] = p.reduce(sum);
  }
}

// Permutes eight words at a time, by a table of patterns.
template <class W>
void automorphism(W* out, const W* a, std::size_t n, u32 galois) {
  if (n < 8) return kernels::automorphism_singly(out, a, n, galois);
  kernels::SourceBlocks<3> sources(n, galois);
  u8 patterns[8][8];
  for (u32 start = 0; start < 8; ++start) {
    for (u32 inner = 0; inner < 8; ++inner) patterns[start][inner] = static_cast<u8>(sources.inner(start, inner));
  }
  for (std::size_t block = 0; block < n / 8; ++block, sources.next()) {
    const W* const from = a + 8 * sources.block();
    const u8* const pattern = patterns[sources.start()];
    for (u32 inner = 0; inner < 8; ++inner) out[8 * block + inner] = from[pattern[inner]];
  }
}

template <class W>
void convert_blocks(const ConversionWork<W>& work) {
  CoefficientBlock<W> block;
  const std::size_t step =
      kDigits / work.source_count < kMostCoefficients ? kDigits / work.source_count : kMostCoefficients;
  for (block.first = 0; block.first < work.count; block.first += step) {
    block.count = work.count - block.first < step ? work.count - block.first : step;
    take_digits(work, block);
    for (u32 j = 0; j < work.target_count; ++j) put_residues(work, block, work.targets[j]);
  }
}

template <class W>
constexpr PlanKernels<W> plan_kernels() {
  PlanKernels<W> k;
  if constexpr (sizeof(W) <= 8) {
    k.convert = &convert_blocks<W>;
    k.lift_bytes = &kernels::lift_bytes<CoefficientBlock<W>, W>;
  }
  k.automorphism = &automorphism<W>;
  return k;
}

}  // namespace

constinit const PlanKernels<u32> kPlanKernels32 = plan_kernels<u32>();
constinit const PlanKernels<u64> kPlanKernels64 = plan_kernels<u64>();
constinit const PlanKernels<u128> kPlanKernels128 = plan_kernels<u128>();

}  // namespace ringfort::cpu::generic
