// SPDX-License-Identifier: Apache-2.0
// The inner product of a key switch, for one limb: out[c] (+)= sum_k d_k b[k][c]. d_k is digit k in this limb, and b is
// the key.
//
// The first pass of the transforms converts the digits, one digit after another. Then the blocks of the polynomial are
// completed: together if the polynomial fits half of L1, one by one if not. On a block, the kernel runs the last stages
// of kDigitsAtOnce digits, multiplies these digits by the key, and proceeds to the next digits. The sums and twiddles
// of a block stay in L2 for all digits. The inner product reads the digits from L1.
//
// E is an engine. Sums computes the inner product. Its left factors are unreduced outputs of E's last stage.
// with_source() in the namespace of E makes a digit the input of a first pass.
#pragma once

#include <type_traits>

#include "backend/cpu/kernels/transform.h"

namespace ringfort::cpu::kernels {

inline constexpr std::size_t kWordsAtOnce = 256;  // a *run* of words: 2 KiB of each polynomial
// The distances between the runs of digits, key and sums are multiples of 4 KiB. Therefore more digits at a time would
// compete for the same sets of L1.
inline constexpr u32 kDigitsAtOnce = 2;
// A *group* is kDigitsAtOnce digits, and a *unit* is the blocks that are completed together. If a unit has at most
// kMostKept coefficients, its sums are not reduced after each group (PartialSum). The upper parts of the sums overwrite
// the first digits, which the first group has already read. If a unit is longer, L2 does not hold both parts of its
// sums.
inline constexpr std::size_t kMostKept = 4096;

// During the transforms of a run, prefetches the next run of the key's rows into L1. Requests a few lines at a time.
// Many requests at once would occupy all miss buffers, and the core drops requests beyond these.
template <class E>
class KeyPrefetch {
 public:
  // `b`: the beginning of the key's rows. `inner`: the number of digits; each has two columns. `transforms`: the number
  // of these digits that need a transform.
  KeyPrefetch(const Products<u64>& p, const u64* b, u32 inner, u32 transforms)
      : b_(b),
        inner_(inner),
        steps_(transforms * kSteps),
        row_stride_(p.b_inner),
        column_stride_(p.b_column) {
    begin_step();
  }
  [[gnu::always_inline]] void request(unsigned line) const {
    if (line >= kLines) return;
    __builtin_prefetch(lines_ + line * kLine);
    if (more_ != nullptr) __builtin_prefetch(more_ + line * kLine);
  }
  [[gnu::always_inline]] void end_step() const {
    ++step_;
    begin_step();
  }

 private:
  static constexpr std::size_t kLine = 8;  // words of a cache line
  static constexpr unsigned kSteps =
      kWordsAtOnce / ((E::kLanes << kBlockStages) * kBlocksSideBySide<E>);  // steps of a digit
  static constexpr unsigned kLines = 2 * kWordsAtOnce / kLine / kSteps;  // lines of a step; a digit requests two rows
  static_assert(kLines <= kRequests<E>);

  // Returns the lines of a step. They belong to digit step / kSteps.
  [[nodiscard]] const u64* lines_of(unsigned step) const {
    const unsigned line = step % kSteps * kLines, column = line / (kWordsAtOnce / kLine);
    return b_ + step / kSteps * row_stride_ + column * column_stride_ + line % (kWordsAtOnce / kLine) * kLine;
  }
  void begin_step() const {  // steps also request the rows of digits without a transform
    lines_ = lines_of(step_);
    more_ = steps_ < inner_ * kSteps ? lines_of(step_ + steps_) : nullptr;
  }

  const u64* b_;
  u32 inner_;
  unsigned steps_;
  std::size_t row_stride_, column_stride_;
  mutable unsigned step_ = 0;
  mutable const u64 *lines_ = nullptr, *more_ = nullptr;
};

template <class E, class Sums>
class KeySwitchProduct {
 public:
  using Cell = typename E::Cell;
  static constexpr bool kCellsAreWords = std::is_same_v<Cell, u64>;

  // The function in a table of kernels.
  static void compute(const Limb<u64>& limb, const Products<u64>& p, const KeySwitchDigit* digits, u64* scratch) {
    KeySwitchProduct(limb, p, digits, scratch).accumulate_digits();
  }

 private:
  // Digits [first, end), and their part of the inner product.
  struct Group {
    u32 first, end;
    Products<u64> products;
    PartialSum<Cell> partial;
  };
  // The blocks that a group completes before the next group begins. Their coefficients are [from, to).
  struct Unit {
    const Group& group;
    std::size_t from, to;
  };

  KeySwitchProduct(const Limb<u64>& limb, const Products<u64>& p, const KeySwitchDigit* digits, u64* scratch)
      : e_(limb),
        constants_(limb),
        p_(p),
        digits_(digits),
        scratch_(reinterpret_cast<Cell*>(scratch)) {}

  void accumulate_digits() const {
    const unsigned vertical = e_.tables.log_n - E::kLogLanes - kBlockStages, r = stages_of_pass(vertical);
    constexpr Blocks whole = {1, 0, 1};
    each(group_from(0, p_.inner), [&](u32 k, Cell* cells) {
      const u64* const words = reinterpret_cast<const u64*>(cells);
      if (digits_[k].from.words == nullptr) first_pass(e_, words, cells, r);
      else with_source(e_, digits_[k].from, [&](const auto& in) { first_pass(e_, in, cells, r); });
    });
    const Blocks blocks = split(whole, r);
    if (e_.tables.n * sizeof(Cell) * 2 <= kCacheBytes) return complete(blocks, vertical - r);
    for (std::size_t c = 0; c < blocks.count; ++c) complete(one_of(blocks, c), vertical - r);
  }

  // Runs the `remaining` vertical stages of `blocks`, and all stages below them. Adds the products of all digits.
  void complete(Blocks blocks, unsigned remaining) const {
    const std::size_t words = e_.tables.n / blocks.m, from = blocks.first * words, to = from + blocks.count * words;
    for (u32 k = 0; k < p_.inner; k += kDigitsAtOnce) {
      const Group group = group_from(k, kDigitsAtOnce);
      below({group, from, to}, blocks, remaining);
    }
  }
  [[nodiscard]] Group group_from(u32 first, u32 count) const {
    const u32 end = p_.inner - first < count ? p_.inner : first + count;
    Group group = {first, end, p_, {first, end == p_.inner, scratch_, p_.a_inner}};
    group.products.b += first * p_.b_inner;
    group.products.inner = end - first;
    return group;
  }
  // Calls f(k, cells) for every digit of the group that needs a transform.
  template <class F>
  [[gnu::always_inline]] void each(const Group& group, F f) const {
    for (u32 k = group.first; k < group.end; ++k) {
      if (digits_[k].residues == nullptr) f(k, scratch_ + k * p_.a_inner);
    }
  }
  [[gnu::noinline]] void below(const Unit& unit, Blocks blocks, unsigned remaining) const {
    if (one_by_one(e_, blocks)) {
      for (std::size_t c = 0; c < blocks.count; ++c) below(unit, one_of(blocks, c), remaining);
      return;
    }
    if (remaining == 0) return sum(unit, smallest(e_, blocks));
    const unsigned r = stages_of_pass(remaining);
    each(unit.group, [&](u32, Cell* cells) { next_pass(e_, cells, blocks, r); });
    below(unit, split(blocks, r), remaining - r);
  }
  void sum(const Unit& unit, Blocks blocks) const {
    constexpr std::size_t kBlock = E::kLanes << kBlockStages, kBlocksAtOnce = kWordsAtOnce / kBlock;
    const Group& group = unit.group;
    for (std::size_t at = 0; at < blocks.count; at += kBlocksAtOnce) {
      const std::size_t count = blocks.count - at < kBlocksAtOnce ? blocks.count - at : kBlocksAtOnce;
      const Blocks some = {blocks.m, blocks.first + at, count};
      const std::size_t from = some.first * kBlock, to = from + count * kBlock;
      const KeyPrefetch<E> ahead = prefetch_after(unit, to);
      each(group, [&](u32, Cell* digit) { forward_blocks<false>(e_, digit, digit, some, ahead); });
      if constexpr (!kCellsAreWords) convert_residues(group, from, to);
      const auto factor = [&](u32, u32 k) __attribute__((always_inline)) { return left(group.first + k); };
      if (unit.to - unit.from <= kMostKept) {
        Sums::accumulate(constants_, group.products, factor, {from, to}, group.partial);
      } else {
        Products<u64> products = group.products;
        products.accumulate |= group.first != 0;
        Sums::accumulate(constants_, products, factor, {from, to});
      }
    }
  }
  // Returns the prefetch of the run after coefficient `to`. It is the next run of the same digits. After the last run
  // of these digits, it is the first run of the next digits. After the last digits, it is the first run of the next
  // unit. The unit after the last unit of a limb is in the next limb of the key.
  [[nodiscard]] KeyPrefetch<E> prefetch_after(const Unit& unit, std::size_t to) const {
    const Group& group = unit.group;
    u32 transforms = 0;
    each(group, [&](u32, Cell*) { ++transforms; });
    const u64* b = group.products.b + to;
    if (to == unit.to) b = group.end < p_.inner ? p_.b + group.end * p_.b_inner + unit.from : p_.b + to;
    return KeyPrefetch<E>(p_, b, group.products.inner, transforms);
  }
  void convert_residues(const Group& group, std::size_t from, std::size_t to) const {
    for (u32 k = group.first; k < group.end; ++k) {
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
