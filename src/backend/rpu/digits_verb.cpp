// SPDX-License-Identifier: Apache-2.0
// Digits of residues (Gadget in backend/verbs.h) on device `rpu`. The lift of a residue to a centred value, its
// rounding, and the extraction of a digit are exact divisions by powers of two (routines.h). kOffset is added to signed
// values. Therefore sums modulo 2^128 - 1 never wrap around.
#include "backend/rpu/verbs.h"

namespace ringfort::rpu_host {
namespace {

class Digits {
 public:
  Digits(const RpuPlan& p, const View& out, const View& a, const Gadget& gadget)
      : p_(p),
        processor_(*p.processor),
        out_(out),
        a_(a),
        gadget_(gadget),
        q_(p.fields[a.limbs.first].q),
        base_(u128{1} << gadget.base_bits) {}

  void record() {
    for (u32 b = 0; b < a_.batch; ++b) {  // one row at a time, because digits of adjacent rows are not adjacent
      for (u32 offset = 0; offset < p_.plan.n; offset += p_.tile)
        decompose_tile({b, 1, offset, std::min(p_.plan.n, p_.tile)});
    }
  }

 private:
  void decompose_tile(const Tile& tile) {
    const u32 value = p_.name(turn_++ % 2);
    processor_.load(value, a_, 0, tile);
    if (gadget_.centred) lift(value);
    if (gadget_.shift != 0) shift(value);
    for (u32 j = 0; j < gadget_.digits; ++j) {
      const u32 digit = p_.name(2 + results_++ % 2);
      if (gadget_.centred && j + 1 == gadget_.digits) last(digit, value);
      else gadget_.centred ? centred(digit, value) : plain(digit, value);
      const Tile to{tile.polynomial * gadget_.digits + j, 1, tile.offset, tile.length};
      processor_.store(digit, out_, 0, to);
    }
  }

  void run_routine(Routine routine, std::array<u32, 2> names, std::span<const rpu::Modulus> moduli,
                   std::span<const u128> scalars) {
    processor_.run_program(p_.routine(routine), names, moduli, scalars);
  }

  void lift(u32 value) {
    const u32 bits = p_.fields[a_.limbs.first].bits;
    const rpu::Modulus power(u128{1} << bits);
    const u128 less = kWideModulus.multiply(kWide - q_.value(), inverse_power(bits));
    run_routine(Routine::lift, {value, value}, std::array{power, kWideModulus},
                std::array<u128, 4>{power.value() - (q_.value() / 2 + 1), 1, less, kOffset});
  }
  void shift(u32 value) {
    const rpu::Modulus power(u128{1} << gadget_.shift);
    const std::array moduli = {power, kWideModulus};
    const u128 inverse = inverse_power(gadget_.shift);
    if (!gadget_.centred) return run_routine(Routine::shift, {value, value}, moduli, std::array<u128, 2>{1, inverse});
    run_routine(Routine::rounded_shift, {value, value}, moduli,
                std::array<u128, 4>{power.value() / 2, 1, inverse, kOffset - (kOffset >> gadget_.shift)});
  }

  void plain(u32 digit, u32 value) {
    run_routine(Routine::digit, {digit, value}, std::array{rpu::Modulus(base_), kWideModulus},
                std::array<u128, 2>{1, inverse_power(gadget_.base_bits)});
  }
  void centred(u32 digit, u32 value) {
    const u128 half = base_ / 2;
    run_routine(Routine::centred_digit, {digit, value}, std::array{rpu::Modulus(base_), kWideModulus, q_},
                std::array<u128, 5>{half, 1, inverse_power(gadget_.base_bits), kOffset - (kOffset >> gadget_.base_bits),
                                    half % q_.value()});
  }
  void last(u32 digit, u32 value) {
    run_routine(Routine::last_digit, {digit, value}, std::span(&q_, 1), std::array<u128, 2>{1, kOffset % q_.value()});
  }

  const RpuPlan& p_;
  Processor& processor_;
  const View &out_, &a_;
  const Gadget& gadget_;
  const rpu::Modulus& q_;
  u128 base_;
  u32 turn_ = 0, results_ = 0;
};

}  // namespace

void decompose(const RpuPlan& p, const View& out, const View& a, const Gadget& gadget) {
  Digits(p, out, a, gadget).record();
}

}  // namespace ringfort::rpu_host
