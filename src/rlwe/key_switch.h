// SPDX-License-Identifier: Apache-2.0
// Hybrid key switching [HanKi20]: a polynomial d of a level is cut into centred RNS digits over special and data primes
// (mod_up: once), a key makes a sum of them (inner_product: once for every key), and that divided by the special primes
// is (u_0, u_1) with u_0 + u_1 s = d s' + small (mod_down). Where there is one key, `key_switch` does the first two
// with less memory traffic, and the same bits. Rotations of one polynomial share its digits ("hoisting"
// [HaleviShoup18]): keys are for s(x^(1/g)), and x -> x^g comes last, so that a hoisted rotation is bit for bit the
// rotation alone.
#pragma once

#include "rlwe/keys.h"

namespace ringfort {

class KeySwitcher {
 public:
  KeySwitcher(const KeyContext::State& context, Workspace& work, u32 level) : c_(context), work_(work), level_(level) {}

  // `polynomial`: one, over the data primes of the level.
  [[nodiscard]] Scratch<Eval> mod_up(Slice<Eval> polynomial) const;
  // The sum: 2 polynomials over special and data primes.
  [[nodiscard]] Scratch<Eval> inner_product(Slice<Eval> digits, const KeySwitchingKey& key) const;
  // Of several polynomials: a sum for each, one after another.
  [[nodiscard]] Scratch<Eval> key_switch(Slice<Eval> polynomials, const KeySwitchingKey& key) const;
  // out: as many polynomials as the sums have, over the data primes of the level; an automorphism ends what is in
  // `sum`.
  void mod_down(Slice<Eval> out, Slice<Eval> sum) const;
  void mod_down(Slice<Eval> out, Slice<Eval> sum, const Epilogue<Eval>& after) const;
  // The sum divided, the addend, and that divided by the primes of the level: `out` is a level lower. What is in `sum`
  // ends.
  void divide_and_rescale(Slice<Eval> out, Slice<Eval> sum, Slice<Eval> addend) const;

 private:
  [[nodiscard]] Scratch<Eval> allocate_sum(u32 count) const;
  [[nodiscard]] Scratch<Eval> allocate_digits(u32 count) const;
  [[nodiscard]] Scratch<Eval> allocate_digits_of_sum(u32 count) const;
  [[nodiscard]] Slice<Eval> rows(const KeySwitchingKey& key) const;
  // f(the polynomials in both domains, with room for their digits)
  template <class F>
  void with_coefficients(Slice<Eval> polynomials, Slice<Eval> digits, F f) const;
  const KeyContext::State& c_;
  Workspace& work_;
  u32 level_;
};

}  // namespace ringfort
