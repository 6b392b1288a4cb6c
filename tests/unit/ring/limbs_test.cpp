// SPDX-License-Identifier: Apache-2.0
// Compares rings of many limbs with integers of 128 bits, on every device. The tests cover uploads, division by dropped
// primes (mod_down), tensor products (a0 + a1 s)(b0 + b1 s), slices of limbs, and automorphisms x -> x^g.
#include <gtest/gtest.h>

#include "math/prime.h"
#include "ring/ring.h"
#include "ringfort/error.h"
#include "support/devices.h"
#include "support/vectors.h"

namespace ringfort {
namespace {

constexpr u32 kDegree = 64;

Ring make_ring(std::string_view device, Word word, u32 bits, std::size_t limbs) {
  return {Device::open(device), Plan{kDegree, word, ntt_primes(bits, kDegree, limbs).take()}};
}

i128 product_of(const Ring& ring, Limbs limbs) {
  i128 product = 1;
  for (u32 i = limbs.first; i < limbs.end(); ++i) product *= static_cast<i128>(ring.basis()[i].value());
  return product;
}

// Returns random integers in (-bound / 2, bound / 2]. They include both ends of the interval, and zero.
std::vector<i128> integers(i128 bound, std::size_t count, u64 seed) {
  std::vector<i128> values(count);
  for (i128& value : values) {
    const u128 wide = u128{testing::splitmix64(seed)} << 64 | testing::splitmix64(seed + 1);
    value = static_cast<i128>(wide % static_cast<u128>(bound)) - (bound - 1) / 2;
    seed += 2;
  }
  values[0] = bound / 2;
  values[1] = -((bound - 1) / 2);
  values[2] = 0;
  return values;
}

// Downloads the polynomials one after another. Returns their coefficients as centred integers.
template <class D>
std::vector<i128> composed(const Ring& ring, Slice<D> slice) {
  Staging staging(ring.n());
  const std::size_t words = std::size_t{slice.limbs().count} * ring.n();
  std::vector<u64> residues(words * slice.batch());
  ring.download(Stream{}, slice, std::span<u64>(residues), staging);
  std::vector<i128> values(std::size_t{slice.batch()} * ring.n());
  for (std::size_t p = 0; p < slice.batch(); ++p) {
    ring.basis().compose_centred(slice.limbs(), std::span<const u64>(residues).subspan(p * words, words),
                                 std::span(values).subspan(p * ring.n(), ring.n()));
  }
  return values;
}

struct Rings : ::testing::TestWithParam<std::string_view> {
  std::vector<Ring> rings;
  Rings() {
    rings.push_back(make_ring(GetParam(), Word::u32, 31, 4));
    rings.push_back(make_ring(GetParam(), Word::u32, 20, 6));
    rings.push_back(make_ring(GetParam(), Word::u64, 40, 3));
    rings.push_back(make_ring(GetParam(), Word::u64, 62, 2));
  }
};

TEST_P(Rings, SignedIntegersComeBack) {
  for (const Ring& ring : rings) {
    Staging staging(kDegree);
    const auto poly = ring.make<Coeff>(2);
    const std::vector<i128> wide = integers(product_of(ring, ring.limbs()), 2 * kDegree, 5);
    ring.lift(Stream{}, poly.all(), std::span(wide));
    EXPECT_EQ(composed(ring, poly.all()), wide);
    std::vector<i64> narrow(2 * kDegree);
    for (std::size_t i = 0; i < narrow.size(); ++i) narrow[i] = static_cast<i64>(wide[i] >> 70) - (i % 2 == 0 ? 1 : 0);
    const i64 ends[] = {INT64_MAX, INT64_MIN, 0, -1, 1};
    std::copy(std::begin(ends), std::end(ends), narrow.begin());
    ring.lift(Stream{}, poly.all(), std::span<const i64>(narrow));
    EXPECT_EQ(composed(ring, poly.all()), std::vector<i128>(narrow.begin(), narrow.end()));
  }
}

// Returns (x - t c) / P, where c is x t^(-1) mod P in (-P/2, P/2). This is the quotient of mod_down. It differs from x
// / P by at most t / 2, and equals x P^(-1) modulo t. `product` is P and `plain` is t. The function uses 128-bit
// arithmetic.
i128 divided(i128 x, i128 product, u64 plain) {
  i128 inverse = 0;  // inverse of t mod P, by Euclid's algorithm
  for (i128 r0 = product, r1 = plain % product, s0 = 0, s1 = 1; r1 != 0;) {
    const i128 quotient = r0 / r1, r2 = r0 - quotient * r1, s2 = s0 - quotient * s1;
    r0 = r1, r1 = r2, s0 = s1, s1 = s2;
    inverse = s0;
  }
  // x t^(-1) mod P, computed by doubling, because the product would overflow
  i128 c = 0;
  i128 factor = ((inverse % product) + product) % product;
  for (i128 term = ((x % product) + product) % product; factor != 0; factor >>= 1, term = 2 * term % product) {
    if (factor & 1) c = (c + term) % product;
  }
  if (c > product / 2) c -= product;
  return (x - static_cast<i128>(plain) * c) / product;
}

template <class D>
void expect_division(const Ring& ring, Limbs kept, Limbs dropped, u64 plain) {
  SCOPED_TRACE("limbs " + std::to_string(kept.first) + "+" + std::to_string(kept.count) + " plain " +
               std::to_string(plain));
  Staging staging(kDegree);
  const i128 all = product_of(ring, ring.limbs()), product = product_of(ring, dropped);
  const std::vector<i128> values = integers(all / 4, 3 * kDegree, 9);
  std::vector<i128> expected;
  for (const i128 x : values) expected.push_back(divided(x, product, plain));
  auto a = ring.make<Coeff>(3);
  const auto out = ring.make<D>(3, kept);
  const auto scratch = ring.make<Coeff>(3, dropped);
  ring.lift(Stream{}, a.all(), std::span(values));
  if constexpr (std::is_same_v<D, Eval>) {
    const auto transformed = ring.forward(Stream{}, std::move(a));
    ring.mod_down(Stream{}, out.all(), transformed.all(), scratch.all(), plain);
    EXPECT_EQ(composed(ring, ring.inverse(Stream{}, out.all())), expected);
  } else {
    ring.mod_down(Stream{}, out.all(), a.all(), scratch.all(), plain);
    EXPECT_EQ(composed(ring, out.all()), expected);
    EXPECT_EQ(composed(ring, a.all()), values) << "the operand must not change";
  }
}

TEST_P(Rings, ModDownDividesByTheFirstAndTheLastLimbs) {
  for (const Ring& ring : rings) {
    const u32 count = ring.limbs().count;
    for (const u64 plain : {u64{1}, u64{257}, u64{65537}}) {
      if (plain > 1 && count < 3) continue;  // t c may exceed the product of the primes that are kept
      expect_division<Coeff>(ring, {1, count - 1}, {0, 1}, plain);
      expect_division<Coeff>(ring, {0, count - 1}, {count - 1, 1}, plain);
      expect_division<Eval>(ring, {1, count - 1}, {0, 1}, plain);
      expect_division<Eval>(ring, {0, count - 1}, {count - 1, 1}, plain);
      if (count > 2) expect_division<Eval>(ring, {2, count - 2}, {0, 2}, 1);
      if (count > 2) expect_division<Coeff>(ring, {0, count - 2}, {count - 2, 2}, 1);
    }
  }
}

// Returns p(x^galois) of each polynomial p.
std::vector<i128> after_automorphism(const std::vector<i128>& values, u32 galois) {
  std::vector<i128> out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t exponent = i % kDegree * galois % (2 * kDegree);
    out[i / kDegree * kDegree + exponent % kDegree] = exponent < kDegree ? values[i] : -values[i];
  }
  return out;
}

TEST_P(Rings, ModDownAddsToTheFirstQuotientsAndAppliesAnAutomorphism) {
  const Ring& ring = rings[2];
  const Limbs dropped{0, 1}, kept{1, 2};
  const i128 product = product_of(ring, dropped);
  const std::vector<i128> values = integers(product_of(ring, ring.limbs()) / 4, 2 * kDegree, 9),
                          addends = integers(product_of(ring, kept) / 8, kDegree, 10);
  std::vector<i128> sums;
  for (std::size_t i = 0; i < values.size(); ++i)
    sums.push_back(divided(values[i], product, 1) + (i < kDegree ? addends[i] : 0));
  for (const u32 galois : {1u, 5u, 2 * kDegree - 1}) {
    auto a = ring.make<Coeff>(2), addend = ring.make<Coeff>(1);
    const auto out = ring.make<Eval>(2, kept);
    const auto scratch = ring.make<Coeff>(2, dropped);
    ring.lift(Stream{}, a.all(), std::span(values));
    ring.lift(Stream{}, addend.all(), std::span(addends));
    const auto a_hat = ring.forward(Stream{}, std::move(a)), addend_hat = ring.forward(Stream{}, std::move(addend));
    ring.mod_down(Stream{}, out.all(), a_hat.all(), scratch.all(), 1, {addend_hat.limbs(kept), galois});
    EXPECT_EQ(composed(ring, ring.inverse(Stream{}, out.all())), after_automorphism(sums, galois)) << galois;
  }
}

TEST_P(Rings, ModDownRescaleIsTwoDivisions) {
  const Ring& ring = rings[2];
  const i128 special = product_of(ring, {0, 1}), last = product_of(ring, {2, 1});
  for (const u64 plain : {u64{1}, u64{257}}) {
    const std::vector<i128> values = integers(product_of(ring, ring.limbs()) / 4, 2 * kDegree, 9),
                            addends = integers(product_of(ring, {1, 2}) / 8, kDegree, 10);
    std::vector<i128> expected;
    for (std::size_t i = 0; i < values.size(); ++i)
      expected.push_back(divided(divided(values[i], special, plain) + (i < kDegree ? addends[i] : 0), last, plain));
    auto a = ring.make<Coeff>(2), addend = ring.make<Coeff>(1);
    const auto out = ring.make<Eval>(2, Limbs{1, 1});
    const auto scratch = ring.make<Coeff>(2);
    ring.lift(Stream{}, a.all(), std::span(values));
    ring.lift(Stream{}, addend.all(), std::span(addends));
    const auto a_hat = ring.forward(Stream{}, std::move(a)), addend_hat = ring.forward(Stream{}, std::move(addend));
    ring.mod_down_rescale(Stream{}, out.all(), a_hat.all(), scratch.all(), plain, addend_hat.limbs({1, 2}));
    EXPECT_EQ(composed(ring, ring.inverse(Stream{}, out.all())), expected) << plain;
  }
}

// Computes sum += a b mod x^n + 1.
void add_product(const i128* a, const i128* b, i128* sum) {
  for (std::size_t i = 0; i < kDegree; ++i) {
    for (std::size_t j = 0; j < kDegree; ++j) sum[(i + j) % kDegree] += i + j < kDegree ? a[i] * b[j] : -a[i] * b[j];
  }
}

TEST_P(Rings, TensorIsTheProductOfTwoLinearPolynomials) {
  for (const Ring& ring : rings) {
    Staging staging(kDegree);
    std::vector<i64> small(4 * kDegree);
    for (std::size_t i = 0; i < small.size(); ++i) small[i] = static_cast<i64>(testing::splitmix64(i) % 2001) - 1000;
    auto a = ring.make<Coeff>(4), b = ring.make<Coeff>(4);
    ring.lift(Stream{}, a.all(), std::span<const i64>(small));
    const std::vector<i64> reversed(small.rbegin(), small.rend());
    ring.lift(Stream{}, b.all(), std::span<const i64>(reversed));
    const std::vector<i128> x = composed(ring, a.all()), y = composed(ring, b.all());
    const auto a_hat = ring.forward(Stream{}, std::move(a)), b_hat = ring.forward(Stream{}, std::move(b));
    auto out = ring.make<Eval>(6);
    ring.tensor(Stream{}, out.all(), a_hat.all(), b_hat.all());
    const std::vector<i128> got = composed(ring, ring.inverse(Stream{}, out.all()));
    std::vector<i128> expected(6 * kDegree);
    for (std::size_t term = 0; term < 8; ++term) {
      const std::size_t pair = term / 4, left = term / 2 % 2, right = term % 2;
      add_product(&x[(2 * pair + left) * kDegree], &y[(2 * pair + right) * kDegree],
                  &expected[(3 * pair + left + right) * kDegree]);
    }
    EXPECT_EQ(got, expected);
  }
}

TEST_P(Rings, AutomorphismsComposeAsTheirExponentsMultiply) {
  for (const Ring& ring : rings) {
    Staging staging(kDegree);
    const std::vector<i128> values = integers(1 << 20, kDegree, 3);
    for (const u32 g : {3u, 5u, 127u}) {
      for (const u32 h : {5u, 27u, 65u}) {
        const auto a = ring.make<Coeff>(1), once = ring.make<Coeff>(1), twice = ring.make<Coeff>(1),
                   both = ring.make<Coeff>(1);
        ring.lift(Stream{}, a.all(), std::span(values));
        ring.automorphism(Stream{}, once.all(), a.all(), g);
        ring.automorphism(Stream{}, twice.all(), once.all(), h);
        ring.automorphism(Stream{}, both.all(), a.all(), g * h % (2 * kDegree));
        EXPECT_EQ(composed(ring, twice.all()), composed(ring, both.all())) << g << " then " << h;
      }
    }
  }
}

TEST_P(Rings, AutomorphismsCommuteWithTheTransform) {
  for (const Ring& ring : rings) {
    Staging staging(kDegree);
    const std::vector<i128> values = integers(1 << 20, kDegree, 3);
    for (const u32 g : {1u, 3u, 5u, 25u, 63u, 65u, 127u}) {
      auto a = ring.make<Coeff>(1), moved = ring.make<Coeff>(1);
      auto out = ring.make<Eval>(1);
      ring.lift(Stream{}, a.all(), std::span(values));
      ring.automorphism(Stream{}, moved.all(), a.all(), g);
      const auto transformed = ring.forward(Stream{}, std::move(a));
      ring.automorphism(Stream{}, out.all(), transformed.all(), g);
      EXPECT_EQ(composed(ring, ring.inverse(Stream{}, std::move(out)).all()), composed(ring, moved.all())) << g;
    }
  }
}

TEST_P(Rings, SlicesOfLimbsAreTheSameMemory) {
  const Ring& ring = rings[1];
  Staging staging(kDegree);
  const auto poly = ring.make<Coeff>(3);
  const std::vector<i128> values = integers(product_of(ring, {2, 3}), kDegree, 3);
  ring.lift(Stream{}, poly.polynomials(1, 1).limbs({2, 3}), std::span(values));
  EXPECT_EQ(composed(ring, poly.limbs({2, 3}).polynomials(1, 1)), values);
  EXPECT_EQ(composed(ring, poly.polynomials(1, 2).limbs({1, 4}).limbs({2, 3}).polynomials(0, 1)), values);
  EXPECT_EQ(composed(ring, poly.limbs({0, 2})), std::vector<i128>(3 * kDegree, 0));
  ring.multiply_scalar(Stream{}, poly.limbs({2, 3}), poly.limbs({2, 3}), ~u64{0});
  EXPECT_NE(composed(ring, poly.limbs({2, 3}).polynomials(1, 1)), values);
  std::vector<u64> inverses;
  for (u32 i = 2; i < 5; ++i) inverses.push_back(ring.basis()[i].inverse(ring.basis()[i].reduce(~u64{0})));
  ring.multiply_scalar(Stream{}, poly.limbs({2, 3}), poly.limbs({2, 3}), std::span<const u64>(inverses));
  EXPECT_EQ(composed(ring, poly.limbs({2, 3}).polynomials(1, 1)), values);
}

TEST_P(Rings, ConversionThereAndBackIsTheIdentity) {
  for (const Ring& ring : rings) {
    const u32 count = ring.limbs().count, half = count / 2;
    Staging staging(kDegree);
    const Limbs from{0, half}, to{half, count - half};
    auto values = integers(product_of(ring, from) - 2, kDegree, 3);
    for (i128& value : values) value = value / 2;  // keeps the values away from the ends of the intervals of both bases
    const auto poly = ring.make<Coeff>(1), back = ring.make<Coeff>(1);
    ring.lift(Stream{}, poly.limbs(from), std::span(values));
    ring.base_convert(Stream{}, poly.limbs(to), poly.limbs(from), Conversion::centred);
    EXPECT_EQ(composed(ring, poly.limbs(to)), values);
    ring.base_convert(Stream{}, back.all(), poly.limbs(to), Conversion::centred);
    EXPECT_EQ(composed(ring, back.all()), values);
  }
}

template <class Verb>
Code refusal(Verb verb) {
  try {
    verb();
  } catch (const Error& error) { return error.code(); }
  return Code::invalid_argument;  // the call was not refused
}

TEST_P(Rings, ModDownRefusesWhatDoesNotGoTogether) {
  const Ring& ring = rings[2];
  const auto a = ring.make<Coeff>(2), out = ring.make<Coeff>(2), scratch = ring.make<Coeff>(2);
  const auto code = [&](Slice<Coeff> to, Slice<Coeff> from, Slice<Coeff> space, u64 plain) {
    return refusal([&] { ring.mod_down(Stream{}, to, from, space, plain); });
  };
  EXPECT_EQ(code(out.limbs({1, 2}), a.all(), scratch.limbs({0, 1}), 1), Code::invalid_argument);
  EXPECT_EQ(code(out.limbs({1, 1}), a.all(), scratch.limbs({0, 1}), 1), Code::internal) << "limbs in the middle";
  EXPECT_EQ(code(out.limbs({1, 2}), a.all(), scratch.limbs({2, 1}), 1), Code::internal)
      << "scratch memory of other limbs";
  EXPECT_EQ(code(out.limbs({1, 2}), a.all(), scratch.polynomials(0, 1).limbs({0, 1}), 1), Code::internal)
      << "scratch memory of one polynomial";
  EXPECT_EQ(code(out.all(), a.all(), scratch.all(), 1), Code::internal) << "no limb dropped";
  EXPECT_EQ(code(out.limbs({1, 2}), a.all(), scratch.limbs({0, 1}), ring.basis()[0].value()), Code::unsupported)
      << "t = 0 mod P";
  const auto addend = ring.make<Coeff>(3);
  const auto after = [&](Slice<Coeff> added, u32 galois) {
    return refusal(
        [&] { ring.mod_down(Stream{}, out.limbs({1, 2}), a.all(), scratch.limbs({0, 1}), 1, {added, galois}); });
  };
  EXPECT_EQ(after(addend.polynomials(0, 2).limbs({1, 2}), 3), Code::invalid_argument);
  EXPECT_EQ(after(addend.limbs({1, 2}), 1), Code::internal) << "more addends than quotients";
  EXPECT_EQ(after(addend.polynomials(0, 2).limbs({0, 2}), 1), Code::internal) << "an addend with dropped limbs";
  EXPECT_EQ(after(out.limbs({1, 2}), 1), Code::internal) << "an addend in the output";
  EXPECT_EQ(after(addend.polynomials(0, 2).limbs({1, 2}), 4), Code::internal) << "an even exponent";
  EXPECT_EQ(after(addend.polynomials(0, 2).limbs({1, 2}), 2 * kDegree + 1), Code::internal)
      << "an exponent that is too large";
}

TEST_P(Rings, ModDownRescaleRefusesWhatDoesNotGoTogether) {
  const Ring& ring = rings[2];
  const auto a = ring.make<Eval>(2), out = ring.make<Eval>(2), addend = ring.make<Eval>(2);
  const auto scratch = ring.make<Coeff>(2);
  const Slice<Eval> added = addend.limbs({1, 2});
  const auto code = [&](Slice<Eval> to, Slice<Eval> from, Slice<Coeff> memory, u64 plain, Slice<Eval> with) {
    return refusal([&] { ring.mod_down_rescale(Stream{}, to, from, memory, plain, with); });
  };
  EXPECT_EQ(code(out.limbs({1, 1}), a.all(), scratch.all(), 1, added), Code::invalid_argument);
  EXPECT_EQ(code(out.limbs({0, 2}), a.all(), scratch.all(), 1, added), Code::internal) << "no special limb to drop";
  EXPECT_EQ(code(out.limbs({1, 2}), a.all(), scratch.all(), 1, added), Code::internal) << "no last limb to drop";
  EXPECT_EQ(code(out.limbs({1, 1}), a.all(), scratch.limbs({0, 2}), 1, added), Code::internal)
      << "scratch memory of fewer limbs";
  EXPECT_EQ(code(out.polynomials(0, 1).limbs({1, 1}), a.all(), scratch.all(), 1, added), Code::internal)
      << "one polynomial";
  EXPECT_EQ(code(out.limbs({1, 1}), a.all(), scratch.all(), 1, addend.limbs({1, 1})), Code::internal)
      << "an addend without the last limb";
  EXPECT_EQ(code(out.limbs({1, 1}), a.all(), scratch.all(), 1, a.limbs({1, 2})), Code::internal)
      << "an addend in the operand";
  EXPECT_EQ(code(out.limbs({1, 1}), a.all(), scratch.all(), ring.basis()[2].value(), added), Code::unsupported)
      << "t = 0 mod the last prime";
}

TEST_P(Rings, KeySwitchRefusesWhatDoesNotGoTogether) {
  const Ring& ring = rings[2];  // one special prime, two digits
  const auto a = ring.make<Eval>(2), out = ring.make<Eval>(2), scratch = ring.make<Eval>(2), key = ring.make<Eval>(4);
  const auto coefficients = ring.make<Coeff>(1);
  const Slice<Eval> one = a.polynomials(0, 1).limbs({1, 2});
  const Slice<Coeff> same = coefficients.limbs({1, 2});
  struct Input {
    Slice<Eval> a;
    Slice<Coeff> coefficients;
    Slice<Eval> digits;
    u32 digit_limbs;
  };
  const auto code = [&](Slice<Eval> to, const Input& from, Slice<Eval> rows) {
    return refusal([&] {
      ring.device().run(Stream{}, verb::KeySwitch{.out = to.view(),
                                                  .a = from.a.view(),
                                                  .coefficients = from.coefficients.view(),
                                                  .digits = from.digits.view(),
                                                  .key = rows.view(),
                                                  .digit_limbs = from.digit_limbs});
    });
  };
  EXPECT_EQ(code(out.all(), {one, same, scratch.all(), 1}, key.all()), Code::invalid_argument);
  EXPECT_EQ(code(out.all(), {one, same, scratch.all(), 0}, key.all()), Code::internal) << "digits of no limbs";
  EXPECT_EQ(code(out.all(), {one, same, scratch.all(), 2}, key.all()), Code::internal)
      << "scratch memory for another number of digits";
  EXPECT_EQ(code(out.all(), {one, same, scratch.all(), 1}, key.polynomials(0, 3)), Code::internal)
      << "a row of the key is missing";
  EXPECT_EQ(code(out.limbs({0, 2}), {one, same, scratch.limbs({0, 2}), 1}, key.limbs({0, 2})), Code::internal)
      << "an output without some of the limbs";
  EXPECT_EQ(code(out.all(), {a.limbs({1, 2}), same, scratch.all(), 1}, key.all()), Code::internal) << "two polynomials";
  EXPECT_EQ(code(out.all(), {one, same, scratch.limbs({2, 1}), 1}, key.all()), Code::invalid_argument)
      << "scratch memory for one limb suffices";
  EXPECT_EQ(code(out.all(), {one, same, scratch.limbs({2, 0}), 1}, key.all()), Code::internal) << "no scratch memory";
  const Slice<Eval> lower = a.polynomials(0, 1).limbs({1, 1});
  EXPECT_EQ(code(out.limbs({0, 2}), {lower, coefficients.limbs({1, 1}), scratch.polynomials(0, 1), 1},
                 key.polynomials(0, 2).limbs({0, 2})),
            Code::internal)
      << "more scratch memory than limbs";
}

INSTANTIATE_TEST_SUITE_P(AllDevices, Rings, ::testing::ValuesIn(ringfort::testing::general_devices()));

}  // namespace
}  // namespace ringfort
