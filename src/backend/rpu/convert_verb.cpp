// SPDX-License-Identifier: Apache-2.0
// The verb of base conversion on device `rpu` (verbs.h explains the terms). It processes one tile of every source limb
// at a time. If there is space, two sets of operands in the vector memory alternate, so that the next tile is loaded
// while a program runs. From the source tiles, it computes the tiles of the result limb by limb. A limb that the source
// also has is not computed: the result gets its words from the source.
#include "backend/rpu/converter.h"
#include "backend/rpu/verbs.h"

namespace ringfort::rpu_host {
namespace {

class Conversions {
 public:
  Conversions(const RpuPlan& p, const View& out, const View& a, Conversion kind)
      : p_(p),
        processor_(*p.processor),
        out_(out),
        a_(a),
        kind_(kind),
        from_(a.limbs),
        operands_(Converter::operands(from_.count)) {
    sets_ = (2 * operands_ + 2) * p_.tile <= processor_.machine().vdm_words ? 2 : 1;
  }

  void record() {
    for_each_tile(p_, out_.batch, [&](const Tile& tile) { convert(tile); });
    for (u32 j = 0; j < out_.limbs.count; ++j) {
      if (is_own(j)) copy(j);
    }
  }

 private:
  [[nodiscard]] bool is_own(u32 j) const {
    return out_.limbs.first + j >= from_.first && out_.limbs.first + j < from_.end();
  }

  void convert(const Tile& tile) {
    Converter converter(p_, from_, kind_, p_.name(turn_++ % sets_ * operands_), p_.tile);
    for (u32 i = 0; i < from_.count; ++i) {
      processor_.load(converter.source(i), a_, i, tile);
      converter.scale(i);
    }
    converter.round();
    for (u32 j = 0; j < out_.limbs.count; ++j) {
      if (is_own(j)) continue;
      const u32 at = p_.name(sets_ * operands_ + results_++ % 2);
      converter.sum(at, out_.limbs.first + j);
      processor_.store(at, out_, j, tile);
    }
  }

  void copy(u32 j) {
    const u32 at = p_.name(sets_ * operands_), limb = out_.limbs.first + j - from_.first;
    for_each_tile(p_, out_.batch, [&](const Tile& tile) {
      processor_.load(at, a_, limb, tile);
      processor_.store(at, out_, j, tile);
    });
  }

  const RpuPlan& p_;
  Processor& processor_;
  const View &out_, &a_;
  Conversion kind_;
  Limbs from_;
  u32 operands_, sets_ = 1, turn_ = 0, results_ = 0;
};

}  // namespace

void base_convert(const RpuPlan& p, const View& out, const View& a, Conversion kind) {
  Conversions(p, out, a, kind).record();
}

}  // namespace ringfort::rpu_host
