// SPDX-License-Identifier: Apache-2.0
// Key switches and divisions by dropped primes without a way back to off-chip memory: the sources of a conversion stay in the
// vector memory, whole, while limb after limb of the result is converted, transformed and used. Declined where they do not fit.
#include "backend/rpu/converter.h"
#include "backend/rpu/transformer.h"
#include "backend/rpu/verbs.h"

namespace ringfort::rpu_host {
namespace {

// Places of whole polynomials in the vector memory, one behind the other.
class Resident {
 public:
  explicit Resident(const Prepared& p) : p_(p), processor_(*p.processor), block_(std::max(p.plan.n, kLeastBlock)) {}

 protected:
  [[nodiscard]] u32 take(u32 words) noexcept { return std::exchange(end_, end_ + words); }
  [[nodiscard]] u32 take_blocks(u32 count) noexcept { return take(count * block_); }
  [[nodiscard]] bool has_room() const noexcept { return p_.parts == 1 && end_ <= processor_.machine().vdm_words; }

  template <class W>
  void load(u32 place, const View& from, u32 limb, u32 polynomial) noexcept {
    processor_.gather<W>(place, from, limb, {polynomial, 1, 0, p_.plan.n}, p_.plan.n);
    processor_.loaded(place, p_.plan.n);
  }
  template <class W>
  void store(u32 place, const View& to, u32 limb, u32 polynomial) noexcept {
    processor_.scatter<W>(place, to, limb, {polynomial, 1, 0, p_.plan.n}, p_.plan.n);
    processor_.stored(place, p_.plan.n);
  }
  void run(Program& program, std::span<const u32> places, u32 limb) noexcept {
    run_pieces(p_, program, places, block_, std::span(&p_.fields[limb].q, 1), {});
  }
  void scale(u32 place, u32 limb, u128 factor) noexcept {
    run_pieces(p_, p_.routine(Routine::scale), std::array{place, place}, block_, std::span(&p_.fields[limb].q, 1), std::span(&factor, 1));
  }

  const Prepared& p_;
  Processor& processor_;
  u32 block_;

 private:
  u32 end_ = 0;
};

class Switch : private Resident {
 public:
  Switch(const Prepared& p, const KeySwitch& k) noexcept : Resident(p), k_(k), forward_(p, false) {
    sources_ = take_blocks(k.a.limbs + k.digits.batch);
    sums_ = take_blocks(k.out.batch);
    digit_ = take_blocks(1);
    keys_ = take_blocks(2);
    scratch_ = take(forward_.scratch_words(1));
    table_ = take(forward_.table_words(1));
  }
  [[nodiscard]] bool fits() const noexcept { return has_room(); }

  template <class W>
  void all() noexcept {
    for (u32 d = 0; d < k_.digits.batch; ++d) prepare_digit<W>(d);
    for (u32 j = 0; j < k_.out.limbs; ++j) {
      const u32 limb = k_.out.first_limb + j;
      forward_.tables({1, limb, 1}, table_);
      for (u32 d = 0; d < k_.digits.batch; ++d) multiply<W>(d, j, digit<W>(d, limb));
      for (u32 c = 0; c < k_.out.batch; ++c) store<W>(sum(c), k_.out, j, c);
    }
  }

 private:
  [[nodiscard]] u32 sum(u32 column) const { return sums_ + column * block_; }
  [[nodiscard]] Converter converter(u32 d) const {
    return {p_, k_.digit(d), Conversion::centred, sources_ + d * (k_.digit_limbs + 1) * block_, block_};
  }

  template <class W>
  void prepare_digit(u32 d) noexcept {
    Converter of = converter(d);
    const Limbs own = k_.digit(d);
    for (u32 i = 0; i < own.count; ++i) {
      load<W>(of.source(i), k_.coefficients, own.first + i - k_.coefficients.first_limb, 0);
      of.scale(i);
    }
    of.round();
  }

  // Where digit d stands in the evaluation domain.
  template <class W>
  u32 digit(u32 d, u32 limb) noexcept {
    const Limbs own = k_.digit(d);
    if (limb >= own.first && limb < own.end()) {
      load<W>(digit_, k_.a, limb - k_.a.first_limb, 0);
      return digit_;
    }
    converter(d).sum(digit_, limb);
    return forward_.run({1, limb, 1}, digit_, scratch_, table_);
  }

  template <class W>
  void multiply(u32 d, u32 j, u32 digit) noexcept {
    for (u32 c = 0; c < k_.out.batch; ++c) {
      const u32 key = keys_ + turn_++ % 2 * block_;
      load<W>(key, k_.key, j, d * k_.out.batch + c);
      run(p_.routine(d == 0 ? Routine::dot : Routine::dot_add), std::array{sum(c), digit, key}, k_.out.first_limb + j);
    }
  }

  const KeySwitch& k_;
  Transformer forward_;
  u32 sources_, sums_, digit_, keys_, scratch_, table_, turn_ = 0;
};

class Division : private Resident {
 public:
  Division(const Prepared& p, const ModDown& m) noexcept : Resident(p), m_(m), dropped_(m.dropped()), forward_(p, false), inverse_(p, true) {
    const bool evaluation = m.domain == Domain::evaluation;
    sources_ = take_blocks(m.out.batch * Converter::places(dropped_.count));
    results_ = take_blocks(2);
    kept_ = take_blocks(2);
    table_ = take(evaluation ? std::max(forward_.table_words(1), inverse_.table_words(1)) : 0);
  }
  // A transform in a second buffer would not leave a source where its conversion looks for it.
  [[nodiscard]] bool fits() const noexcept { return has_room() && forward_.scratch_words(1) == 0 && inverse_.scratch_words(1) == 0; }

  template <class W>
  void all() noexcept {
    const bool evaluation = m_.domain == Domain::evaluation;
    for (u32 i = 0; i < dropped_.count; ++i) {
      const u32 limb = dropped_.first + i;
      if (evaluation) inverse_.tables({1, limb, 1}, table_);
      for (u32 b = 0; b < m_.out.batch; ++b) source<W>(i, b, limb, evaluation);
    }
    for (u32 b = 0; b < m_.out.batch; ++b) converter(b).round();
    for (u32 j = 0; j < m_.out.limbs; ++j) {
      const u32 limb = m_.out.first_limb + j;
      if (evaluation) forward_.tables({1, limb, 1}, table_);
      for (u32 b = 0; b < m_.out.batch; ++b) result<W>(j, b, limb, evaluation);
    }
  }

 private:
  [[nodiscard]] Converter converter(u32 b) const {
    return {p_, dropped_, Conversion::centred, sources_ + b * Converter::places(dropped_.count) * block_, block_};
  }
  [[nodiscard]] u128 plain(u32 limb) const { return p_.basis[limb].reduce(m_.plain); }

  template <class W>
  void source(u32 i, u32 b, u32 limb, bool evaluation) noexcept {
    Converter of = converter(b);
    load<W>(of.source(i), m_.a, limb - m_.a.first_limb, b);
    if (m_.plain != 1) scale(of.source(i), limb, p_.basis[limb].inverse(static_cast<u64>(plain(limb))));
    if (evaluation) std::ignore = inverse_.run({1, limb, 1}, of.source(i), 0, table_);
    of.scale(i);
  }

  template <class W>
  void result(u32 j, u32 b, u32 limb, bool evaluation) noexcept {
    const u32 set = turn_++ % 2, out = results_ + set * block_, kept = kept_ + set * block_;
    load<W>(kept, m_.a, limb - m_.a.first_limb, b);
    converter(b).sum(out, limb);
    if (m_.plain != 1) scale(out, limb, plain(limb));
    if (evaluation) std::ignore = forward_.run({1, limb, 1}, out, 0, table_);
    run(p_.routine(Routine::subtract), std::array{out, kept, out}, limb);
    scale(out, limb, p_.basis.product_inverse(dropped_, limb));
    store<W>(out, m_.out, j, b);
  }

  const ModDown& m_;
  Limbs dropped_;
  Transformer forward_, inverse_;
  u32 sources_, results_, kept_, table_, turn_ = 0;
};

}  // namespace

bool key_switch_fits(const Prepared& p, const KeySwitch& k) noexcept { return Switch(p, k).fits(); }
bool mod_down_fits(const Prepared& p, const ModDown& m) noexcept { return Division(p, m).fits(); }

void key_switch(const Prepared& p, const KeySwitch& k) noexcept {
  with_word(p.plan.word, [&]<class W>(W) { Switch(p, k).all<W>(); });
}

void mod_down(const Prepared& p, const ModDown& m) noexcept {
  with_word(p.plan.word, [&]<class W>(W) { Division(p, m).all<W>(); });
}

}  // namespace ringfort::rpu_host
