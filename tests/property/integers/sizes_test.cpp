// SPDX-License-Identifier: Apache-2.0
// Tests BFV and BGV ciphertexts of 2 to 16 components: products of factors of several sizes, all verbs that take any
// size, and the refusals of the others. Results are compared with cleartext values, the measured noise with the public
// bound, and residues on every device with those of `ref`. BFV cuts a factor into parts if the additional primes hold
// too few products in one sum.
#include "math/prime.h"
#include "scheme/bfv/policy.h"
#include "support/devices.h"
#include "support/integers.h"
#include "support/observed.h"
#include "support/refused.h"

namespace ringfort::integers::sizes_test {
namespace {

using ringfort::testing::expect_refused;
using testing::Client;
using testing::Values;

constexpr u32 kDegree = 64;
constexpr u64 kT = 257;

testing::Shape shape() {
  testing::Shape shape = testing::bgv_shape();
  shape.levels = 8;
  shape.bits = shape.first_bits = shape.special_bits = 58;
  return shape;
}

// A ciphertext, and the values that it must decrypt to.
template <class S>
struct Traced {
  Ciphertext<S> c;
  Values values;
};

template <class S>
Traced<S> product(const Client<S>& client, const Traced<S>& a, const Traced<S>& b) {
  return {client.evaluator.multiply(a.c, b.c),
          testing::each(static_cast<u32>(a.values.size()), client.context.plain_modulus(),
                        [&](u32 i) { return static_cast<i128>(a.values[i]) * b.values[i]; })};
}

template <class S>
Traced<S> fresh(const Client<S>& client, u64 seed) {
  const Values x = testing::random_values(client.context.parameters().chain.n, client.context.plain_modulus(), seed);
  return {Encryptor<S>(client.context, client.open).encrypt(client.encoder.encode(x)), x};
}

// Returns ciphertexts by size, from 2 to `most` components.
template <class S>
std::vector<Traced<S>> of_sizes(const Client<S>& client, u32 most) {
  std::vector<Traced<S>> all(3);
  all[2] = fresh(client, 2);
  for (u32 size = 3; size <= most; ++size) all.push_back(product(client, all[size - 1], fresh(client, size)));
  return all;
}

template <class S>
void expect(const Client<S>& client, const Ciphertext<S>& c, const Values& expected, u32 size, std::string_view what) {
  EXPECT_EQ(c.size(), size) << what;
  EXPECT_EQ(client.decrypt(c), expected) << what;
  EXPECT_GT(c.budget_bits(), 0) << what;
  EXPECT_GE(client.decryptor.measured_budget_bits(c), c.budget_bits()) << what;
}

template <class S>
class IntegerSizes : public ::testing::Test {
 protected:
  IntegerSizes()
      : client((testing::choose_seed(81), testing::parameters_of<S>(shape(), kT))),
        of(of_sizes(client, 6)) {}
  template <class F>
  Values each(F f) const {
    return testing::each(kDegree, kT, f);
  }
  Client<S> client;
  std::vector<Traced<S>> of;
};

using Schemes = ::testing::Types<bfv::Scheme, bgv::Scheme>;
TYPED_TEST_SUITE(IntegerSizes, Schemes);

TYPED_TEST(IntegerSizes, ProductsOfAnySizesAreExactAndWithinTheirBounds) {
  const auto& of = this->of;
  for (const auto& [k, l] : {std::pair{2u, 2u}, {2u, 3u}, {3u, 2u}, {3u, 3u}, {2u, 4u}, {5u, 3u}, {3u, 5u}, {6u, 6u}}) {
    const auto p = product(this->client, of[k], of[l]);
    expect(this->client, p.c, p.values, k + l - 1, std::to_string(k) + " times " + std::to_string(l));
    const auto low = this->client.evaluator.mod_switch(p.c, p.c.level() - 2);
    expect(this->client, low, p.values, k + l - 1, "two levels below");
  }
  auto in_place = of[4].c.clone();
  this->client.evaluator.multiply_into(in_place, in_place, in_place);
  expect(this->client, in_place, product(this->client, of[4], of[4]).values, 7, "a square in place");
}

TYPED_TEST(IntegerSizes, SixteenComponentsAreTheMost) {
  const auto& client = this->client;
  const auto eight = product(client, this->of[4], this->of[5]), nine = product(client, this->of[5], this->of[5]);
  ASSERT_EQ(eight.c.size(), 8u);
  const auto all = product(client, eight, nine);
  expect(client, all.c, all.values, 16, "8 times 9");
  const auto verbs = ringfort::testing::verbs_of(client.context, [&] {
    expect_refused(Code::invalid_argument, [&] { (void)client.evaluator.square(nine.c); }, "relinearize each product");
    expect_refused(
        Code::invalid_argument, [&] { (void)client.evaluator.multiply(all.c, this->of[2].c); }, "the most are 16");
  });
  EXPECT_EQ(verbs, std::vector<std::string>());
}

TYPED_TEST(IntegerSizes, EveryVerbOfSumsTakesAnySize) {
  const auto& [client, of] = std::tie(this->client, this->of);
  const auto& e = client.evaluator;
  const auto& [five, x] = std::tie(of[5].c, of[5].values);
  const auto& [three, y] = std::tie(of[3].c, of[3].values);
  const auto plain = client.encoder.encode(y);
  const auto sum = this->each([&](u32 i) { return x[i] + y[i]; }),
             by_three = this->each([&](u32 i) { return 3 * x[i]; }),
             xy = this->each([&](u32 i) { return static_cast<i128>(x[i]) * y[i]; });
  expect(client, e.add(five, three), sum, 5, "add");
  expect(client, e.add(three, five), sum, 5, "add");
  expect(client, e.subtract(five, three), this->each([&](u32 i) { return x[i] - y[i]; }), 5, "subtract");
  expect(client, e.subtract(three, five), this->each([&](u32 i) { return y[i] - x[i]; }), 5, "subtract");
  expect(client, e.negate(five), this->each([&](u32 i) { return -x[i]; }), 5, "negate");
  expect(client, e.add_plain(five, plain), sum, 5, "add_plain");
  expect(client, e.subtract_plain(five, plain), this->each([&](u32 i) { return x[i] - y[i]; }), 5, "subtract_plain");
  expect(client, e.multiply_plain(five, plain), xy, 5, "multiply_plain");
  expect(client, e.multiply_integer(five, 3), by_three, 5, "multiply_integer");
  const Ciphertext<TypeParam> terms[] = {three.clone(), five.clone(), of[2].c.clone(), of[4].c.clone()};
  const auto& [u, v] = std::tie(of[2].values, of[4].values);
  expect(client, e.add_many(terms), this->each([&](u32 i) { return x[i] + y[i] + u[i] + v[i]; }), 5, "add_many");
  const Ciphertext<TypeParam> left[] = {of[2].c.clone(), three.clone(), five.clone()},
                              right[] = {of[4].c.clone(), of[2].c.clone(), of[2].c.clone()};
  const auto products = this->each([&](u32 i) { return i128{u[i]} * v[i] + i128{y[i]} * u[i] + i128{x[i]} * u[i]; });
  expect(client, e.inner_product(left, right), products, 6, "inner_product");
  for (const auto* start : {&of[2], &of[3], &of[5], &of[6]}) {
    auto total = start->c.clone();
    e.multiply_add_into(total, three, of[2].c);
    expect(client, total, this->each([&](u32 i) { return start->values[i] + i128{y[i]} * u[i]; }),
           std::max(start->c.size(), 4u), "multiply_add");
  }
  auto total = three.clone();
  e.multiply_add_into(total, total, three);
  expect(client, total, this->each([&](u32 i) { return y[i] + i128{y[i]} * y[i]; }), 5, "a sum that is an operand");
}

TYPED_TEST(IntegerSizes, OnlyThreeComponentsAreRelinearizedAndOnlyTwoAreRotated) {
  const auto& client = this->client;
  const auto& e = client.evaluator;
  const auto verbs = ringfort::testing::verbs_of(client.context, [&] {
    for (const u32 size : {4u, 5u}) {
      const auto& c = this->of[size].c;
      const auto refused = [](auto verb) { expect_refused(Code::invalid_argument, verb, "only s^2"); };
      refused([&] { (void)e.relinearize(c, client.relinearization); });
      refused([&] { (void)e.relinearize(std::span(&c, 1), client.relinearization); });
      refused([&] { (void)e.rotate(c, 1, client.galois); });
      refused([&] { (void)e.swap_rows(c, client.galois); });
      refused([&] { (void)e.sum_slots(c, 2, client.galois); });
      refused([&] { (void)client.automatic.multiply(c, c); });
      refused([&] { (void)client.automatic.inner_product(std::span(&c, 1), std::span(&c, 1)); });
    }
    const auto& three = this->of[3].c;
    expect_refused(
        Code::invalid_argument, [&] { (void)client.automatic.multiply(three, three); }, "relinearize it first");
  });
  EXPECT_EQ(verbs, std::vector<std::string>());
  const auto narrow = e.relinearize(this->of[3].c, client.relinearization);
  expect(client, narrow, this->of[3].values, 2, "relinearize");
}

// Multiplies factors of several sizes, one by one and in batches.
template <class S>
std::vector<std::vector<u64>> bits_on(std::string_view device) {
  testing::choose_seed(82);
  auto of_device = testing::words_of_short_form();
  of_device.levels = 4;
  const Client<S> client(testing::parameters_of<S>(of_device, kT), device, {1});
  const auto of = of_sizes(client, 4);
  std::vector<std::vector<u64>> bits;
  std::vector<Ciphertext<S>> left, right;
  for (const auto& [k, l] : {std::pair{2u, 2u}, {2u, 3u}, {2u, 3u}, {3u, 3u}, {3u, 3u}, {4u, 2u}}) {
    left.push_back(of[k].c.clone());
    right.push_back(of[l].c.clone());
    bits.push_back(testing::residues(client.evaluator.multiply(left.back(), right.back())));
  }
  const auto together = client.evaluator.multiply(left, right);
  for (std::size_t i = 0; i < together.size(); ++i) EXPECT_EQ(testing::residues(together[i]), bits[i]) << device;
  auto total = together[1].clone();
  client.evaluator.multiply_add_into(total, of[3].c, of[3].c);
  bits.push_back(testing::residues(total));
  bits.push_back(testing::residues(client.evaluator.mod_switch(total, 0)));
  return bits;
}

TYPED_TEST(IntegerSizes, EveryDeviceGivesTheSameResiduesAloneAndInBatches) {
  const auto expected = bits_on<TypeParam>("ref");
  for (const std::string_view device : ringfort::testing::all_devices())
    EXPECT_EQ(bits_on<TypeParam>(device), expected) << device;
}

TYPED_TEST(IntegerSizes, ProductsOfTwoPairsAreOneVerbTensor) {
  const Client<TypeParam> client(testing::parameters_of<TypeParam>(shape(), kT), "cpu", {1});
  const auto a = fresh(client, 1), wide = product(client, a, a);
  const auto tensors = [&](const auto& x, const auto& y) {
    const auto verbs = ringfort::testing::verbs_of(client.context, [&] { (void)client.evaluator.multiply(x.c, y.c); });
    EXPECT_EQ(std::count(verbs.begin(), verbs.end(), "zero") != 0, x.c.size() + y.c.size() > 4);
    return std::count(verbs.begin(), verbs.end(), "tensor");
  };
  EXPECT_EQ(tensors(a, a), (std::is_same_v<TypeParam, bfv::Scheme> ? 2 : 1));
  EXPECT_EQ(tensors(wide, a), 0);
}

// Returns parameters whose additional primes hold exactly `products` products of pairs.
bfv::Parameters parameters_for(std::size_t products) {
  auto longer = shape();
  longer.levels = 14;  // the plain modulus is long, and so is the noise of products
  for (u32 bits = 40; bits <= 50; ++bits) {
    const auto p =
        testing::parameters_of<bfv::Scheme>(longer, static_cast<u64>(ntt_primes(bits, kDegree, 1).take()[0]));
    const Context<bfv::Scheme> context(p);
    if (Policy<bfv::Scheme>::most_products(context.state()->ring, context.top_level()) == products) return p;
  }
  ADD_FAILURE() << "no parameters for " << products << " products";
  return testing::parameters_of<bfv::Scheme>(shape(), kT);
}

std::size_t divisions(const Client<bfv::Scheme>& client, const Traced<bfv::Scheme>& a, const Traced<bfv::Scheme>& b) {
  const auto verbs = ringfort::testing::verbs_of(client.context, [&] { (void)client.evaluator.multiply(a.c, b.c); });
  return static_cast<std::size_t>(std::count(verbs.begin(), verbs.end(), "mod_down"));
}

TEST(BfvSizes, AFactorOfMoreComponentsThanTheExtensionHoldsIsMultipliedInParts) {
  testing::choose_seed(83);
  for (const std::size_t most : {2u, 4u}) {
    const Client<bfv::Scheme> client(parameters_for(most), "cpu", {1});
    const auto of = of_sizes(client, 5);
    EXPECT_EQ(divisions(client, of[4], of[4]), 1u);
    EXPECT_EQ(divisions(client, of[5], of[5]), most == 2 ? 2u : 1u);
    for (const auto& [k, l] : {std::pair{4u, 4u}, {5u, 4u}, {5u, 5u}}) {
      const auto p = product(client, of[k], of[l]);
      expect(client, p.c, p.values, k + l - 1, "a product in parts");
    }
  }
}

// A batch of ciphertexts is cut into the same parts.
TEST(BfvSizes, PartsGiveTheSameResiduesOnEveryDeviceAloneAndInBatches) {
  const bfv::Parameters p = parameters_for(2);
  const auto bits_on = [&](std::string_view device) {
    testing::choose_seed(85);
    const Client<bfv::Scheme> client(p, device, {1});
    const auto of = of_sizes(client, 5);
    std::vector<Ciphertext<bfv::Scheme>> left, right;
    for (int i = 0; i < 3; ++i) {
      left.push_back(client.evaluator.multiply_integer(of[5].c, i + 1));
      right.push_back(of[5].c.clone());
    }
    std::vector<std::vector<u64>> bits;
    for (const auto& c : client.evaluator.multiply(left, right)) bits.push_back(testing::residues(c));
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(testing::residues(client.evaluator.multiply(left[i], right[i])), bits[i]) << device;
    return bits;
  };
  const auto expected = bits_on("ref");
  for (const std::string_view device : ringfort::testing::general_devices()) EXPECT_EQ(bits_on(device), expected);
  for (const std::string_view device : ringfort::testing::tested_gpus()) EXPECT_EQ(bits_on(device), expected);
}

// Returns a ciphertext with (Q - 1) / 2 in every coefficient of every component. No product is larger than its square.
Ciphertext<bfv::Scheme> largest(const Client<bfv::Scheme>& client, u32 components) {
  Ciphertext<bfv::Scheme> out = client.encrypt({});
  RlweCiphertext& ciphertext = out.state().rlwe;
  const KeyContext::State& k = *ciphertext.context;
  const Limbs data = k.chain.data(out.level());
  std::vector<u64> halves;
  for (u32 at = 0; at < components * data.count * k.p.n; ++at)
    halves.push_back(k.ring.basis()[data.first + at / k.p.n % data.count].value() / 2);
  auto words = k.ring.make<Coeff>(components, data);
  Staging staging(k.p.n);
  k.ring.upload(Stream{}, words.all(), std::span<const u64>(halves), staging);
  ciphertext.polynomials = k.ring.forward(Stream{}, std::move(words));
  ciphertext.components = components;
  return out;
}

// Returns the coefficients modulo the first prime, ordered by component.
std::vector<u64> coefficients(const Ciphertext<bfv::Scheme>& c) {
  const RlweCiphertext& ciphertext = c.state().rlwe;
  const Ring& ring = ciphertext.context->ring;
  const Limbs first{ciphertext.polynomials.limbs().first, 1};
  auto all = ring.make<Eval>(c.size(), first);
  ring.copy(Stream{}, all.all(), ciphertext.all().limbs(first));
  std::vector<u64> out(std::size_t{c.size()} * ring.n());
  Staging staging(ring.n());
  ring.download(Stream{}, ring.inverse(Stream{}, std::move(all)).all(), std::span<u64>(out), staging);
  return out;
}

// Every pair of components has the same product. A component of the result is the sum of some of these products, and
// differs only by roundings from a multiple of one product.
TEST(BfvSizes, ProductsOfTheLargestResiduesStayInTheExtension) {
  testing::choose_seed(84);
  for (const std::size_t most : {2u, 4u}) {
    const Client<bfv::Scheme> client(parameters_for(most));
    const auto two = largest(client, 2);
    const std::vector<u64> one = coefficients(client.evaluator.multiply(two, two));
    const KeyContext::State& k = *two.state().rlwe.context;
    const Modulus<u64>& q = k.ring.basis()[k.chain.data().first];
    for (const u32 size : {4u, 5u, 8u}) {
      const auto a = largest(client, size), b = largest(client, size);
      const std::vector<u64> found = coefficients(client.evaluator.multiply(a, b));
      for (u32 at = 0; at < found.size(); ++at) {
        const u32 component = at / kDegree, pairs = std::min(component + 1, 2 * size - 1 - component);
        const u64 difference = q.subtract(found[at], q.multiply(pairs, one[at % kDegree]));
        ASSERT_LE(std::min(difference, q.negate(difference)), pairs) << size << " " << component;
      }
    }
  }
}

}  // namespace
}  // namespace ringfort::integers::sizes_test
