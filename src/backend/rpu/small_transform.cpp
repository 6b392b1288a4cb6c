// SPDX-License-Identifier: Apache-2.0
// Generates the transforms of polynomials with n < 1024 (small_transform.h).
#include "backend/rpu/small_transform.h"

#include <array>
#include <bit>

#include "codegen/field.h"
#include "codegen/schedule.h"
#include "sim/refusal.h"

namespace ringfort::rpu_host {
namespace {

using rpu::Op;
using rpu::ValueId;
constexpr u32 kElements = rpu::kVectorLength;
constexpr u32 kTopBit = 9;  // highest bit of an index: two vectors have 2^10 words

// Two vectors. For each element of the vectors, `indices_` has the index of the word that is there.
class Pair {
 public:
  Pair(u32 n, bool inverse) : n_(n), bits_(static_cast<u32>(std::countr_zero(n))), inverse_(inverse) {
    plan_.table_at = 2 * kElements;
    plan_.flow.begin_block();
    for (u32 i = 0; i < kElements; ++i) {
      indices_[0][i] = inverse ? 2 * i : i;
      indices_[1][i] = inverse ? 2 * i + 1 : kElements + i;
    }
    move([this](u32 v, u32 address, rpu::Mode mode, u8 value) { values_[v] = plan_.flow.load(address, mode, value); },
         inverse);
  }

  void forward() {
    for (u32 bit = kTopBit;; --bit) {
      if (bit < bits_) stage(bit);
      if (bit == 0) break;
      shuffle(Op::unpklo, Op::unpkhi);
    }
    store(true);
  }
  void backward() {
    for (u32 bit = 0;; ++bit) {
      if (bit < bits_) stage(bit);
      if (bit == kTopBit) break;
      shuffle(Op::pklo, Op::pkhi);
    }
    for (u32 v = 0; v < 2; ++v) {
      const ValueId factor =
          constant([&](u32 i) { return Root{.exponent = (2 * n_ - indices_[v][i] % n_) % (2 * n_), .over_n = true}; });
      values_[v] = plan_.flow.combine(Op::vmulmod, values_[v], factor, 0);
    }
    store(false);
  }

  [[nodiscard]] const rpu::Plan& plan() const { return plan_; }
  [[nodiscard]] const std::vector<Root>& table() const { return table_; }

 private:
  template <class Move>
  void move(Move one, bool strided) {
    for (u32 v = 0; v < 2; ++v) {
      if (strided) one(v, v, rpu::Mode::stride, u8{1});
      else one(v, v * kElements, rpu::Mode::linear, u8{0});
    }
  }
  void store(bool strided) {
    move([this](u32 v, u32 address, rpu::Mode mode, u8 value) { plan_.flow.store(values_[v], address, mode, value); },
         strided);
  }

  void stage(u32 bit) {
    const ValueId root = constant([&](u32 i) { return Root{.exponent = exponent(indices_[0][i] % n_, bit)}; });
    values_ = plan_.flow.butterfly(values_[0], values_[1], root, 0);
  }
  // Returns the exponent of a root. A forward transform takes it from the bits above `bit`, which are the number of the
  // group. An inverse transform takes it from the bits below `bit`. Its stages are a cyclic transform (modulo x^n - 1)
  // with decimation in time. After these stages, backward() divides coefficient i by psi^i n.
  [[nodiscard]] u32 exponent(u32 index, u32 bit) const {
    if (!inverse_) return rpu::stage_exponent(n_, bits_ - 1 - bit, index >> (bit + 1), true);
    const u32 order = 2 * n_, low = index & ((1U << bit) - 1);
    return (order - low * (order >> (bit + 1))) % order;
  }

  void shuffle(Op low, Op high) {
    const std::array<ValueId, 2> before = values_;
    values_ = {plan_.flow.combine(low, before[0], before[1]), plan_.flow.combine(high, before[0], before[1])};
    const auto from = indices_;
    for (u32 j = 0; j < kElements / 2; ++j) {
      if (low == Op::unpklo) {
        for (const u32 v : {0U, 1U})
          indices_[0][2 * j + v] = from[v][j], indices_[1][2 * j + v] = from[v][kElements / 2 + j];
      } else {
        for (const u32 v : {0U, 1U})
          indices_[0][v * kElements / 2 + j] = from[v][2 * j], indices_[1][v * kElements / 2 + j] = from[v][2 * j + 1];
      }
    }
  }

  template <class Named>
  ValueId constant(Named root) {
    const u32 address = plan_.words();
    for (u32 i = 0; i < kElements; ++i) table_.push_back(root(i));
    plan_.table.resize(table_.size());
    return plan_.flow.load(address);
  }

  u32 n_, bits_;
  bool inverse_;
  rpu::Plan plan_;
  std::vector<Root> table_;
  std::array<std::array<u32, kElements>, 2> indices_{};
  std::array<ValueId, 2> values_{};
};

}  // namespace

Kernel small_transform(u32 n, bool inverse, const rpu::Machine& machine) {
  Pair pair(n, inverse);
  inverse ? pair.backward() : pair.forward();
  const auto found = rpu::schedule(pair.plan(), machine, {.optimizer = rpu::Optimizer::best, .tries = 1});
  if (!found)
    throw rpu::Refusal("no schedule of a transform of two vectors fits the registers", "set hples=128,banks=128");
  Kernel kernel = link(found->code, {0, 2 * kElements, pair.plan().words()}, 1, 0, machine);
  kernel.table = pair.table();
  return kernel;
}

}  // namespace ringfort::rpu_host
