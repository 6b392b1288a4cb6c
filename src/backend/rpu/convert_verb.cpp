// SPDX-License-Identifier: Apache-2.0
// Base conversion, all of it on the processor: v_i and the fractions of 2^56 limb by limb, their rounded sum k, then for each
// limb of the result -k Q + sum_i v_i (Q/q_i), a few terms at a time. A limb that both sides have is copied by the controller.
#include <bit>

#include "backend/rpu/verbs.h"

namespace ringfort::rpu_host {
namespace {

constexpr u32 kFractionBits = 56;

const rpu::Modulus kWideModulus(kWide);
const rpu::Modulus kLowFraction(u128{1} << kFractionShift);
const rpu::Modulus kWhole(u128{1} << kFractionBits);

class Converter {
 public:
  Converter(const Prepared& p, const View& out, const View& a, Conversion kind)
      : p_(p), processor_(*p.processor), out_(out), a_(a), kind_(kind), from_{host::limbs_of(a)} {
    const u32 all = processor_.machine().vdm_words / p.piece;
    sets_ = 2 * (from_.count + 1) + 2 <= all ? 2 : 1;
  }

  void all() noexcept {
    with_word(p_.plan.word, [&]<class W>(W) {
      if constexpr (sizeof(W) <= 8) {
        for_each_piece(p_, out_.batch, [&](const Piece& piece) { convert<W>(piece); });
      }
    });
    copy_own();
  }

 private:
  [[nodiscard]] u32 v(u32 i) const { return p_.place(set_ * (from_.count + 1) + i); }
  [[nodiscard]] u32 fractions() const { return v(from_.count); }
  [[nodiscard]] u32 result() { return p_.place(sets_ * (from_.count + 1) + results_++ % 2); }
  [[nodiscard]] bool is_own(u32 limb) const { return limb >= from_.first && limb < from_.end(); }
  [[nodiscard]] bool exact() const { return kind_ != Conversion::approximate; }

  template <class W>
  void convert(const Piece& piece) noexcept {
    set_ = turn_++ % sets_;
    for (u32 i = 0; i < from_.count; ++i) {
      processor_.gather<W>(v(i), a_, i, piece, p_.plan.n);
      processor_.loaded(v(i), piece.words());
      scale_limb(i);
    }
    if (exact()) {
      const std::array<u128, 2> scalars = {1, inverse_power(kFractionBits)};
      const std::array<rpu::Modulus, 2> moduli = {kWhole, kWideModulus};
      processor_.run(p_.routine(Routine::shift), std::array{fractions(), fractions()}, moduli, scalars);
    }
    for (u32 j = 0; j < out_.limbs; ++j) {
      if (is_own(out_.first_limb + j)) continue;
      const u32 at = result();
      sum(at, out_.first_limb + j);
      processor_.scatter<W>(at, out_, j, piece, p_.plan.n);
      processor_.stored(at, piece.words());
    }
  }

  // v_i in the place of a_i, and its fraction.
  void scale_limb(u32 i) noexcept {
    const u32 limb = from_.first + i;
    const rpu::Modulus& q = p_.fields[limb].q;
    const u128 factor = p_.basis.punctured_inverse(from_, limb);
    if (!exact()) return processor_.run(p_.routine(Routine::scale), std::array{v(i), v(i)}, std::span(&q, 1), std::span(&factor, 1));
    const u128 start = kind_ == Conversion::centred ? u128{1} << (kFractionBits - 1) : 0;
    const u128 reciprocal = u128{p_.basis.fraction(limb)} << (64 - host::bits_of(q.value()));
    const std::array<u128, 5> scalars = {factor, reciprocal, 1, inverse_power(kFractionShift), start};
    const std::array<rpu::Modulus, 3> moduli = {q, kWideModulus, kLowFraction};
    Program& program = p_.routine(i == 0 ? Routine::first_fraction : Routine::fraction);
    processor_.run(program, std::array{v(i), fractions(), v(i)}, moduli, std::span(scalars).first(program.kernel->scalars));
  }

  void sum(u32 at, u32 limb) noexcept {
    const rpu::Modulus& q = p_.fields[limb].q;
    std::array<u64, kMostLimbs> weights;
    p_.basis.punctured_products(from_, limb, std::span(weights).first(from_.count));
    u32 next = exact() ? 0 : 1;
    const u128 first = exact() ? q.subtract(0, p_.basis.product(from_, limb)) : weights[0];
    processor_.run(p_.routine(Routine::scale), std::array{at, exact() ? fractions() : v(0)}, std::span(&q, 1), std::span(&first, 1));
    const std::vector<Program*>& sums = p_.sum(Routine::scaled_sum);
    for (u32 terms = 0; next < from_.count; next += terms) {
      terms = std::bit_floor(std::min(from_.count - next, 1u << (sums.size() - 1)));
      std::array<u32, rpu::kRegisters> places = {at};
      std::array<u128, rpu::kRegisters> scalars;
      for (u32 i = 0; i < terms; ++i) {
        places[1 + i] = v(next + i);
        scalars[i] = weights[next + i];
      }
      processor_.run(*sums[static_cast<u32>(std::countr_zero(terms))], std::span(places).first(1 + terms), std::span(&q, 1), std::span(scalars).first(terms));
    }
  }

  void copy_own() noexcept {
    const u32 n = p_.plan.n;
    for (u32 j = 0; j < out_.limbs; ++j) {
      const u32 limb = out_.first_limb + j;
      if (!is_own(limb)) continue;
      for (u32 b = 0; b < out_.batch; ++b) with_word(p_.plan.word, [&]<class W>(W) { copy(host::limb_words<W>(out_, b, j, n), host::limb_words<W>(a_, b, limb - from_.first, n)); });
    }
  }
  template <class W>
  void copy(W* to, const W* from) noexcept {
    if (to == from) return;
    std::copy(from, from + p_.plan.n, to);
    processor_.copied_words(p_.plan.n);
  }

  const Prepared& p_;
  Processor& processor_;
  const View &out_, &a_;
  Conversion kind_;
  Limbs from_;
  u32 sets_ = 1, set_ = 0, turn_ = 0, results_ = 0;
};

}  // namespace

void base_convert(const Prepared& p, const View& out, const View& a, Conversion kind) noexcept { Converter(p, out, a, kind).all(); }

}  // namespace ringfort::rpu_host
