// SPDX-License-Identifier: Apache-2.0
// Tests that BFV and BGV refuse invalid requests before any work, each with its own code. Also tests the pairs of
// factors that balance a BGV sum. Ciphertexts with the correction factors 1 and b (rlwe/integers/ring.h) are multiplied
// by x and y, so that both have equal factors. The pair must be the smallest that an exhaustive search finds.
#include <limits>
#include <numeric>
#include <random>

#include "rlwe/integers/arithmetic.h"
#include "scheme/bfv/policy.h"
#include "scheme/bgv/policy.h"
#include "support/integers.h"
#include "support/observed.h"
#include "support/refused.h"

namespace ringfort::integers {
namespace {

using ringfort::testing::expect_refused;
using testing::Client;
using testing::Values;

// Returns the smallest max(|x| of_x, y of_y) over all pairs x, y with x = y b mod t.
i64 least_weight(u64 b, u64 t, i64 of_x, i64 of_y) {
  i64 least = std::numeric_limits<i64>::max();
  for (i64 y = 1; y < static_cast<i64>(t); ++y) {
    const i64 x = std::abs(testing::centred(static_cast<i128>(y) * static_cast<i64>(b), t));
    least = std::min(least, std::max(y * of_y, x * of_x));
  }
  return least;
}

// Compares the pair with all other pairs. Also checks the bound on x and y that the choice of BGV's parameters uses.
TEST(Balance, IsTheSmallestWeightedPairForEveryRatio) {
  for (const u64 t : {3u, 17u, 257u}) {
    for (const int heavier : {-9, -3, 0, 1, 5, 12}) {
      const i64 of_x = i64{1} << std::max(heavier, 0), of_y = i64{1} << std::max(-heavier, 0);
      for (u64 b = 1; b < t; ++b) {
        const Balance found = balance(1, b, t, heavier);
        EXPECT_EQ((found.x - found.y * static_cast<i64>(b)) % static_cast<i64>(t), 0) << b;
        const i64 least = least_weight(b, t, of_x, of_y);
        const i64 larger = std::max(std::abs(found.x) * of_x, found.y * of_y);
        EXPECT_EQ(larger, least) << b << " mod " << t << ", " << heavier;
        const i64 balanced = of_x * of_y;
        EXPECT_TRUE(balanced > static_cast<i64>(t) || larger * larger <= static_cast<i64>(t) * balanced) << b;
      }
    }
  }
}

// Modulo a composite t, a factor that is not coprime to t would lose a part of the message.
TEST(Balance, IsCoprimeToEveryModulusAndNoLargerThanStated) {
  for (const u64 t : {2u, 4u, 6u, 9u, 36u, 210u, 256u, 1001u, 1024u}) {
    for (const int heavier : {-9, -3, 0, 1, 5, 12}) {
      const i64 of_x = i64{1} << std::max(heavier, 0), of_y = i64{1} << std::max(-heavier, 0);
      for (u64 b = 1; b < t; ++b) {
        if (std::gcd(b, t) != 1) continue;
        const Balance found = balance(1, b, t, heavier);
        EXPECT_EQ((found.x - found.y * static_cast<i64>(b)) % static_cast<i64>(t), 0) << b << " mod " << t;
        EXPECT_EQ(std::gcd(std::abs(found.x), static_cast<i64>(t)), 1) << b << " mod " << t;
        EXPECT_LE(std::max(std::abs(found.x) * of_x, found.y * of_y), std::max(of_x * of_y, static_cast<i64>(t / 2)));
      }
    }
  }
  EXPECT_NE(balance(1, 1 + 512, 1024, 0).x % 2, 0) << "the shortest pair is 2, 2";
}

// Returns log2 of the largest growth of noise in sums of four terms with random correction factors.
double largest_growth(u64 t, std::span<const u64> factors) {
  std::mt19937_64 random(t);
  std::uniform_int_distribution<std::size_t> index(0, factors.size() - 1);
  const auto term = [&] { return NoiseBound{Bound{0}, factors[index(random)]}; };
  const auto sum = [plain = Modulus<u64>(t)](const NoiseBound& x, const NoiseBound& y) {
    return verbs::sum(plain, x, y).bound;
  };
  double largest = 0;
  for (u32 i = 0; i < 20000; ++i) {
    const NoiseBound a = term(), b = term(), c = term(), d = term(), two = sum(a, b);
    largest = std::max({largest, sum(sum(two, c), d).error.log2, sum(two, sum(c, d)).error.log2});
  }
  return largest;
}

TEST(Balance, SumsOfFourInAnyOrderGrowAsPlanned) {
  for (const u64 t : {17u, 257u, 65537u, 1032193u}) {
    std::vector<u64> factors(t - 1);
    std::iota(factors.begin(), factors.end(), 1);
    const double largest = largest_growth(t, factors);
    EXPECT_LE(largest, balanced_sum_bits(t)) << t;
    EXPECT_GT(largest, balanced_sum_bits(t) - 2) << "the plan is for much larger sums than those modulo " << t;
  }
}

// The factors 1 and 1 + t/2 have no small pair, because 2 and 2 are not coprime to t.
TEST(Balance, SumsModuloACompositeGrowNoMoreThanPlanned) {
  for (const u64 t : {4u, 6u, 8u, 9u, 10u, 15u, 36u, 210u, 1024u, 30030u, 1u << 20}) {
    std::vector<u64> factors;
    for (u64 factor = 1; factor < t; ++factor) {
      if (std::gcd(factor, t) == 1) factors.push_back(factor);
    }
    EXPECT_LE(largest_growth(t, factors), balanced_sum_bits(t)) << t;
  }
  const u64 worst[] = {1, 1 + (1u << 19)};
  EXPECT_GT(largest_growth(1u << 20, worst), 18) << "the plan would be too cautious";
}

template <class S>
class IntegerRefusals : public ::testing::Test {
 protected:
  IntegerRefusals()
      : client((testing::choose_seed(61), testing::parameters_of<S>(testing::bfv_shape()))),
        a(client.encrypt({5, -3})) {}
  Client<S> client;
  Ciphertext<S> a;
};

using Schemes = ::testing::Types<bfv::Scheme, bgv::Scheme>;
TYPED_TEST_SUITE(IntegerRefusals, Schemes);

TYPED_TEST(IntegerRefusals, ObjectsOfTwoContextsOrTwoKeysDoNotMeet) {
  const Client<TypeParam> other(testing::parameters_of<TypeParam>(testing::bfv_shape()));
  const auto foreign = other.encrypt({1});
  const auto& client = this->client;
  expect_refused(Code::parameters_mismatch, [&] { (void)client.evaluator.add(this->a, foreign); }, "one Context");
  expect_refused(
      Code::parameters_mismatch,
      [&] { (void)client.evaluator.relinearize(client.evaluator.square(this->a), other.relinearization); },
      "one Context");
  expect_refused(
      Code::parameters_mismatch, [&] { (void)client.evaluator.add_plain(this->a, other.encoder.encode(Values{1})); },
      "one Context");
  const KeyGenerator second(client.context);
  expect_refused(
      Code::parameters_mismatch,
      [&] { (void)Decryptor<TypeParam>(client.context, second.secret_key()).decrypt(this->a); }, "made under");
  const auto verbs = ringfort::testing::verbs_of(client.context, [&] {
    expect_refused(
        Code::parameters_mismatch, [&] { (void)client.evaluator.power(this->a, 3, other.relinearization); },
        "one Context");
  });
  EXPECT_EQ(verbs, std::vector<std::string>());
  expect_refused(Code::key_missing, [&] { (void)client.evaluator.rotate(this->a, 8, client.galois); }, "rotations");
  expect_refused(
      Code::key_missing, [&] { (void)AutomaticEvaluator<TypeParam>(client.context).square(this->a); }, "give it to");
}

TYPED_TEST(IntegerRefusals, AContextOfAnotherPlainModulusReceivesNothing) {
  const auto& client = this->client;
  const Context<TypeParam> other(testing::parameters_of<TypeParam>(testing::bfv_shape(), 769));
  expect_refused(Code::parameters_mismatch, [&] { (void)this->a.to(other); }, "one Parameters");
  expect_refused(
      Code::parameters_mismatch, [&] { (void)client.encoder.encode(Values{1}).to(other); }, "one Parameters");
  expect_refused(Code::parameters_mismatch, [&] { (void)client.generator.secret_key().to(other); }, "one Parameters");
  EXPECT_EQ(this->a.to(Context<TypeParam>(client.context.parameters(), "ref")).device(), "ref");
}

// Contexts with different plain moduli can share one secret, which then has keys for each modulus. require_matching()
// must find that every row of every key is a sample of this secret. To do this, it divides the error of the row by the
// plain modulus. The quotient must be in the range of the sampler.
TYPED_TEST(IntegerRefusals, OneSecretHasKeysForEveryPlainModulusOfItsChain) {
  const auto& client = this->client;
  for (const u64 t : {u64{769}, u64{7681}}) {
    const Context<TypeParam> other(testing::parameters_of<TypeParam>(testing::bfv_shape(), t));
    const KeyGenerator keys(other, client.generator.secret_key().for_modulus_of(other));
    const PublicKey open = keys.create_public_key();
    EXPECT_EQ(open.key_id(), client.open.key_id());
    require_matching(keys.secret_key(), open);
    require_matching(keys.secret_key(), keys.create_relinearization_key());
    require_matching(keys.secret_key(), keys.create_galois_keys(plan_keys(other, {{1}, true, 0})));
    expect_refused(Code::parameters_mismatch, [&] { require_matching(client.generator.secret_key(), open); }, "");
    const Encoder<TypeParam> encoder(other);
    Values out(1);
    encoder.decode(Decryptor<TypeParam>(other, keys.secret_key())
                       .decrypt(Encryptor<TypeParam>(other, open).encrypt(encoder.encode(Values{-7}))),
                   out);
    EXPECT_EQ(out[0], -7);
  }
  auto shape = testing::bfv_shape();
  ++shape.levels;
  const Context<TypeParam> longer(testing::parameters_of<TypeParam>(shape, 769));
  expect_refused(
      Code::parameters_mismatch, [&] { (void)client.generator.secret_key().for_modulus_of(longer); }, "one chain");
}

TYPED_TEST(IntegerRefusals, AnEvaluatorOfAnotherContextTouchesNothing) {
  auto parameters = testing::parameters_of<TypeParam>(testing::bfv_shape());
  parameters.plain_modulus = 769;  // the ring and the primes are the same
  const Client<TypeParam> other(parameters);
  const auto& a = this->a;
  const auto& key = this->client.relinearization;
  const auto& e = other.evaluator;
  const auto refused = [](auto verb) { expect_refused(Code::parameters_mismatch, verb, "one Context"); };
  refused([&] { (void)e.add(a, a); });
  refused([&] { (void)e.subtract(a, a); });
  refused([&] { (void)e.negate(a); });
  refused([&] { (void)e.add_plain(a, other.encoder.encode(Values{1})); });
  refused([&] { (void)e.multiply_plain(a, other.encoder.encode(Values{1})); });
  refused([&] { (void)e.multiply_integer(a, 2); });
  refused([&] { (void)e.multiply(a, a); });
  refused([&] { (void)e.relinearize(a, key); });
  refused([&] { (void)e.mod_switch(a, 0); });
  refused([&] { (void)e.rotate(a, 1, this->client.galois); });
  refused([&] { (void)e.swap_rows(a, this->client.galois); });
  refused([&] { (void)e.sum_slots(a, 2, this->client.galois); });
  refused([&] { (void)other.automatic.multiply(a, a); });
  refused([&] { (void)other.automatic.add(a, a); });
}

TYPED_TEST(IntegerRefusals, NoiseIsRefusedBeforeItPassesTheBound) {
  auto power = this->a.clone();
  int products = 0;
  expect_refused(
      Code::noise_bound_exceeded,
      [&] {
        for (; products < 100; ++products) power = this->client.automatic.square(power);
      },
      "plain modulus");
  EXPECT_GE(products, 1);
  EXPECT_GT(power.budget_bits(), 0);
  i64 x = 5;
  for (int i = 0; i < products; ++i) x = testing::centred(x * x, 257);
  EXPECT_EQ(this->client.decrypt(power)[0], x);
}

TYPED_TEST(IntegerRefusals, LevelsPartsAndValuesMustFit) {
  const auto& e = this->client.evaluator;
  const auto wide = e.square(this->a), low = e.mod_switch(this->a, 1);
  expect_refused(Code::parameters_mismatch, [&] { (void)e.add(this->a, low); }, "mod_switch");
  expect_refused(Code::invalid_argument, [&] { (void)this->client.automatic.multiply(wide, this->a); }, "relinearize");
  expect_refused(Code::invalid_argument, [&] { (void)e.mod_switch(low, 2); }, "0 .. 1");
  for (const i64 factor : {i64{129}, i64{-129}, std::numeric_limits<i64>::min(), std::numeric_limits<i64>::max()}) {
    expect_refused(Code::invalid_argument, [&] { (void)e.multiply_integer(this->a, factor); }, "centred");
  }
  expect_refused(Code::invalid_argument, [&] { (void)e.add_plain(this->a, Plaintext<TypeParam>()); }, "encode");
  expect_refused(Code::invalid_argument, [&] { (void)e.add(Ciphertext<TypeParam>(), this->a); }, "encrypt");
  expect_refused(Code::invalid_argument, [&] { (void)this->client.encoder.encode(Values{129}); }, "modulo t");
  expect_refused(
      Code::invalid_argument, [&] { (void)this->client.encoder.encode_coefficients(Values{-129}); }, "modulo t");
  expect_refused(Code::invalid_argument, [&] { (void)e.add_many({}); }, "one operand");
}

TYPED_TEST(IntegerRefusals, SumsWhoseLastTermDoesNotFitComputeNothing) {
  using C = Ciphertext<TypeParam>;
  const auto& e = this->client.evaluator;
  std::vector<C> terms;
  std::vector<Plaintext<TypeParam>> known;
  for (int i = 0; i < 3; ++i) {
    terms.push_back(this->a.clone());
    known.push_back(this->client.encoder.encode(Values{2}));
  }
  const auto refused = [&](Code code, auto sum, std::string_view advice) {
    EXPECT_EQ(ringfort::testing::verbs_of(this->client.context, [&] { expect_refused(code, sum, advice); }),
              std::vector<std::string>());
  };
  const auto all_refused = [&](Code code, std::string_view advice) {
    refused(code, [&] { (void)e.add_many(terms); }, advice);
    refused(code, [&] { (void)e.inner_product(terms, terms); }, advice);
    refused(code, [&] { (void)e.inner_product_plain(terms, known); }, advice);
  };
  const C low = e.mod_switch(this->a, 1);
  terms.back() = low.clone();
  all_refused(Code::parameters_mismatch, "mod_switch");
  terms.back() = C();
  all_refused(Code::invalid_argument, "encrypt");
  terms.back() = this->a.clone();
  terms.back().state().bound.error = Policy<TypeParam>::limit(this->client.context.state()->ring, this->a.level());
  all_refused(Code::noise_bound_exceeded, "plain modulus");
  terms.back() = this->a.clone();
  known.back() = Plaintext<TypeParam>();
  refused(Code::invalid_argument, [&] { (void)e.inner_product_plain(terms, known); }, "encode");
  refused(Code::invalid_argument, [&] { (void)e.inner_product(terms, std::span(terms).first(2)); }, "both sides");
}

TYPED_TEST(IntegerRefusals, PlainModuliWithoutSlotsOnlyEncodePolynomials) {
  for (const u64 t : {u64{101}, u64{2}, u64{1024}, u64{257} * 257}) {  // 257^2 is 1 modulo 2n, but no prime
    const Context<TypeParam> context(testing::parameters_of<TypeParam>(testing::bfv_shape(), t));
    EXPECT_FALSE(context.has_slots()) << t;
    expect_refused(
        Code::unsupported, [&] { (void)Encoder<TypeParam>(context).encode(Values{1}); }, "encode_coefficients");
  }
}

TYPED_TEST(IntegerRefusals, PlainModuliMustBeInRangeAndCoprimeToTheChain) {
  const auto refused = [](testing::Shape shape, u64 t, std::string_view advice) {
    expect_refused(
        Code::invalid_argument, [&] { Context<TypeParam> bad(testing::parameters_of<TypeParam>(shape, t)); }, advice);
  };
  for (const u64 t : {u64{0}, u64{1}, u64{1} << 50, ~u64{0}}) refused(testing::bfv_shape(), t, "65537");
  const ChainParameters chain = ckks::testing::chain_of(testing::short_words());
  for (const u64 q : {chain.data.front(), chain.data.back(), chain.special.back()}) {
    for (const u64 t : {q, 2 * q, 6 * q}) refused(testing::short_words(), t, "without this factor");
  }
}

}  // namespace
}  // namespace ringfort::integers
