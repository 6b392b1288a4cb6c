// SPDX-License-Identifier: Apache-2.0
// Hybrid key switching [HanKi20], and relinearization. Products and rotations contain a term a s' with another secret
// s'. Key switching replaces it by a pair of polynomials for the secret s. `mod_up` cuts a polynomial `a` into centred
// digits (coefficients around zero), and computes each digit modulo the special primes and the data primes.
// `inner_products` sums the products of digits and rows of a key. `mod_down` divides the sum by the special primes. If
// the key encrypts P g_d s' (keys.h) under s for each digit d, the result (u0, u1) satisfies u0 + u1 s = a s' plus a
// small error. `key_switch` does the work of `mod_up` and `inner_products` for one key. It gives the same result with
// fewer accesses to memory.
//
// Several rotations of one polynomial can share its digits ("hoisting" [HaleviShoup18]). Each rotation then needs a key
// from s to s(x^(1/g)), and applies the automorphism x -> x^g as its last step. A single rotation has the same order of
// steps. Therefore it gives the same bits as a hoisted rotation.
#pragma once

#include <span>
#include <vector>

#include "rlwe/ciphertext.h"

namespace ringfort {

class KeySwitcher {
 public:
  KeySwitcher(const KeyContext::State& context, Workspace& work, u32 level) : c_(context), work_(work), level_(level) {}

  // Returns the digits of one polynomial, over the special primes and the data primes of the level.
  [[nodiscard]] Scratch<Eval> mod_up(Slice<Eval> polynomial) const;
  // Returns the inner product of the digits with each key. An inner product has 2 polynomials over special and data
  // primes. sums_at_once() is the number of keys that one call handles best.
  [[nodiscard]] std::size_t sums_at_once() const;
  [[nodiscard]] std::vector<Scratch<Eval>> inner_products(Slice<Eval> digits,
                                                          std::span<const KeySwitchingKey* const> keys) const;
  // Returns one inner product for each polynomial, in order.
  [[nodiscard]] Scratch<Eval> key_switch(Slice<Eval> polynomials, const KeySwitchingKey& key) const;
  // Divides by the special primes. `out` has as many polynomials as `sum`, over the data primes of the level. If
  // `after` has an automorphism, the call clobbers `sum`.
  void mod_down(Slice<Eval> out, Slice<Eval> sum) const;
  void mod_down(Slice<Eval> out, Slice<Eval> sum, const Epilogue<Eval>& after) const;
  // Divides the sum by the special primes, adds the addend, and divides the result by the last group of data primes, as
  // `rescale` does. `out` is one level lower. Clobbers `sum`.
  void mod_down_rescale(Slice<Eval> out, Slice<Eval> sum, Slice<Eval> addend) const;

 private:
  [[nodiscard]] bool works_by_limbs() const;
  [[nodiscard]] Scratch<Eval> allocate_sum(u32 count) const;
  [[nodiscard]] Scratch<Eval> allocate_digits(u32 count) const;
  [[nodiscard]] Scratch<Eval> allocate_digits_of_sum(u32 count) const;
  [[nodiscard]] Slice<Eval> rows(const KeySwitchingKey& key) const;
  // Transforms the polynomials to the coefficient domain and calls f with the result.
  template <class F>
  void with_coefficients(Slice<Eval> polynomials, F f) const;
  const KeyContext::State& c_;
  Workspace& work_;
  u32 level_;
};

// Reduces three components to two. A key switch of c2 gives (u0, u1) with u0 + u1 s = c2 s^2 plus a small error.
// Therefore the phase of (c0 + u0, c1 + u1) is the phase of (c0, c1, c2) plus this error.
[[nodiscard]] RlweCiphertext relinearize(const RlweCiphertext& a, const KeySwitchingKey& key, Workspace& work,
                                         RlweCiphertext&& reuse = {});
// Returns the same bits as relinearize followed by rescale. For a single ciphertext, it needs fewer transforms.
[[nodiscard]] RlweCiphertext relinearize_rescale(const RlweCiphertext& a, const KeySwitchingKey& key, Workspace& work,
                                                 RlweCiphertext&& reuse = {});

}  // namespace ringfort
