// SPDX-License-Identifier: Apache-2.0
// Hybrid key switching [HanKi20]: a polynomial d of a level is cut into centred RNS digits over special and data primes
// (decompose: once), and a key turns them into (u_0, u_1) with u_0 + u_1 s = d s' + small (apply: once for every key). Where there
// is one key, `run` does both with less memory traffic, and the same bits.
// Rotations of one polynomial share its digits ("hoisting" [HaleviShoup18]): keys are for s(x^(1/g)), and x -> x^g comes last, so
// that a hoisted rotation is bit for bit the rotation alone.
#pragma once

#include "rlwe/keys.h"

namespace ringfort {

class KeySwitcher {
 public:
  KeySwitcher(const KeyContext::State& context, Workspace& work) : c_(context), work_(work) {}

  // `polynomial`: one, over data(level). Fills Room::digits.
  void decompose(Slice<Eval> polynomial, u32 level) const;
  // What decompose left; out: 2 polynomials over data(level). Uses Room::sum and Room::dropped.
  void apply(Slice<Eval> out, const SwitchKey& key, u32 level) const;
  // Both; what is in Room::digits afterwards is not defined.
  void run(Slice<Eval> out, Slice<Eval> polynomial, const SwitchKey& key, u32 level) const;

 private:
  [[nodiscard]] Decomposed prepare(Slice<Eval> polynomial, u32 level) const;
  [[nodiscard]] Slice<Eval> rows(const SwitchKey& key, u32 level) const;
  void finish(Slice<Eval> out, Slice<Eval> sum) const;
  const KeyContext::State& c_;
  Workspace& work_;
};

}  // namespace ringfort
