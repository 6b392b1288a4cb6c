// SPDX-License-Identifier: Apache-2.0
// The verb polymul of device `rpu`. It transforms both operands, multiplies them, and transforms the product back. All
// words stay in the vector memory (verbs.h).
#include "backend/rpu/transformer.h"
#include "backend/rpu/verbs.h"

namespace ringfort::rpu_host {
namespace {

class Product {
 public:
  explicit Product(const RpuPlan& p)
      : p_(p),
        processor_(*p.processor),
        forward_(p, false),
        inverse_(p, true),
        words_(std::max(p.plan.n, kLeastWords)),
        spare_(std::max(forward_.scratch_words(1), inverse_.scratch_words(1))) {}

  [[nodiscard]] bool fits() const noexcept {
    return p_.parts == 1 && inverse_table() + inverse_.table_words(1) <= processor_.machine().vdm_words;
  }

  void record(const View& out, const View& a, const View& b) {
    for (u32 limb = 0; limb < out.limbs.count; ++limb) {
      const Transformer::TransformBatch one{.count = 1, .first_limb = out.limbs.first + limb, .limbs = 1};
      forward_.tables(one, forward_table());
      inverse_.tables(one, inverse_table());
      for (u32 first = 0; first < out.batch; first += p_.rows) {
        const Tile tile{first, std::min(p_.rows, out.batch - first), 0, p_.plan.n};
        u32 x = 0, y = words_, spare = 2 * words_;
        load(x, a, limb, tile);
        load(y, b, limb, tile);
        advance(forward_, one, forward_table(), x, spare);
        advance(forward_, one, forward_table(), y, spare);
        run_tiles(p_, p_.routine(Routine::multiply), std::array{x, x, y}, words_,
                  std::span(&p_.fields[one.first_limb].q, 1), {});
        advance(inverse_, one, inverse_table(), x, spare);
        processor_.store(x, out, limb, tile);
      }
    }
  }

 private:
  [[nodiscard]] u32 forward_table() const { return 2 * words_ + spare_; }
  [[nodiscard]] u32 inverse_table() const { return forward_table() + forward_.table_words(1); }

  void load(u32 name, const View& from, u32 limb, const Tile& tile) { processor_.load(name, from, limb, tile); }
  // Transforms the polynomial at `x`. Sets `x` to the name of the result, and `spare` to the other buffer.
  static void advance(Transformer& transformer, const Transformer::TransformBatch& one, u32 table, u32& x, u32& spare) {
    if (transformer.transform(one, x, spare, table) == spare && spare != x) std::swap(x, spare);
  }

  const RpuPlan& p_;
  Processor& processor_;
  Transformer forward_, inverse_;
  u32 words_, spare_;
};

}  // namespace

bool polymul_fits(const RpuPlan& p) noexcept { return Product(p).fits(); }

void polymul(const RpuPlan& p, const View& out, const View& a, const View& b) { Product(p).record(out, a, b); }

}  // namespace ringfort::rpu_host
