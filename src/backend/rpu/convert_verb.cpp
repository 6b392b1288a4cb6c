// SPDX-License-Identifier: Apache-2.0
// Base conversion: a piece of every source limb at a time, in two sets of places where there is room, then one limb of the
// result after the other. A limb that both sides have is copied by the controller.
#include "backend/rpu/converter.h"
#include "backend/rpu/verbs.h"

namespace ringfort::rpu_host {
namespace {

class Conversions {
 public:
  Conversions(const Prepared& p, const View& out, const View& a, Conversion kind)
      : p_(p), processor_(*p.processor), out_(out), a_(a), kind_(kind), from_(host::limbs_of(a)), places_(Converter::places(from_.count)) {
    sets_ = p_.place(2 * places_ + 2) <= processor_.machine().vdm_words ? 2 : 1;
  }

  template <class W>
  void all() noexcept {
    for_each_piece(p_, out_.batch, [&](const Piece& piece) { convert<W>(piece); });
    for (u32 j = 0; j < out_.limbs; ++j) {
      if (is_own(j)) copy<W>(j);
    }
  }

 private:
  [[nodiscard]] bool is_own(u32 j) const { return out_.first_limb + j >= from_.first && out_.first_limb + j < from_.end(); }

  template <class W>
  void convert(const Piece& piece) noexcept {
    Converter converter(p_, from_, kind_, p_.place(turn_++ % sets_ * places_), p_.piece);
    for (u32 i = 0; i < from_.count; ++i) {
      processor_.gather<W>(converter.source(i), a_, i, piece, p_.plan.n);
      processor_.loaded(converter.source(i), piece.words());
      converter.scale(i);
    }
    converter.round();
    for (u32 j = 0; j < out_.limbs; ++j) {
      if (is_own(j)) continue;
      const u32 at = p_.place(sets_ * places_ + results_++ % 2);
      converter.sum(at, out_.first_limb + j);
      processor_.scatter<W>(at, out_, j, piece, p_.plan.n);
      processor_.stored(at, piece.words());
    }
  }

  template <class W>
  void copy(u32 j) noexcept {
    const u32 n = p_.plan.n;
    for (u32 b = 0; b < out_.batch; ++b) {
      W* to = host::limb_words<W>(out_, b, j, n);
      const W* from = host::limb_words<W>(a_, b, out_.first_limb + j - from_.first, n);
      if (to == from) continue;
      std::copy(from, from + n, to);
      processor_.copied_words(n);
    }
  }

  const Prepared& p_;
  Processor& processor_;
  const View &out_, &a_;
  Conversion kind_;
  Limbs from_;
  u32 places_, sets_ = 1, turn_ = 0, results_ = 0;
};

}  // namespace

void base_convert(const Prepared& p, const View& out, const View& a, Conversion kind) noexcept {
  with_word(p.plan.word, [&]<class W>(W) { Conversions(p, out, a, kind).all<W>(); });
}

}  // namespace ringfort::rpu_host
