// SPDX-License-Identifier: Apache-2.0
// Tests that the domain of a polynomial (coefficients or evaluations) is a type: code that mixes domains does not
// compile. Also tests that small integers get residues modulo every prime, and that devices with short words return the
// right residues.
#include <gtest/gtest.h>

#include "math/prime.h"
#include "ring/ring.h"

namespace ringfort {
namespace {

template <class A, class B>
concept Multiplies = requires(const Ring& ring, Slice<Eval> out, A a, B b) { ring.multiply(Stream{}, out, a, b); };
template <class A, class B>
concept Adds = requires(const Ring& ring, A a, B b) { ring.add(Stream{}, a, a, b); };
template <class A>
concept Transforms = requires(const Ring& ring, A a) { ring.forward(Stream{}, std::move(a)); };
template <class A>
concept Decomposes = requires(const Ring& ring, A a) { ring.decompose(Stream{}, a, a, Gadget{}); };

static_assert(Multiplies<Slice<Eval>, Slice<Eval>>);
static_assert(!Multiplies<Slice<Eval>, Slice<Coeff>>);
static_assert(!Multiplies<Slice<Coeff>, Slice<Coeff>>);
static_assert(Adds<Slice<Eval>, Slice<Eval>> && Adds<Slice<Coeff>, Slice<Coeff>>);
static_assert(!Adds<Slice<Eval>, Slice<Coeff>> && !Adds<Slice<Coeff>, Slice<Eval>>);
static_assert(Transforms<Poly<Coeff>> && !Transforms<Poly<Eval>>);
static_assert(Decomposes<Slice<Coeff>> && !Decomposes<Slice<Eval>>);
static_assert(!std::is_copy_constructible_v<Poly<Coeff>> && !std::is_copy_constructible_v<Buffer>);

Ring make_ring(Word word, u32 bits, u32 n) {
  return {Device::open("ref"), Plan{n, word, {ntt_primes(bits, n, 1).take()[0]}}};
}

TEST(Ring, SmallValuesAreLiftedAndTheAddendIsMaskedIn) {
  for (const Word word : {Word::u32, Word::u64}) {
    const Ring ring = make_ring(word, word == Word::u32 ? 31 : 62, 8);
    Staging staging(8);
    const std::vector<i8> small = {0, 1, -1, 21, -21, 0, 5, -5};
    const std::vector<u64> addend = {ring.q() - 1, ring.q() - 1, 1, 0, 21, 7, 0, 0};
    const auto poly = ring.make<Coeff>(1);
    std::vector<u64> got(8);
    ring.upload_small(Stream{}, poly.all(), {small}, staging);
    ring.download(Stream{}, poly.all(), got, staging);
    const u64 q = ring.q();
    EXPECT_EQ(got, (std::vector<u64>{0, 1, q - 1, 21, q - 21, 0, 5, q - 5}));
    ring.upload_small(Stream{}, poly.all(), {small, addend.data(), ~u64{0}}, staging);
    ring.download(Stream{}, poly.all(), got, staging);
    EXPECT_EQ(got, (std::vector<u64>{q - 1, 0, 0, 21, 0, 7, 5, q - 5}));
    ring.upload_small(Stream{}, poly.all(), {small, addend.data(), 0}, staging);
    ring.download(Stream{}, poly.all(), got, staging);
    EXPECT_EQ(got, (std::vector<u64>{0, 1, q - 1, 21, q - 21, 0, 5, q - 5}));
  }
}

TEST(Ring, ProductWithAMonomialRotatesWithSignChange) {
  const Ring ring = make_ring(Word::u64, 50, 8);
  Staging staging(8);
  auto monomial = ring.make<Coeff>(1), poly = ring.make<Coeff>(2);
  ring.upload_monomial(Stream{}, monomial.all(), 3, staging);
  std::vector<u64> words(16);
  for (u64 i = 0; i < 16; ++i) words[i] = i + 1;
  ring.upload(Stream{}, poly.all(), words, staging);
  auto x3 = ring.forward(Stream{}, std::move(monomial));
  auto transformed = ring.forward(Stream{}, std::move(poly));
  ring.multiply(Stream{}, transformed.all(), transformed.all(), x3.all());  // one polynomial multiplies the whole batch
  poly = ring.inverse(Stream{}, std::move(transformed));
  ring.download(Stream{}, poly.all(), words, staging);
  const u64 q = ring.q();
  EXPECT_EQ(words, (std::vector<u64>{q - 6, q - 7, q - 8, 1, 2, 3, 4, 5, q - 14, q - 15, q - 16, 9, 10, 11, 12, 13}));
}

TEST(Ring, ResiduesComeBackFromANarrowDevice) {
  const Ring ring = make_ring(Word::u32, 31, 16);
  Staging staging(16);
  const auto poly = ring.make<Eval>(3);
  std::vector<u64> words(48), got(48);
  for (u64 i = 0; i < 48; ++i) words[i] = ring.q() - 1 - i;
  ring.upload(Stream{}, poly.all(), words, staging);
  ring.download(Stream{}, poly.all(), got, staging);
  EXPECT_EQ(got, words);
}

}  // namespace
}  // namespace ringfort
