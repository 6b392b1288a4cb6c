// SPDX-License-Identifier: Apache-2.0
// Tests sums of products that have one final step. BFV computes products modulo additional primes (the extended basis)
// and then divides them. It first adds as many products as the extended basis can hold. BGV reduces each product when
// it is added. The tests compare these sums with cleartext values, and with sums that add one product at a time. They
// also count the verbs that the device ran.
#include <algorithm>

#include "math/prime.h"
#include "scheme/bfv/policy.h"
#include "support/integers.h"
#include "support/observed.h"

namespace ringfort::integers {
namespace {

using testing::Client;
using testing::Values;

template <class S>
struct Operands {
  Operands(const Client<S>& client, std::size_t count) : t(client.context.plain_modulus()) {
    const u32 n = client.context.parameters().chain.n;
    Values sums(n);
    for (std::size_t i = 0; i < count; ++i) {
      const Values x = testing::random_values(n, t, 2 * i), y = testing::random_values(n, t, 2 * i + 1);
      a.push_back(client.encrypt(x));
      b.push_back(client.encrypt(y));
      for (u32 j = 0; j < n; ++j) sums[j] = testing::centred(static_cast<i128>(x[j]) * y[j] + sums[j], t);
    }
    expected = sums;
  }
  [[nodiscard]] Ciphertext<S> one_by_one(const Evaluator<S>& e) const {
    Ciphertext<S> sum = e.multiply(a[0], b[0]);
    for (std::size_t i = 1; i < a.size(); ++i) sum = e.add(sum, e.multiply(a[i], b[i]));
    return sum;
  }
  u64 t;
  std::vector<Ciphertext<S>> a, b;
  Values expected;
};

template <class S>
std::size_t count_of(const Client<S>& client, const Operands<S>& of, std::string_view verb) {
  const auto verbs =
      ringfort::testing::verbs_of(client.context, [&] { (void)client.evaluator.inner_product(of.a, of.b); });
  return static_cast<std::size_t>(std::count(verbs.begin(), verbs.end(), verb));
}

// The counts of verbs are those of `cpu`, because other devices may compose the verbs.
TEST(BgvSums, HaveTheBitsOfSumsOfProductsWithoutAnAddition) {
  testing::choose_seed(43);
  const Client<bgv::Scheme> client(testing::parameters_of<bgv::Scheme>(testing::bgv_shape(), 65537), "cpu");
  const Operands<bgv::Scheme> of(client, 5);
  const auto sum = client.evaluator.inner_product(of.a, of.b), expected = of.one_by_one(client.evaluator);
  EXPECT_EQ(testing::residues(sum), testing::residues(expected));
  EXPECT_EQ(sum.budget_bits(), expected.budget_bits());
  EXPECT_EQ(client.decrypt(sum), of.expected);
  EXPECT_EQ(count_of(client, of, "add"), 0u);
  EXPECT_EQ(count_of(client, of, "tensor"), 1u);
  // scalar code composes inner_product from multiply_add
  EXPECT_EQ(count_of(client, of, "inner_product") + count_of(client, of, "multiply_add") / 2, 2u * 4);
}

TEST(BfvSums, AreDividedOnceAndLoseLessBudget) {
  testing::choose_seed(44);
  const Client<bfv::Scheme> client(testing::parameters_of<bfv::Scheme>(testing::bgv_shape(), 65537), "cpu");
  const Operands<bfv::Scheme> of(client, 5);
  const auto sum = client.evaluator.inner_product(of.a, of.b), expected = of.one_by_one(client.evaluator);
  EXPECT_GT(sum.budget_bits(), expected.budget_bits());
  EXPECT_EQ(client.decrypt(sum), of.expected);
  EXPECT_EQ(count_of(client, of, "add"), 0u);
  EXPECT_EQ(count_of(client, of, "mod_down"), 1u);
}

TEST(BgvSums, UsePlaintextsThatWerePrepared) {
  testing::choose_seed(47);
  const Client<bgv::Scheme> client(testing::parameters_of<bgv::Scheme>(testing::bgv_shape(), 65537));
  const Operands<bgv::Scheme> of(client, 3);
  std::vector<Plaintext<bgv::Scheme>> plain;
  for (u64 i = 0; i < 3; ++i)
    plain.push_back(
        client.encoder.encode(testing::random_values(client.context.parameters().chain.n, 65537, 2 * i + 1)));
  EXPECT_EQ(client.decrypt(client.evaluator.inner_product_plain(of.a, plain)), of.expected);
  for (auto& p : plain) client.evaluator.prepare_plain(p, of.a[0].level());
  const auto verbs = ringfort::testing::verbs_of(
      client.context, [&] { EXPECT_EQ(client.evaluator.inner_product_plain(of.a, plain).size(), 2u); });
  EXPECT_EQ(verbs, (std::vector<std::string>{"multiply", "multiply_add", "multiply_add"}));
  EXPECT_EQ(client.decrypt(client.evaluator.inner_product_plain(of.a, plain)), of.expected);
}

// Returns a plain modulus for which the extended basis can hold exactly `products` products.
u64 plain_modulus_for(std::size_t products, u32 n) {
  for (u32 bits = 10; bits < 46; ++bits) {
    const u64 t = static_cast<u64>(ntt_primes(bits, n, 1).take()[0]);
    const Context<bfv::Scheme> context(testing::parameters_of<bfv::Scheme>(testing::bgv_shape(), t));
    if (Policy<bfv::Scheme>::most_products(context.state()->ring, context.top_level()) == products) return t;
  }
  return 0;
}

TEST(BfvSums, OfMoreProductsThanTheExtensionHoldsAreDividedInParts) {
  testing::choose_seed(45);
  for (const std::size_t most : {4u, 8u}) {
    const u64 t = plain_modulus_for(most, testing::bgv_shape().n);
    ASSERT_NE(t, 0u) << most;
    const Client<bfv::Scheme> client(testing::parameters_of<bfv::Scheme>(testing::bgv_shape(), t), "cpu");
    const Operands<bfv::Scheme> of(client, 9);
    EXPECT_EQ(client.decrypt(client.evaluator.inner_product(of.a, of.b)), of.expected);
    EXPECT_EQ(count_of(client, of, "mod_down"), (9 + most - 1) / most);
  }
}

// Returns a ciphertext with (Q - 1) / 2 in every coefficient of both components. No product is larger than its square.
Ciphertext<bfv::Scheme> largest(const Client<bfv::Scheme>& client) {
  Ciphertext<bfv::Scheme> out = client.encrypt({});
  const KeyContext::State& k = *out.state().rlwe.context;
  const Limbs data = k.chain.data(out.level());
  std::vector<u64> halves;
  for (u32 at = 0; at < 2 * data.count * k.p.n; ++at)
    halves.push_back(k.ring.basis()[data.first + at / k.p.n % data.count].value() / 2);
  auto words = k.ring.make<Coeff>(2, data);
  Staging staging(k.p.n);
  k.ring.upload(Stream{}, words.all(), std::span<const u64>(halves), staging);
  out.state().rlwe.polynomials = k.ring.forward(Stream{}, std::move(words));
  return out;
}

TEST(BfvSums, OfTheLargestResiduesStayInTheExtension) {
  testing::choose_seed(46);
  for (const std::size_t most : {4u, 8u}) {
    const u64 t = plain_modulus_for(most, testing::bgv_shape().n);
    ASSERT_NE(t, 0u) << most;
    const Client<bfv::Scheme> client(testing::parameters_of<bfv::Scheme>(testing::bgv_shape(), t));
    Operands<bfv::Scheme> of(client, 0);
    for (std::size_t i = 0; i < most; ++i) {
      of.a.push_back(largest(client));
      of.b.push_back(largest(client));
    }
    const auto difference =
        client.evaluator.subtract(client.evaluator.inner_product(of.a, of.b), of.one_by_one(client.evaluator));
    const RlweCiphertext& ciphertext = difference.state().rlwe;
    const KeyContext::State& k = *ciphertext.context;
    std::vector<u64> residues(std::size_t{3} * ciphertext.polynomials.limbs().count * k.p.n);
    Staging staging(k.p.n);
    auto all = k.ring.make<Eval>(3, ciphertext.polynomials.limbs());
    k.ring.multiply_scalar(Stream{}, all.all(), ciphertext.all(), 1);
    k.ring.download(Stream{}, k.ring.inverse(Stream{}, std::move(all)).all(), std::span<u64>(residues), staging);
    const u64 q = k.ring.basis()[ciphertext.polynomials.limbs().first].value();
    for (u32 j = 0; j < k.p.n; ++j) {  // modulo the first prime, the residues differ only by rounding
      for (u32 component = 0; component < 3; ++component) {
        const u64 r = residues[std::size_t{component} * ciphertext.polynomials.limbs().count * k.p.n + j];
        EXPECT_LE(std::min(r, q - r), most) << component << " " << j;
      }
    }
  }
}

}  // namespace
}  // namespace ringfort::integers
