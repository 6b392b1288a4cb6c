// SPDX-License-Identifier: Apache-2.0
// One limb of a key switch's inner product: out[c] (+)= sum_k d_k b[k][c], where d_k is a digit in this limb. The first
// stages of the transforms convert the digits. The last stages of all digits run a few blocks at a time, so that the
// inner product reads them from L1. Blocks that are too large for L1 are split depth first, all digits together. E is
// an engine. Sums takes the unreduced outputs of E's last stage as left factors. with_source() in E's namespace makes a
// digit the input of a first pass.
#pragma once

#include <type_traits>

#include "backend/cpu/kernels/transform.h"

namespace ringfort::cpu::kernels {

inline constexpr std::size_t kWordsAtOnce = 256;  // 2 KiB of each polynomial

template <class E, class Sums>
class KeySwitchProduct {
 public:
  using Cell = typename E::Cell;
  static constexpr bool kCellsAreWords = std::is_same_v<Cell, u64>;

  // An entry of a table of kernels.
  static void compute(const Limb<u64>& limb, const Products<u64>& p, const KeySwitchDigit* digits, u64* scratch) {
    KeySwitchProduct(limb, p, digits, scratch).accumulate_digits();
  }

 private:
  KeySwitchProduct(const Limb<u64>& limb, const Products<u64>& p, const KeySwitchDigit* digits, u64* scratch)
      : e_(engine(limb, p, digits)),
        constants_(limb),
        p_(p),
        digits_(digits),
        scratch_(reinterpret_cast<Cell*>(scratch)) {}

  void accumulate_digits() {
    const unsigned vertical = e_.tables.log_n - E::kLogLanes - kBlockStages, r = stages_of_pass(vertical);
    constexpr Blocks whole = {1, 0, 1};
    each([&](u32 k, Cell* cells) {
      const u64* const words = reinterpret_cast<const u64*>(cells);
      if (digits_[k].from.words == nullptr) first_pass(r, words, cells);
      else with_source(e_, digits_[k].from, [&](const auto& in) { first_pass(r, in, cells); });
    });
    below(split(whole, r), vertical - r);
  }

  static E engine(const Limb<u64>& limb, const Products<u64>& p, const KeySwitchDigit* digits) {
    if constexpr (std::is_constructible_v<E, const Limb<u64>&, const Prefetch&>)
      return E(limb, prefetch(limb, p, digits));
    else return E(limb);
  }
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
  // Calls f(k, cells) for every digit that needs a transform.
  template <class F>
  [[gnu::always_inline]] void each(F f) const {
    for (u32 k = 0; k < p_.inner; ++k) {
      if (digits_[k].residues == nullptr) f(k, scratch_ + k * p_.a_inner);
    }
  }
  template <class In>
  void first_pass(unsigned r, const In& in, Cell* cells) const {
    constexpr Blocks whole = {1, 0, 1};
    if (r == 3) forward_pass<3, true>(e_, in, cells, whole);
    else if (r == 2) forward_pass<2, true>(e_, in, cells, whole);
    else forward_pass<1, true>(e_, in, cells, whole);
  }
  void pass(unsigned r, Cell* cells, Blocks blocks) const {
    if (r == 3) forward_pass<3, false>(e_, cells, cells, blocks);
    else if (r == 2) forward_pass<2, false>(e_, cells, cells, blocks);
    else forward_pass<1, false>(e_, cells, cells, blocks);
  }
  void below(Blocks blocks, unsigned remaining) const {
    if (one_by_one(e_, blocks)) {
      for (std::size_t c = 0; c < blocks.count; ++c) below(one_of(blocks, c), remaining);
      return;
    }
    if (remaining == 0) return sum(smallest(e_, blocks));
    const unsigned r = stages_of_pass(remaining);
    each([&](u32, Cell* cells) { pass(r, cells, blocks); });
    below(split(blocks, r), remaining - r);
  }
  void sum(Blocks blocks) const {
    constexpr std::size_t kBlock = E::kLanes << kBlockStages, kBlocksAtOnce = kWordsAtOnce / kBlock;
    for (std::size_t at = 0; at < blocks.count; at += kBlocksAtOnce) {
      const std::size_t count = blocks.count - at < kBlocksAtOnce ? blocks.count - at : kBlocksAtOnce;
      const Blocks some = {blocks.m, blocks.first + at, count};
      const std::size_t from = some.first * kBlock, to = from + count * kBlock;
      each([&](u32, Cell* digit) { forward_blocks<E::kLogLanes, false>(e_, digit, digit, some); });
      if constexpr (!kCellsAreWords) convert_residues(from, to);
      const auto factor = [&](u32, u32 k) __attribute__((always_inline)) { return left(k); };
      Sums::accumulate(constants_, p_, factor, {from, to});
    }
  }
  void convert_residues(std::size_t from, std::size_t to) const {
    for (u32 k = 0; k < p_.inner; ++k) {
      const u64* const residues = digits_[k].residues;
      if (residues == nullptr) continue;
      for (std::size_t j = from; j < to; j += E::kLanes) e_.store(scratch_ + k * p_.a_inner + j, e_.load(residues + j));
    }
  }
  [[gnu::always_inline]] const Cell* left(u32 k) const {
    if constexpr (kCellsAreWords) {
      if (digits_[k].residues != nullptr) return digits_[k].residues;
    }
    return scratch_ + k * p_.a_inner;
  }

  const E e_;
  const typename Sums::Constants constants_;
  const Products<u64>& p_;
  const KeySwitchDigit* digits_;
  Cell* scratch_;
};

}  // namespace ringfort::cpu::kernels
