// SPDX-License-Identifier: Apache-2.0
// Base conversion, portable: the digits v_i of a block of coefficients and their k stay in the first-level cache while every
// target sums its products in a double word, reduced once for as many terms as fit it.
#include "backend/cpu/kernels/convert.h"

#include "math/modulus.h"

namespace ringfort::cpu::generic {
namespace {

inline constexpr std::size_t kDigits = 2048, kMostCoefficients = 256;

template <class W>
struct Block {
  W digits[kDigits];                  // of source i at digits + i count
  u64 multiples[kMostCoefficients];   // F, then k
  std::size_t first = 0, count = 0;
};

template <class W>
void take_digits(const ConversionWork<W>& work, Block<W>& block) {
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
void put_residues(const ConversionWork<W>& work, const Block<W>& block, const ConversionTarget& target) {
  constexpr u32 kTerms = sizeof(W) == 4 ? 3 : 15;        // (2^31)^2 3 + 2^31 < 2^64, (2^62)^2 15 + 2^62 < 2^128
  const Modulus<W> p(static_cast<W>(target.p));
  W* const out = work.out + target.limb * work.stride + block.first;
  for (std::size_t c = 0; c < block.count; ++c) {
    Wide<W> sum = static_cast<Wide<W>>(block.multiples[c]) * target.minus_product;
    for (u32 i = 0; i < work.source_count; ++i) {
      if (i % kTerms == kTerms - 1) sum = p.reduce(sum);
      sum += static_cast<Wide<W>>(block.digits[i * block.count + c]) * target.weights[i];
    }
    out[c] = p.reduce(sum);
  }
}

template <class W>
void convert_blocks(const ConversionWork<W>& work) {
  Block<W> block;
  const std::size_t step = kDigits / work.source_count < kMostCoefficients ? kDigits / work.source_count : kMostCoefficients;
  for (block.first = 0; block.first < work.count; block.first += step) {
    block.count = work.count - block.first < step ? work.count - block.first : step;
    take_digits(work, block);
    for (u32 j = 0; j < work.target_count; ++j) put_residues(work, block, work.targets[j]);
  }
}

}  // namespace

void convert(const ConversionWork<u32>& work) { convert_blocks(work); }
void convert(const ConversionWork<u64>& work) { convert_blocks(work); }

}  // namespace ringfort::cpu::generic
