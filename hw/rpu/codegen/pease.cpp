// SPDX-License-Identifier: Apache-2.0
#include "codegen/pease.h"

#include <algorithm>
#include <map>

namespace ringfort::rpu {
namespace {

constexpr u32 kLaneBits = 9;
constexpr u32 kResidentRoots =
    4;  // vectors of a stage; with the shorter stages of a pass 8, half of the constants' registers

class PeaseBuilder {
 public:
  explicit PeaseBuilder(u32 n)
      : stages_(static_cast<u32>(std::countr_zero(n))), vectors_(n / kVectorLength), roots_at_(2 * n) {}

  Dataflow build() {
    u32 from = 0, to = vectors_ * kVectorLength;
    for (u32 first = 0; first < stages_;) {
      const u32 depth = vectors_ <= (1U << kRectangleDepth) ? stages_ : std::min(kRectangleDepth, stages_ - first);
      build_pass(first, depth, from, to);
      std::swap(from, to);
      first += depth;
    }
    return std::move(flow_);
  }

 private:
  // Stages first .. first + depth - 1. A rectangle holds the vectors whose index has the same low bits.
  void build_pass(u32 first, u32 depth, u32 from, u32 to) {
    const u32 size = std::min(vectors_, 1U << depth), rectangles = vectors_ / size;
    flow_.begin_pass();
    const u32 together =
        std::max(1U, (1U << kRectangleDepth) / size);  // a block is 16 vectors also where few stages remain
    for (u32 r = 0; r < rectangles; ++r) {
      if (r % together == 0) begin_block();
      std::vector<ValueId> column;
      for (u32 a = 0; a < size; ++a) column.push_back(flow_.load(from + kVectorLength * (rectangles * a + r)));
      const bool last_pass = first + depth == stages_;
      for (u32 s = first; s + (last_pass ? 1 : 0) < first + depth; ++s)
        column = exchange_stage(column, s, r, s - first);
      if (last_pass)
        store_last_stage(column, r, depth - 1, to);
      else
        for (u32 b = 0; b < size; ++b) flow_.store(column[b], to + kVectorLength * (size * r + b));
    }
    pass_roots_.clear();
  }

  void begin_block() {
    flow_.begin_block();
    block_roots_.clear();
  }

  // A vector's index, from the top: the bits of the rectangle's own vectors that are still to come, r, and the `done` lane
  // bits that the stages of this pass have exposed. `low` is such an index without r and without its top bit.
  [[nodiscard]] static u32 position(u32 low, u32 rectangles, u32 r, u32 done) noexcept {
    if (rectangles == 1) return low;
    const u32 exposed = low & ((1U << done) - 1), to_come = low >> done;
    return ((to_come * rectangles + r) << done) | exposed;
  }

  std::vector<ValueId> exchange_stage(const std::vector<ValueId>& column, u32 stage, u32 r, u32 done) {
    const u32 half = static_cast<u32>(column.size()) / 2;
    std::vector<ValueId> next;
    for (u32 low = 0; low < half; ++low) {
      const ValueId root = root_of(stage, position(low, vectors_ / (2 * half), r, done));
      const auto [sum, difference] = flow_.butterfly(column[low], column[low + half], root);
      next.push_back(flow_.combine(Op::unpklo, sum, difference));
      next.push_back(flow_.combine(Op::unpkhi, sum, difference));
    }
    return next;
  }

  void store_last_stage(const std::vector<ValueId>& column, u32 r, u32 done, u32 to) {
    const u32 half = static_cast<u32>(column.size()) / 2;
    for (u32 low = 0; low < half; ++low) {
      const u32 at = position(low, vectors_ / (2 * half), r, done);
      const auto [sum, difference] = flow_.butterfly(column[low], column[low + half], root_of(stages_ - 1, at));
      flow_.store(sum, to + 2 * kVectorLength * at, Mode::stride, 1);
      flow_.store(difference, to + 2 * kVectorLength * at + 1, Mode::stride, 1);
    }
  }

  // Few different vectors of roots stay in registers for a whole pass; of many, each block loads its own.
  ValueId root_of(u32 stage, u32 at) {
    const u32 period = 1U << stage;
    const bool short_period = stage <= kLaneBits;
    const u32 address = roots_at_ + period + (short_period ? 0 : kVectorLength * (at % (period / kVectorLength)));
    auto& roots = period <= kResidentRoots * kVectorLength ? pass_roots_ : block_roots_;
    const auto [place, inserted] = roots.try_emplace(address, 0);
    if (inserted)
      place->second = flow_.load(address, short_period && stage < kLaneBits ? Mode::repeat : Mode::linear,
                                 stage < kLaneBits ? static_cast<u8>(stage) : u8{0}, ValueKind::constant);
    return place->second;
  }

  u32 stages_;
  u32 vectors_;
  u32 roots_at_;
  Dataflow flow_;
  std::map<u32, ValueId> pass_roots_;  // by address
  std::map<u32, ValueId> block_roots_;
};

}  // namespace

u32 pease_passes(u32 n) noexcept {
  const auto stages = static_cast<u32>(std::countr_zero(n));
  return n / kVectorLength <= (1U << kRectangleDepth) ? 1 : (stages + kRectangleDepth - 1) / kRectangleDepth;
}

TransformPlan pease(const TransformField& field, u32 n) {
  return {PeaseBuilder(n).build(), field.root_powers, 2 * n, pease_passes(n) % 2 == 0 ? 0 : n};
}

}  // namespace ringfort::rpu
