// SPDX-License-Identifier: Apache-2.0
#include "codegen/split.h"

#include <map>

#include "codegen/roots.h"

namespace ringfort::rpu {
namespace {

constexpr u32 kLaneBits = 9;
constexpr u32 kLargestBlock = 5;   // bits: 32 vectors, two thirds of the data registers
constexpr u32 kResidentRoots = 8;  // vectors of an upper stage that stay in registers for a whole pass

class SplitBuilder {
 public:
  SplitBuilder(const TransformField& field, u32 n, bool twist)
      : field_(field),
        n_(n),
        bits_(static_cast<u32>(std::countr_zero(n))),
        vector_bits_(bits_ - kLaneBits),
        lower_bits_(vector_bits_ / 2),
        twist_(twist) {}

  TransformPlan build() {
    plan_.table_at = n_;
    plan_.table = field_.root_powers;
    if (twist_) lay_out_tables();
    upper_ = vector_bits_ > kLargestBlock;
    if (upper_) upper_pass();
    const u32 own = upper_ ? lower_bits_ : vector_bits_;
    upper_ = false;
    lower_pass(own);
    return std::move(plan_);
  }

 private:
  // Stages on the upper vector bits; blocks differ in the lower vector bits.
  void upper_pass() {
    plan_.flow.begin_pass();
    pass_roots_.clear();
    const u32 own = vector_bits_ - lower_bits_;
    for (u32 r = 0; r < (1U << lower_bits_); ++r) {
      begin_block();
      std::vector<ValueId> column;
      for (u32 a = 0; a < (1U << own); ++a) column.push_back(plan_.flow.load(vector_at((a << lower_bits_) | r)));
      for (u32 stage = 0; stage < own; ++stage) vector_stage(column, stage, 0, 0);
      for (u32 a = 0; a < (1U << own); ++a) plan_.flow.store(column[a], vector_at((a << lower_bits_) | r));
    }
  }

  // The remaining vector bits, then the lanes; a block holds all vectors with the same upper bits.
  void lower_pass(u32 own) {
    plan_.flow.begin_pass();
    pass_roots_.clear();
    for (u32 block = 0; block < (1U << (vector_bits_ - own)); ++block) {
      begin_block();
      std::vector<ValueId> column;
      for (u32 a = 0; a < (1U << own); ++a) column.push_back(plan_.flow.load(vector_at((block << own) | a)));
      for (u32 stage = 0; stage + 1 < own; ++stage) vector_stage(column, stage, block, vector_bits_ - own);
      for (u32 pair = 0; pair < (1U << (own - 1)); ++pair)
        lane_stages(column[2 * pair], column[2 * pair + 1], (block << (own - 1)) | pair);
    }
  }

  // Stage `stage` of the column's own bits, the highest first; `above` are the `above_bits` index bits above them.
  void vector_stage(std::vector<ValueId>& column, u32 stage, u32 above, u32 above_bits) {
    const u32 half = static_cast<u32>(column.size()) >> (stage + 1);
    for (u32 i = 0; i < column.size(); ++i) {
      if ((i & half) != 0) continue;
      const u32 group = (above << stage) | (i / (2 * half));
      const ValueId root = broadcast((1U << (stage + above_bits)) + group, 1U << stage);
      const auto [sum, difference] = plan_.flow.butterfly(column[i], column[i + half], root);
      column[i] = sum;
      column[i + half] = difference;
    }
  }

  // From the last vector bit to the last lane bit, on two vectors that differ in the former. `row` are the bits above.
  void lane_stages(ValueId low, ValueId high, u32 row) {
    for (u32 bit = kLaneBits; bit > 0; --bit) {
      const auto [sum, difference] = plan_.flow.butterfly(low, high, lane_root(bit, row));
      low = plan_.flow.combine(Op::unpklo, sum, difference);
      high = plan_.flow.combine(Op::unpkhi, sum, difference);
      if (bit == kLaneBits && twist_) {
        low = plan_.flow.combine(Op::vmulmod, low, plan_.flow.load(twist_at_ + kVectorLength * (2 * row)));
        high = plan_.flow.combine(Op::vmulmod, high, plan_.flow.load(twist_at_ + kVectorLength * (2 * row + 1)));
      }
    }
    const auto [sum, difference] = plan_.flow.butterfly(low, high, lane_root(0, row));
    plan_.flow.store(sum, 2 * kVectorLength * row, Mode::stride, 1);
    plan_.flow.store(difference, 2 * kVectorLength * row + 1, Mode::stride, 1);
  }

  // The roots of the stage on index bit `bit` for one pair: the lanes hold, lowest last, the bits 9, 8 .. bit + 1.
  ValueId lane_root(u32 bit, u32 row) {
    const u32 stage = bits_ - 1 - bit;
    if (bit == kLaneBits) return broadcast((1U << stage) + row, ~0U);
    if (!twist_)
      return repeated(plan_.table_at + (1U << stage) + (row << (kLaneBits - bit)), kLaneBits - bit, ValueKind::data);
    return resident(lanes_at_ + (1U << (kLaneBits - 1 - bit)), kLaneBits - 1 - bit);
  }

  ValueId repeated(u32 address, u32 log_period, ValueKind kind) {
    const bool whole = log_period == kLaneBits;
    return plan_.flow.load(address, whole ? Mode::linear : Mode::repeat, whole ? u8{0} : static_cast<u8>(log_period),
                           kind);
  }

  ValueId resident(u32 address, u32 log_period) {
    const auto [place, inserted] = pass_roots_.try_emplace(address, 0);
    if (inserted) place->second = repeated(address, log_period, ValueKind::constant);
    return place->second;
  }

  // One root in every lane. `different` of them are used in the stage by each block.
  ValueId broadcast(u32 index, u32 different) {
    const u32 address = plan_.table_at + index;
    if (upper_ && different <= kResidentRoots) return resident(address, 0);
    const auto [place, inserted] = block_roots_.try_emplace(address, 0);
    if (inserted) place->second = repeated(address, 0, ValueKind::data);
    return place->second;
  }

  void begin_block() {
    plan_.flow.begin_block();
    block_roots_.clear();
  }
  [[nodiscard]] static u32 vector_at(u32 index) noexcept { return kVectorLength * index; }

  // With a twist the table is: roots of the vector stages | lane roots, 2^s of stage s from 2^s on | twists.
  void lay_out_tables() {
    const Modulus& q = field_.q;
    std::vector<u128>& table = plan_.table;
    table.resize(n_ >> kLaneBits);
    lanes_at_ = plan_.words();
    const u128 inverse = power(q, field_.psi, u128{2} * n_ - 1);
    table.push_back(0);
    for (u32 bit = kLaneBits; bit-- > 0;)
      for (u32 t = 0; t < (1U << (kLaneBits - 1 - bit)); ++t)
        table.push_back(
            q.multiply(field_.root_powers[(1U << (bits_ - 1 - bit)) + t], power(q, inverse, u128{1} << bit)));
    twist_at_ = plan_.words();
    for (u32 vector = 0; vector < (n_ >> kLaneBits); ++vector) append_twist(vector);
  }

  // After UNPK of the last vector bit: lane = (index bits 7 .. 0, 9), and bit 8 tells the pair's vectors apart.
  void append_twist(u32 vector) {
    std::array<std::vector<u128>, 2> powers;
    for (u32 side = 0; side < 2; ++side) powers[side] = powers_of(first_point((vector & ~1U) | side), kVectorLength);
    for (u32 lane = 0; lane < kVectorLength; ++lane)
      plan_.table.push_back(powers[lane & 1][((vector & 1) << 8) | (lane >> 1)]);
  }

  // The first evaluation point of a row: psi^(2 bitrev(512 row) + 1).
  [[nodiscard]] u128 first_point(u32 row) const {
    const u128 even = field_.q.multiply(field_.root_powers[row << kLaneBits], field_.root_powers[row << kLaneBits]);
    return field_.q.multiply(even, field_.psi);
  }
  [[nodiscard]] std::vector<u128> powers_of(u128 base, u32 count) const {
    std::vector<u128> powers{1};
    while (powers.size() < count) powers.push_back(field_.q.multiply(powers.back(), base));
    return powers;
  }

  const TransformField& field_;
  u32 n_;
  u32 bits_;
  u32 vector_bits_;
  u32 lower_bits_;  // of two passes the second takes the lower half of the vector bits
  bool twist_;
  bool upper_ = false;  // the pass that is being built
  TransformPlan plan_;
  u32 lanes_at_ = 0;
  u32 twist_at_ = 0;
  std::map<u32, ValueId> pass_roots_;  // by address
  std::map<u32, ValueId> block_roots_;
};

}  // namespace

TransformPlan split_transform(const TransformField& field, u32 n, bool twist) {
  return SplitBuilder(field, n, twist).build();
}

}  // namespace ringfort::rpu
