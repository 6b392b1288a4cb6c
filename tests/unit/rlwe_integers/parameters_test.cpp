// SPDX-License-Identifier: Apache-2.0
// Tests the choice of BFV and BGV parameters for given requirements. A choice promises the noise budget that is left
// after each product. In BGV, the phase of a ciphertext is its plaintext times a public correction factor, modulo t.
// The tests cover the choice of the smallest ring, batches (n values in the slots), presets, and the texts of refusals.
#include <gtest/gtest.h>

#include "ringfort/bfv.h"
#include "ringfort/bgv.h"
#include "ringfort/error.h"
#include "support/refused.h"

namespace ringfort::integers {
namespace {

using ringfort::testing::refusal;
using ringfort::testing::says;

struct Bfv {
  using Scheme = bfv::Scheme;
  using Requirements = bfv::Requirements;
  static constexpr bool kSwitches = false;            // a product needs no mod_switch
  static constexpr std::uint32_t kDepths[] = {3, 9};  // the depth of each preset
  static constexpr std::string_view kPresets[] = {"bfv-8192", "bfv-16384"};
  static bfv::Parameters preset(std::string_view name) { return bfv::preset(name); }
  static std::vector<std::string_view> names() { return bfv::preset_names(); }
};

struct Bgv {
  using Scheme = bgv::Scheme;
  using Requirements = bgv::Requirements;
  static constexpr bool kSwitches = true;  // mod_switch after each product
  // the depth of each preset; it is one more if no sum has two different correction factors
  static constexpr std::uint32_t kDepths[] = {2, 6};
  static constexpr std::string_view kPresets[] = {"bgv-8192", "bgv-16384"};
  static bgv::Parameters preset(std::string_view name) { return bgv::preset(name); }
  static std::vector<std::string_view> names() { return bgv::preset_names(); }
};

template <class T>
typename T::Requirements wanted(std::uint32_t depth, std::uint64_t plain_modulus = 65537) {
  typename T::Requirements r;
  r.depth = depth;
  r.plain_modulus = plain_modulus;
  return r;
}

template <class T>
class IntegerParameters : public ::testing::Test {};

using Both = ::testing::Types<Bfv, Bgv>;
TYPED_TEST_SUITE(IntegerParameters, Both);

TYPED_TEST(IntegerParameters, KeepThePromiseInTheSmallestRing) {
  using T = TypeParam;
  for (const auto& r :
       {wanted<T>(0), wanted<T>(1), wanted<T>(4), wanted<T>(9), wanted<T>(2, 786433), wanted<T>(3, 1073479681)}) {
    const auto p = choose(r);
    const Explanation e = explain(p);
    EXPECT_GE(e.depth, r.depth);
    EXPECT_GT(e.bits_left[r.depth], 0);
    EXPECT_LE(e.log2_qp, e.log2_qp_limit);
    EXPECT_EQ(e.slots, p.chain.n);
    EXPECT_EQ(p.plain_modulus, r.plain_modulus);
    if (p.chain.n == 1024) continue;
    auto smaller = r;
    smaller.n = p.chain.n / 2;
    EXPECT_EQ(refusal([&] { (void)choose(smaller); }).code(), Code::unsupported) << r.depth << " " << r.plain_modulus;
  }
}

// Few primes of the shortest sufficient lengths are 1 modulo t. Longer ones exist, and are better than primes that are
// not 1 modulo t, of which a chain needs more.
TEST(BgvParameters, LongerPrimesThatAreOneModuloTReplaceMissingShortOnes) {
  for (const auto& r : {wanted<Bgv>(6, 786433), wanted<Bgv>(5, 1073872897), wanted<Bgv>(5)}) {
    const auto p = choose(r);
    EXPECT_EQ(p.chain.n, 16384u) << r.plain_modulus;
    EXPECT_EQ(p.chain.data.size(), r.depth + 1) << r.plain_modulus;
    for (std::size_t i = 1; i < p.chain.data.size(); ++i) EXPECT_EQ(p.chain.data[i] % r.plain_modulus, 1u);
  }
}

// Contexts with different plain moduli t can share the primes, and then one secret.
TYPED_TEST(IntegerParameters, ASharedChainServesEveryShorterModulus) {
  for (const std::uint32_t depth : {1U, 3U}) {
    auto r = wanted<TypeParam>(depth, 1073479681);
    r.shared_chain = true;
    auto p = choose(r);
    for (const std::uint64_t t : {65537ULL, 786433ULL, 5767169ULL, 1073479681ULL}) {
      p.plain_modulus = t;
      EXPECT_GE(explain(p).depth, depth) << t;
      for (const std::uint64_t q : p.chain.data) EXPECT_NE(q % t, 1U) << t;
    }
  }
}

// Squares a ciphertext repeatedly. The bounds of the verbs must keep the promise, and the decrypted values must be
// right.
TYPED_TEST(IntegerParameters, ThePromiseIsKeptByTheVerbs) {
  using S = typename TypeParam::Scheme;
  for (const auto& r : {wanted<TypeParam>(1), wanted<TypeParam>(3)}) {
    const Context<S> context(choose(r));
    const KeyGenerator keys(context);
    const RelinearizationKey relinearization = keys.create_relinearization_key();
    const Encoder<S> encoder(context);
    const Evaluator<S> evaluator(context);
    std::vector<std::int64_t> x(context.parameters().chain.n);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int64_t>(i * i * 7 % 65537) - 32768;
    auto c = Encryptor<S>(context, keys.create_public_key()).encrypt(encoder.encode(x));
    const std::vector<double> promised = explain(context.parameters()).bits_left;
    for (std::uint32_t i = 0; i < r.depth; ++i) {
      c = evaluator.relinearize(evaluator.square(c), relinearization);
      if (TypeParam::kSwitches) c = evaluator.mod_switch(c, c.level() - 1);
      EXPECT_GE(c.budget_bits(), promised[i + 1] + 1.9) << "the promise includes a sum of four products";
      for (std::int64_t& value : x) {
        value = value * value % 65537;
        if (value > 32768) value -= 65537;
      }
    }
    std::vector<std::int64_t> shown(x.size());
    encoder.decode(Decryptor<S>(context, keys.secret_key()).decrypt(c), shown);
    EXPECT_EQ(shown, x);
  }
}

// There are few short primes. Even with these, the special primes must not be much shorter than the digits, because the
// noise of a key switch grows with the quotient of digit and special primes.
TYPED_TEST(IntegerParameters, OfShortPrimesAreAcceptedByContexts) {
  using S = typename TypeParam::Scheme;
  std::uint32_t chosen = 0;
  for (std::uint32_t bits = 22; bits <= 26; ++bits) {
    for (const std::uint32_t depth : {0u, 1u, 2u, 3u, 4u}) {
      auto r = wanted<TypeParam>(depth);
      r.primes.bits = bits;
      try {
        const auto parameters = choose(r);
        EXPECT_NO_THROW((Context<S>(parameters))) << bits << " bits, depth " << depth;
        ++chosen;
      } catch (const Error& error) { EXPECT_EQ(error.code(), Code::unsupported) << error.what(); }
    }
  }
  EXPECT_GT(chosen, 10u);
}

// Returns all lists i <= j <= k <= l of numbers in 1 .. most in which neighbours differ by a multiple of `step`.
std::vector<std::vector<std::size_t>> fours(std::size_t most, std::size_t step) {
  std::vector<std::vector<std::size_t>> found;
  for (std::size_t i = 1; i <= most; ++i) found.push_back({i});
  for (int length = 1; length < 4; ++length) {
    std::vector<std::vector<std::size_t>> longer;
    for (const std::vector<std::size_t>& start : found) {
      for (std::size_t next = start.back(); next <= most; next += step) {
        longer.push_back(start);
        longer.back().push_back(next);
      }
    }
    found = std::move(longer);
  }
  return found;
}

// The powers of x come from different trees of products, and have different levels. Therefore their correction factors
// in BGV differ, unless the primes make all factors 1.
TYPED_TEST(IntegerParameters, SumsOfAnyFourPromisedResultsAreAcceptedAndExact) {
  using S = typename TypeParam::Scheme;
  auto short_primes = wanted<TypeParam>(3);
  short_primes.primes.bits = 30;  // too few primes of this length are 1 modulo t
  for (const auto& r : {wanted<TypeParam>(1), wanted<TypeParam>(2), wanted<TypeParam>(2, 1073872897),
                        wanted<TypeParam>(3, 1032193), short_primes}) {
    const Context<S> context(choose(r));
    const KeyGenerator keys(context);
    const RelinearizationKey relinearization = keys.create_relinearization_key();
    const Encoder<S> encoder(context);
    const AutomaticEvaluator<S> evaluator(context, &relinearization);
    const Decryptor<S> decryptor(context, keys.secret_key());
    const Ciphertext<S> x =
        Encryptor<S>(context, keys.create_public_key()).encrypt(encoder.encode(std::vector<std::int64_t>{-3}));
    std::vector<Ciphertext<S>> powers;
    std::vector<std::int64_t> values{1};
    const std::size_t most = std::size_t{1} << r.depth;
    for (std::size_t k = 1; k <= most; ++k) {
      powers.push_back(evaluator.power(x, static_cast<std::uint32_t>(k)));
      values.push_back(values.back() * -3);
    }
    for (const std::vector<std::size_t>& at : fours(most, r.depth == 3 ? 2 : 1)) {
      const auto& p = powers;
      const Ciphertext<S> two = evaluator.add(p[at[0] - 1], p[at[1] - 1]);
      const Ciphertext<S> sums[] = {evaluator.subtract(evaluator.add(two, p[at[2] - 1]), p[at[3] - 1]),
                                    evaluator.add(two, evaluator.subtract(p[at[2] - 1], p[at[3] - 1]))};
      for (const Ciphertext<S>& sum : sums) {
        std::vector<std::int64_t> found(1);
        encoder.decode(decryptor.decrypt(sum), found);
        ASSERT_EQ(found[0], values[at[0]] + values[at[1]] + values[at[2]] - values[at[3]])
            << at[0] << " " << at[1] << " " << at[2] << " " << at[3];
      }
    }
  }
}

TYPED_TEST(IntegerParameters, BatchesLimitTheRingAndOneSlotDoesNot) {
  auto r = wanted<TypeParam>(4);
  r.slots = 40000;
  EXPECT_TRUE(says(refusal([&] { (void)choose(r); }), "batches modulo 65537 need a ring of at most n = 32768"));
  r = wanted<TypeParam>(3, 257);
  EXPECT_EQ(refusal([&] { (void)choose(r); }).code(), Code::invalid_argument);
  r.slots = 1;
  EXPECT_EQ(explain(choose(r)).slots, 1u);
  const Error deep = refusal([] { (void)choose(wanted<TypeParam>(50)); });
  EXPECT_TRUE(says(deep, "depth 50 modulo 65537, in the largest ring for this plain modulus, n = 32768: log2 QP = ") &&
              says(deep, "choose depth <= "))
      << deep.what();
}

TYPED_TEST(IntegerParameters, ShortPrimesStayShort) {
  auto r = wanted<TypeParam>(3);
  r.primes = {30, PrimeForm::c_2_16_1};
  const auto p = choose(r);
  for (const auto* primes : {&p.chain.data, &p.chain.special}) {
    for (const std::uint64_t q : *primes) EXPECT_TRUE(q >> 30 == 0 && q % 65536 == 1) << q;
  }
  EXPECT_GE(explain(p).depth, 3u);
}

// In BGV, the primes of a chain for a shorter t are 1 modulo t.
TYPED_TEST(IntegerParameters, ServeEveryModulusBelow50BitsWithoutSlots) {
  for (const std::uint64_t t : {2ull, 4ull, 1000ull, 65536ull, 1ull << 32, 1ull << 49, 65539ull * 65537ull,
                                (1ull << 50) - 27, (1ull << 50) - 1}) {
    auto r = wanted<TypeParam>(2, t);
    r.slots = 1;
    const auto p = choose(r);
    EXPECT_EQ(p.plain_modulus, t);
    const Explanation e = explain(p);
    EXPECT_GE(e.depth, 2u) << t;
    EXPECT_EQ(e.slots, 1u) << t;
    for (const auto* primes : {&p.chain.data, &p.chain.special}) {
      for (const std::uint64_t q : *primes) EXPECT_NE(t % q, 0u) << q;
    }
    if (TypeParam::kSwitches && t <= 1ull << 32) { EXPECT_EQ(p.chain.data.back() % t, 1u) << t; }
    r.slots = 0;
    EXPECT_TRUE(
        says(refusal([&] { (void)choose(r); }), t == (1ull << 50) - 27 ? "n = 1" : "only odd primes have slots"))
        << t;
  }
}

TYPED_TEST(IntegerParameters, ChooseNoPrimeThatDividesThePlainModulus) {
  auto r = wanted<TypeParam>(1);
  r.slots = 1;
  r.n = 1024;
  r.primes.bits = 30;
  r.shared_chain = true;
  r.insecure_reason = "a quick test";
  const std::uint64_t taken = choose(r).chain.data[0];
  for (const std::uint64_t t : {taken, 1000 * taken}) {
    r.plain_modulus = t;
    const auto p = choose(r);
    EXPECT_NO_THROW((void)Context<typename TypeParam::Scheme>(p)) << t;
    for (const std::uint64_t q : p.chain.data) EXPECT_NE(q, taken);
  }
}

TYPED_TEST(IntegerParameters, RefusesWhatIsOutOfRangeAndWhatIsNotSecure) {
  auto one_value = wanted<TypeParam>(1);
  one_value.slots = 1;
  for (const std::uint64_t t : {0ull, 1ull, 1ull << 50, (1ull << 50) + 55, (1ull << 60) + 33}) {
    one_value.plain_modulus = t;
    EXPECT_EQ(refusal([&] { (void)choose(one_value); }).code(), Code::invalid_argument) << t;
    auto p = TypeParam::preset(TypeParam::kPresets[0]);
    p.plain_modulus = t;
    EXPECT_EQ(refusal([&] { (void)explain(p); }).code(), Code::invalid_argument) << t;
  }
  auto r = wanted<TypeParam>(2);
  r.n = 2048;
  EXPECT_EQ(refusal([&] { (void)choose(r); }).code(), Code::unsupported);
  r.insecure_reason = "a quick test";
  auto p = choose(r);
  EXPECT_NE(explain(p).text().find("INSECURE, not checked: a quick test"), std::string::npos);
  p.chain.insecure_reason.clear();
  EXPECT_EQ(refusal([&] { (void)explain(p); }).code(), Code::insecure_parameters);
}

TYPED_TEST(IntegerParameters, OfPresetsAreThePublicationsSets) {
  using T = TypeParam;
  EXPECT_EQ(T::names().size(), 2u);
  const auto small = T::preset(T::kPresets[0]), large = T::preset(T::kPresets[1]);
  EXPECT_TRUE(small.chain.n == 8192 && large.chain.n == 16384 && small.plain_modulus == 65537 &&
              large.plain_modulus == 65537);
  EXPECT_TRUE(explain(small).log2_qp <= 214 && explain(small).log2_qp > 209 && explain(small).log2_qp_limit == 214);
  EXPECT_TRUE(explain(large).log2_qp <= 430 && explain(large).log2_qp > 422 && explain(large).log2_qp_limit == 430);
  EXPECT_EQ(explain(small).depth, T::kDepths[0]);
  EXPECT_EQ(explain(large).depth, T::kDepths[1]);
  EXPECT_TRUE(says(refusal([] { (void)T::preset("none-1"); }), "known: " + std::string(T::kPresets[0])));
}

}  // namespace
}  // namespace ringfort::integers
