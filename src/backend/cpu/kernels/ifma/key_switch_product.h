// SPDX-License-Identifier: Apache-2.0
// One limb of a key switch's inner product: out[c] (+)= sum_k d_k b[k][c], where d_k is a digit in this limb. The first
// stages of the transforms convert the digits. The last stages of all digits run a few blocks at a time, so that the
// inner product reads them from L1. Blocks that are too large for L1 are split depth first, all digits together.
// Ranges: gadget_product.h.
#pragma once

#include "backend/cpu/kernels/ifma/conversion.h"
#include "backend/cpu/kernels/ifma/gadget_product.h"

namespace ringfort::cpu::ifma {

template <bool kWide, u32 kTerms>
class KeySwitchProduct {
 public:
  using E = Engine<u64, kWide>;
  using Sums = InnerProducts<u64, kTerms>;
  KeySwitchProduct(const Limb<u64>& limb, const Products<u64>& p, const KeySwitchDigit* digits, u64* scratch)
      : e_(limb, prefetch(limb, p, digits)),
        constants_(limb),
        p_(p),
        digits_(digits),
        scratch_(scratch) {}

  void accumulate_digits() {
    const unsigned vertical = e_.tables.log_n - E::kLogLanes - kernels::kBlockStages,
                   r = kernels::stages_of_pass(vertical);
    constexpr kernels::Blocks whole = {1, 0, 1};
    each([&](u32 k, u64* words) {
      if (digits_[k].from.words == nullptr) first_pass(r, words, words);
      else with_source<E>(digits_[k].from, [&](const auto& in) { first_pass(r, in, words); });
    });
    below(kernels::split(whole, r), vertical - r);
  }

 private:
  static Prefetch prefetch(const Limb<u64>& limb, const Products<u64>& p, const KeySwitchDigit* digits) {
    const std::size_t factors = std::size_t{p.inner} * p.columns, bytes = limb.n * sizeof(u64);
    u32 transforms = 0;
    for (u32 k = 0; k < p.inner; ++k) transforms += digits[k].residues == nullptr ? 1 : 0;
    if (transforms == 0) return {};
    return {.data = reinterpret_cast<const char*>(p.b),
            .pieces = factors * bytes / Prefetch::kPiece,
            .rows = factors,
            .stride = p.b_column * sizeof(u64),
            .transforms = transforms};
  }
  // Calls f(k, words) for every digit that needs a transform.
  template <class F>
  [[gnu::always_inline]] void each(F f) const {
    for (u32 k = 0; k < p_.inner; ++k) {
      if (digits_[k].residues == nullptr) f(k, scratch_ + k * p_.a_inner);
    }
  }
  template <class In>
  void first_pass(unsigned r, const In& in, u64* words) const {
    constexpr kernels::Blocks whole = {1, 0, 1};
    if (r == 3) kernels::forward_pass<3, true>(e_, in, words, whole);
    else if (r == 2) kernels::forward_pass<2, true>(e_, in, words, whole);
    else kernels::forward_pass<1, true>(e_, in, words, whole);
  }
  void pass(unsigned r, u64* words, kernels::Blocks blocks) const {
    if (r == 3) kernels::forward_pass<3, false>(e_, words, words, blocks);
    else if (r == 2) kernels::forward_pass<2, false>(e_, words, words, blocks);
    else kernels::forward_pass<1, false>(e_, words, words, blocks);
  }
  void below(kernels::Blocks blocks, unsigned remaining) const {
    if (kernels::one_by_one(e_, blocks)) {
      for (std::size_t c = 0; c < blocks.count; ++c) below(kernels::one_of(blocks, c), remaining);
      return;
    }
    if (remaining == 0) return sum(kernels::smallest(e_, blocks));
    const unsigned r = kernels::stages_of_pass(remaining);
    each([&](u32, u64* words) { pass(r, words, blocks); });
    below(kernels::split(blocks, r), remaining - r);
  }
  void sum(kernels::Blocks blocks) const {
    constexpr std::size_t kBlock = E::kLanes << kernels::kBlockStages;
    for (std::size_t at = 0; at < blocks.count; at += kBlocksAtOnce) {
      const std::size_t count = blocks.count - at < kBlocksAtOnce ? blocks.count - at : kBlocksAtOnce;
      const kernels::Blocks some = {blocks.m, blocks.first + at, count};
      const std::size_t from = some.first * kBlock, words = count * kBlock;
      each([&](u32, u64* digit) { kernels::forward_blocks<E::kLogLanes, false>(e_, digit, digit, some); });
      const auto factor = [&](u32, u32 k) __attribute__((always_inline)) {
        return digits_[k].residues != nullptr ? digits_[k].residues : scratch_ + k * p_.a_inner;
      };
      Sums::accumulate(constants_, p_, factor, {from, from + words});
    }
  }

  const E e_;
  const typename Sums::Constants constants_;
  const Products<u64>& p_;
  const KeySwitchDigit* digits_;
  u64* scratch_;
};

template <bool kWide>
void key_switch_product(const Limb<u64>& limb, const Products<u64>& p, const KeySwitchDigit* digits, u64* scratch) {
  if constexpr (kWide) KeySwitchProduct<true, 32>(limb, p, digits, scratch).accumulate_digits();
  else if (limb.bits <= 47) KeySwitchProduct<false, 16>(limb, p, digits, scratch).accumulate_digits();
  else KeySwitchProduct<false, 4>(limb, p, digits, scratch).accumulate_digits();
}

}  // namespace ringfort::cpu::ifma
