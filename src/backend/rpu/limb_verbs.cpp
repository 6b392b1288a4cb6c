// SPDX-License-Identifier: Apache-2.0
// The verbs KeySwitch, ModDown and ModDownRescale (backend/verbs.h) of device `rpu`: key switches, and divisions by
// dropped primes. While there is space, all source limbs of a conversion stay in the vector memory (verbs.h), and there
// are no intermediate transfers to off-chip memory. The limbs of the result are converted, transformed and used one by
// one. If a polynomial is too long for a transform in the vector memory, the device does not fuse the verb.
#include "backend/rpu/converter.h"
#include "backend/rpu/transformer.h"
#include "backend/rpu/verbs.h"

namespace ringfort::rpu_host {
namespace {

// Returns a batch of one polynomial in one limb.
constexpr Transformer::TransformBatch one_limb(u32 limb) { return {.count = 1, .first_limb = limb, .limbs = 1}; }

// Contiguous names of whole polynomials in the vector memory.
class Resident {
 public:
  explicit Resident(const RpuPlan& p) : p_(p), processor_(*p.processor), words_(std::max(p.plan.n, kLeastWords)) {}

 protected:
  [[nodiscard]] u32 reserve(u32 words) noexcept { return std::exchange(end_, end_ + words); }
  [[nodiscard]] u32 reserve_polynomials(u32 count) noexcept { return reserve(count * words_); }

  void load(u32 name, const View& from, u32 limb, u32 polynomial) {
    processor_.load(name, from, limb, {.polynomial = polynomial, .length = p_.plan.n});
  }
  void store(u32 name, const View& to, u32 limb, u32 polynomial) {
    processor_.store(name, to, limb, {.polynomial = polynomial, .length = p_.plan.n});
  }
  void run_program(Program& program, std::span<const u32> names, u32 limb) {
    run_tiles(p_, program, names, words_, std::span(&p_.fields[limb].q, 1), {});
  }
  void scale(u32 name, u32 limb, u128 factor) {
    run_tiles(p_, p_.routine(Routine::scale), std::array{name, name}, words_, std::span(&p_.fields[limb].q, 1),
              std::span(&factor, 1));
  }
  // Computes (a - b) factor; names: result, a, b.
  void subtract_scaled(const std::array<u32, 3>& names, u32 limb, u128 factor) {
    run_tiles(p_, p_.routine(Routine::scaled_difference), names, words_, std::span(&p_.fields[limb].q, 1),
              std::span(&factor, 1));
  }

  const RpuPlan& p_;
  Processor& processor_;
  u32 words_;  // size of a polynomial in the vector memory

 private:
  u32 end_ = 0;
};

// The verb KeySwitch.
class Switch : private Resident {
 public:
  Switch(const RpuPlan& p, const verb::KeySwitch& k) noexcept
      : Resident(p),
        k_(k),
        digits_(k.mod_up().count()),
        forward_(p, false) {
    sources_ = reserve_polynomials(k.a.batch * source_operands());
    sums_ = reserve_polynomials(k.out.batch);
    digit_ = reserve_polynomials(1);
    key_ = reserve_polynomials(1);
    scratch_ = reserve(forward_.scratch_words(1));
    table_ = reserve(forward_.table_words(1));
  }

  void record() {
    for (u32 polynomial = 0; polynomial < k_.a.batch; ++polynomial) {
      for (u32 d = 0; d < digits_; ++d) prepare_digit(polynomial, d);
    }
    for (u32 j = 0; j < k_.out.limbs.count; ++j) {
      forward_.tables(one_limb(k_.out.limbs.first + j), table_);
      for (u32 d = 0; d < digits_; ++d) multiply(d, j);
      for (u32 b = 0; b < k_.out.batch; ++b) store(sum(b), k_.out, j, b);
    }
  }

 private:
  // Each digit has an operand for each of its limbs, and one for the sum of the fractions (converter.h).
  [[nodiscard]] u32 source_operands() const { return k_.a.limbs.count + digits_; }
  [[nodiscard]] u32 sum(u32 polynomial) const { return sums_ + polynomial * words_; }
  [[nodiscard]] Converter converter(u32 polynomial, u32 d) const {
    return {p_, k_.mod_up().digit(d), Conversion::centred,
            sources_ + (polynomial * source_operands() + d * (k_.digit_limbs + 1)) * words_, words_};
  }

  void prepare_digit(u32 polynomial, u32 d) {
    Converter of = converter(polynomial, d);
    const Limbs digit_limbs = k_.mod_up().digit(d);
    for (u32 i = 0; i < digit_limbs.count; ++i) {
      load(of.source(i), k_.coefficients, digit_limbs.first + i - k_.coefficients.limbs.first, polynomial);
      of.scale(i);
    }
    of.round();
  }

  // Returns the name of digit d in the evaluation domain. In the digit's own limbs, `a` already has these values. For
  // the other limbs, the digit is converted and transformed.
  u32 digit(u32 polynomial, u32 d, u32 limb) {
    const Limbs digit_limbs = k_.mod_up().digit(d);
    if (limb >= digit_limbs.first && limb < digit_limbs.end()) {
      load(digit_, k_.a, limb - k_.a.limbs.first, polynomial);
      return digit_;
    }
    converter(polynomial, d).sum(digit_, limb);
    return forward_.transform(one_limb(limb), digit_, scratch_, table_);
  }

  // Multiplies one digit of every polynomial by the digit's part of the key. This part is loaded once.
  void multiply(u32 d, u32 j) {
    const Processor::Group together(processor_);
    const u32 limb = k_.out.limbs.first + j, columns = k_.columns();
    for (u32 polynomial = 0; polynomial < k_.a.batch; ++polynomial) {
      const u32 at = digit(polynomial, d, limb);
      for (u32 c = 0; c < columns; ++c) {
        load(key_, k_.key, j, d * columns + c);
        run_program(p_.routine(d == 0 ? Routine::dot : Routine::dot_add),
                    std::array{sum(polynomial * columns + c), at, key_}, limb);
      }
    }
  }

  const verb::KeySwitch& k_;
  u32 digits_;
  Transformer forward_;
  u32 sources_, sums_, digit_, key_, scratch_, table_;
};

// The verb ModDown. The sources are the dropped limbs.
class Division : private Resident {
 public:
  Division(const RpuPlan& p, const verb::ModDown& m) noexcept
      : Resident(p),
        m_(m),
        dropped_(m.dropped()),
        forward_(p, false),
        inverse_(p, true) {
    const bool evaluation = m.domain == Domain::evaluation;
    sources_ = reserve_polynomials(m.out.batch * Converter::operands(dropped_.count));
    results_ = reserve_polynomials(2);
    minuends_ = reserve_polynomials(2);
    table_ = reserve(evaluation ? std::max(forward_.table_words(1), inverse_.table_words(1)) : 0);
  }
  // Tells whether the device can fuse the verb. The transforms must have no second buffer. A transform with a second
  // buffer might rename a source, but the conversion reads the first name.
  [[nodiscard]] bool fits() const noexcept {
    return p_.parts == 1 && forward_.scratch_words(1) == 0 && inverse_.scratch_words(1) == 0;
  }

  void record() {
    const bool evaluation = m_.domain == Domain::evaluation;
    for (u32 i = 0; i < dropped_.count; ++i) {
      const u32 limb = dropped_.first + i;
      if (evaluation) inverse_.tables(one_limb(limb), table_);
      for (u32 b = 0; b < m_.out.batch; ++b) source(i, b, limb, evaluation);
    }
    for (u32 b = 0; b < m_.out.batch; ++b) converter(b).round();
    for (u32 j = 0; j < m_.out.limbs.count; ++j) {
      const u32 limb = m_.out.limbs.first + j;
      if (evaluation) forward_.tables(one_limb(limb), table_);
      for (u32 b = 0; b < m_.out.batch; ++b) result(j, b, limb, evaluation);
    }
  }

 private:
  [[nodiscard]] Converter converter(u32 b) const {
    return {p_, dropped_, Conversion::centred, sources_ + b * Converter::operands(dropped_.count) * words_, words_};
  }
  [[nodiscard]] u64 plain(u32 limb) const { return p_.basis[limb].reduce(m_.plain); }

  void source(u32 i, u32 b, u32 limb, bool evaluation) {
    Converter of = converter(b);
    load(of.source(i), m_.a, limb - m_.a.limbs.first, b);
    if (m_.plain != 1) scale(of.source(i), limb, p_.basis[limb].inverse(plain(limb)));
    if (evaluation) std::ignore = inverse_.transform(one_limb(limb), of.source(i), 0, table_);
    of.scale(i);
  }

  void result(u32 j, u32 b, u32 limb, bool evaluation) {
    const u32 set = turn_++ % 2, out = results_ + set * words_, minuend = minuends_ + set * words_;
    load(minuend, m_.a, limb - m_.a.limbs.first, b);
    converter(b).sum(out, limb, plain(limb));
    if (evaluation) std::ignore = forward_.transform(one_limb(limb), out, 0, table_);
    subtract_scaled({out, minuend, out}, limb, p_.basis.product_inverse(dropped_, limb));
    store(out, m_.out, j, b);
  }

  const verb::ModDown& m_;
  Limbs dropped_;
  Transformer forward_, inverse_;
  u32 sources_, results_, minuends_, table_, turn_ = 0;
};

// The verb ModDownRescale. It divides by P, the product of the primes of special_, and then by Q, the product of the
// primes of last_. x = (a - NTT(c)) / P + addend is the first quotient, where c is the remainder of a modulo P,
// converted to the other primes. y = (x - NTT(d)) / Q is the result, where d is the remainder of x modulo Q, also
// converted. Therefore y = (a + P addend - NTT(c + P d)) / (P Q). Of x, only the coefficients modulo the primes of
// last_ are computed: (INTT(a + P addend) - c) / P.
class TwoDivisions : private Resident {
 public:
  TwoDivisions(const RpuPlan& p, const verb::ModDownRescale& m) noexcept
      : Resident(p),
        m_(m),
        special_(m.divisions()[0].dropped()),
        last_(m.divisions()[1].dropped()),
        forward_(p, false),
        inverse_(p, true) {
    first_ = reserve_polynomials(m.out.batch * Converter::operands(special_.count));
    second_ = reserve_polynomials(m.out.batch * Converter::operands(last_.count));
    results_ = reserve_polynomials(2 * kOperands);
    table_ = reserve(std::max(forward_.table_words(1), inverse_.table_words(1)));
  }
  [[nodiscard]] bool fits() const noexcept {
    return p_.parts == 1 && forward_.scratch_words(1) == 0 && inverse_.scratch_words(1) == 0;
  }

  void record() {
    each_limb(special_, inverse_, [&](u32 i, u32 b, u32 limb) { special_source(i, b, limb); });
    for (u32 b = 0; b < m_.out.batch; ++b) first(b).round();
    each_limb(last_, inverse_, [&](u32 i, u32 b, u32 limb) { last_source(i, b, limb); });
    for (u32 b = 0; b < m_.out.batch; ++b) second(b).round();
    each_limb(m_.out.limbs, forward_, [&](u32 j, u32 b, u32 limb) { result(j, b, limb); });
  }

 private:
  static constexpr u32 kOperands = 4;  // the result, the conversion, the minuend, the addend
  [[nodiscard]] Converter first(u32 b) const {
    return {p_, special_, Conversion::centred, first_ + b * Converter::operands(special_.count) * words_, words_};
  }
  [[nodiscard]] Converter second(u32 b) const {
    return {p_, last_, Conversion::centred, second_ + b * Converter::operands(last_.count) * words_, words_};
  }
  [[nodiscard]] u64 plain(u32 limb) const { return p_.basis[limb].reduce(m_.plain); }
  [[nodiscard]] u64 product(u32 limb) const { return p_.basis.product(special_, limb); }

  // Calls f(index, polynomial, limb). During the call, table_ is the name of the limb's table of roots.
  template <class F>
  void each_limb(Limbs limbs, Transformer& transformer, F f) {
    for (u32 i = 0; i < limbs.count; ++i) {
      transformer.tables(one_limb(limbs.first + i), table_);
      for (u32 b = 0; b < m_.out.batch; ++b) f(i, b, limbs.first + i);
    }
  }
  void make_source(Converter of, u32 i, u32 limb) {
    if (m_.plain != 1) scale(of.source(i), limb, p_.basis[limb].inverse(plain(limb)));
    of.scale(i);
  }
  void special_source(u32 i, u32 b, u32 limb) {
    load(first(b).source(i), m_.a, limb - m_.a.limbs.first, b);
    std::ignore = inverse_.transform(one_limb(limb), first(b).source(i), 0, table_);
    make_source(first(b), i, limb);
  }
  // Loads a + P addend.
  void load_sum(u32 name, u32 added, u32 b, u32 limb) {
    load(name, m_.a, limb - m_.a.limbs.first, b);
    if (!m_.adds() || b >= m_.addend.batch) return;
    load(added, m_.addend, limb - m_.addend.limbs.first, b);
    const u128 factor = product(limb);
    run_tiles(p_, p_.routine(Routine::scaled_sum), std::array{name, added}, words_, std::span(&p_.fields[limb].q, 1),
              std::span(&factor, 1));
  }
  void last_source(u32 i, u32 b, u32 limb) {
    const u32 set = results_ + turn_++ % 2 * kOperands * words_, conversion = set + words_, x = second(b).source(i);
    load_sum(x, set + 3 * words_, b, limb);
    std::ignore = inverse_.transform(one_limb(limb), x, 0, table_);
    first(b).sum(conversion, limb, plain(limb));
    subtract_scaled({x, x, conversion}, limb, p_.basis.product_inverse(special_, limb));
    make_source(second(b), i, limb);
  }
  void result(u32 j, u32 b, u32 limb) {
    const u32 out = results_ + turn_++ % 2 * kOperands * words_, conversion = out + words_, minuend = out + 2 * words_;
    load_sum(minuend, out + 3 * words_, b, limb);
    first(b).sum(out, limb, plain(limb));
    second(b).sum(conversion, limb, p_.basis[limb].multiply(plain(limb), product(limb)));
    run_program(p_.routine(Routine::add), std::array{out, out, conversion}, limb);
    std::ignore = forward_.transform(one_limb(limb), out, 0, table_);
    subtract_scaled(
        {out, minuend, out}, limb,
        p_.basis[limb].multiply(p_.basis.product_inverse(special_, limb), p_.basis.product_inverse(last_, limb)));
    store(out, m_.out, j, b);
  }

  const verb::ModDownRescale& m_;
  Limbs special_, last_;
  Transformer forward_, inverse_;
  u32 first_, second_, results_, table_, turn_ = 0;
};

}  // namespace

bool key_switch_fits(const RpuPlan& p) noexcept { return p.parts == 1; }
bool mod_down_fits(const RpuPlan& p, const verb::ModDown& m) noexcept { return Division(p, m).fits(); }

bool mod_down_rescale_fits(const RpuPlan& p, const verb::ModDownRescale& m) noexcept {
  return TwoDivisions(p, m).fits();
}
void mod_down_rescale(const RpuPlan& p, const verb::ModDownRescale& m) { TwoDivisions(p, m).record(); }

void key_switch(const RpuPlan& p, const verb::KeySwitch& k) { Switch(p, k).record(); }

void mod_down(const RpuPlan& p, const verb::ModDown& m) {
  Division(p, m).record();
  const View sums = m.out.polynomials(0, m.addend.batch);
  // The sum and the automorphism are separate steps, because the processor orders separate steps better.
  if (m.adds()) combine(p, {Routine::add, sums, sums, m.addend, {}});
  if (m.galois != 1) automorphism(p, m.out, m.out, m.galois, m.domain);
}

}  // namespace ringfort::rpu_host
