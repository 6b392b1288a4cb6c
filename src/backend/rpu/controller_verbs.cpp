// SPDX-License-Identifier: Apache-2.0
// What the controller does without the processor: the host's link, the key stream of public polynomials [RFC8439], and the
// permutations of automorphisms, which no stride of the vector memory makes. Signs of permuted coefficients cost nothing more.
#include <bit>

#include "backend/rpu/verbs.h"
#include "math/random.h"

namespace ringfort::rpu_host {
namespace {

u64 words_of(const Prepared& p, const View& view) noexcept { return host::words_in(view, p.plan.n); }

u32 reversed(u32 value, u32 bits) noexcept {
  u32 result = 0;
  for (u32 i = 0; i < bits; ++i) result |= (value >> i & 1) << (bits - 1 - i);
  return result;
}

// x^i becomes x^(i galois), and x^n is -1.
template <class W>
void permute_coefficients(W* out, const W* a, u32 n, u32 galois, W q) noexcept {
  for (u32 i = 0; i < n; ++i) {
    const u32 power = static_cast<u32>(u64{i} * galois % (2 * n));
    out[power % n] = power < n || a[i] == 0 ? a[i] : q - a[i];
  }
}

// Place j holds the value at psi^(2 reversed(j) + 1).
template <class W>
void permute_evaluations(W* out, const W* a, u32 n, u32 galois) noexcept {
  const u32 bits = static_cast<u32>(std::countr_zero(n));
  for (u32 j = 0; j < n; ++j) {
    const u32 power = static_cast<u32>(u64{2 * reversed(j, bits) + 1} * galois % (2 * n));
    out[j] = a[reversed(power / 2, bits)];
  }
}

template <class F>
void for_each_limb(const View& view, F f) noexcept {
  for (u32 b = 0; b < view.batch; ++b) {
    for (u32 limb = 0; limb < view.limbs; ++limb) f(b, limb);
  }
}

}  // namespace

void upload(const Prepared& p, const View& to, const void* words) noexcept {
  with_word(p.plan.word, [&]<class W>(W) { host::copy_in<W>(to, p.plan.n, words); });
  p.processor->host_words(words_of(p, to), word_bytes(p.plan.word));
}

void download(const Prepared& p, const View& from, void* words) noexcept {
  with_word(p.plan.word, [&]<class W>(W) { host::copy_out<W>(from, p.plan.n, words); });
  p.processor->host_words(words_of(p, from), word_bytes(p.plan.word));
}

void expand_uniform(const Prepared& p, const View& out, const Expansion& from) noexcept {
  const u32 n = p.plan.n;
  with_word(p.plan.word, [&]<class W>(W) {
    for_each_limb(out, [&](u32 b, u32 limb) {
      const StreamAddress address{Purpose::uniform_a, from.object, static_cast<u16>(out.first_limb + limb), static_cast<u16>(from.first_digit + b)};
      const W q = static_cast<W>(p.plan.moduli[out.first_limb + limb]);
      sample_uniform(from.seed, address, q, 0, std::span<W>(host::limb_words<W>(out, b, limb, n), n));
    });
  });
  const u64 bytes_a_coefficient = p.plan.word == Word::u128 ? 32 : 16;           // math/random.h
  p.processor->expanded_words(words_of(p, out), words_of(p, out) * bytes_a_coefficient);
}

void automorphism(const Prepared& p, const View& out, const View& a, u32 galois, Domain domain) noexcept {
  const u32 n = p.plan.n;
  with_word(p.plan.word, [&]<class W>(W) {
    for_each_limb(out, [&](u32 b, u32 limb) {
      W* to = host::limb_words<W>(out, b, limb, n);
      const W* from = host::limb_words<W>(a, b, limb, n);
      if (domain == Domain::coefficient) permute_coefficients(to, from, n, galois, static_cast<W>(p.plan.moduli[out.first_limb + limb]));
      else permute_evaluations(to, from, n, galois);
    });
  });
  p.processor->permuted_words(words_of(p, out));
}

}  // namespace ringfort::rpu_host
