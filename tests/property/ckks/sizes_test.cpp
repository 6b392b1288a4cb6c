// SPDX-License-Identifier: Apache-2.0
// Tests CKKS ciphertexts of 2 to 16 components: products of factors of several sizes, all verbs that take any size, and
// the refusals of the others. The error of each result is compared with its public bound, and residues on every device
// with those of `ref`.
#include "support/ckks.h"
#include "support/devices.h"
#include "support/observed.h"
#include "support/refused.h"

namespace ringfort::ckks::sizes_test {
namespace {

using ringfort::testing::expect_refused;
using testing::Client;
using testing::Shape;
using testing::Values;

// Values are encoded at the scale 2^34. The modulus has room for products of 15 such values.
Parameters parameters() {
  Shape shape;
  shape.levels = 11;
  shape.bits = shape.first_bits = shape.special_bits = 50;
  Parameters p = testing::parameters_of(shape);
  p.scale = std::exp2(50);
  return p;
}

struct Traced {
  Ciphertext c;
  Values values;
};

class CkksSizes : public ::testing::Test {
 protected:
  CkksSizes() : client((testing::choose_seed(31), parameters())), of(3) {
    of[2] = fresh(2);
    for (u32 size = 3; size <= 6; ++size) of.push_back(product(of[size - 1], fresh(size)));
  }
  [[nodiscard]] Traced fresh(u64 seed) const {
    const Values x = testing::random_values(client.context.slots(), seed);
    const Plaintext plain = client.encoder.encode(x, {client.context.top_level(), std::exp2(34), {}});
    return {Encryptor(client.context, client.open).encrypt(plain), x};
  }
  [[nodiscard]] Traced product(const Traced& a, const Traced& b) const {
    return {client.evaluator.multiply(a.c, b.c), each([&](u32 i) { return a.values[i] * b.values[i]; })};
  }
  template <class F>
  [[nodiscard]] Values each(F f) const {
    Values out(client.context.slots());
    for (u32 i = 0; i < out.size(); ++i) out[i] = f(i);
    return out;
  }
  void expect(const Ciphertext& c, const Values& expected, u32 size, std::string_view what) const {
    EXPECT_EQ(c.size(), size) << what;
    EXPECT_LE(testing::largest_difference(client.decrypt(c), expected), testing::claimed_error(client, c)) << what;
    EXPECT_GE(c.precision_bits(), 5) << what;
  }
  Client client;
  std::vector<Traced> of;
};

TEST_F(CkksSizes, ProductsOfAnySizesAreWithinTheirBoundsAlsoAfterARescaling) {
  for (const auto& [k, l] : {std::pair{2u, 3u}, {3u, 2u}, {3u, 3u}, {2u, 4u}, {5u, 3u}, {3u, 5u}, {6u, 6u}}) {
    const Traced p = product(of[k], of[l]);
    const std::string what = std::to_string(k) + " times " + std::to_string(l);
    expect(p.c, p.values, k + l - 1, what);
    expect(client.evaluator.rescale(p.c), p.values, k + l - 1, what + ", rescaled");
    expect(client.evaluator.mod_switch(p.c, p.c.level() - 1), p.values, k + l - 1, what + ", at a lower level");
  }
  const Ciphertext square = client.evaluator.square(of[4].c);
  expect(square, each([&](u32 i) { return of[4].values[i] * of[4].values[i]; }), 7, "a square");
}

TEST_F(CkksSizes, SixteenComponentsAreTheMost) {
  const Traced eight = product(of[4], of[5]), nine = product(of[5], of[5]), all = product(eight, nine);
  expect(all.c, all.values, 16, "8 times 9");
  expect(client.evaluator.rescale(all.c), all.values, 16, "8 times 9, rescaled");
  const auto verbs = ringfort::testing::verbs_of(client.context, [&] {
    expect_refused(Code::invalid_argument, [&] { (void)client.evaluator.square(nine.c); }, "relinearize each product");
  });
  EXPECT_EQ(verbs, std::vector<std::string>());
}

TEST_F(CkksSizes, EveryVerbOfSumsTakesAnySize) {
  const Evaluator& e = client.evaluator;
  const Values &u = of[2].values, &v = of[3].values, &x = of[4].values;
  const Ciphertext& wide = of[4].c;
  const Ciphertext other = e.upscale(of[3].c, i64{1} << 34);  // has the scale of `wide`, and one component less
  ASSERT_EQ(other.scale(), wide.scale());
  expect(e.add(wide, other), each([&](u32 i) { return x[i] + v[i]; }), 4, "add");
  expect(e.add(other, wide), each([&](u32 i) { return x[i] + v[i]; }), 4, "add");
  expect(e.subtract(other, wide), each([&](u32 i) { return v[i] - x[i]; }), 4, "subtract");
  expect(e.negate(wide), each([&](u32 i) { return -x[i]; }), 4, "negate");
  const Plaintext equal = client.encoder.encode_public(u, {wide.level(), wide.scale(), {}}),
                  small = client.encoder.encode_public(u, {wide.level(), std::exp2(34), {}});
  expect(e.add_plain(wide, equal), each([&](u32 i) { return x[i] + u[i]; }), 4, "add_plain");
  expect(e.subtract_plain(wide, equal), each([&](u32 i) { return x[i] - u[i]; }), 4, "subtract_plain");
  expect(e.multiply_plain(wide, small), each([&](u32 i) { return x[i] * u[i]; }), 4, "multiply_plain");
  expect(e.multiply_integer(wide, -3), each([&](u32 i) { return -3 * x[i]; }), 4, "multiply_integer");
  const Ciphertext terms[] = {other.clone(), wide.clone(), other.clone()};
  expect(e.add_many(terms), each([&](u32 i) { return x[i] + 2 * v[i]; }), 4, "add_many");
  for (const Ciphertext* start : {&wide, &other}) {
    const Values& first = start == &wide ? x : v;
    Ciphertext total = start->clone();
    e.multiply_add_into(total, of[3].c, of[2].c);
    expect(total, each([&](u32 i) { return first[i] + v[i] * u[i]; }), 4, "multiply_add");
  }
  const Ciphertext left[] = {of[2].c.clone(), of[3].c.clone()}, right[] = {of[4].c.clone(), of[3].c.clone()};
  expect(e.inner_product(left, right), each([&](u32 i) { return u[i] * x[i] + v[i] * v[i]; }), 5, "inner_product");
}

TEST_F(CkksSizes, OnlyThreeComponentsAreRelinearizedAndOnlyTwoAreRotated) {
  const Evaluator& e = client.evaluator;
  const auto verbs = ringfort::testing::verbs_of(client.context, [&] {
    for (const u32 size : {4u, 5u}) {
      const Ciphertext& c = of[size].c;
      const auto refused = [](auto verb) { expect_refused(Code::invalid_argument, verb, "only s^2"); };
      refused([&] { (void)e.relinearize(c, client.relinearization); });
      refused([&] { (void)e.relinearize(std::span(&c, 1), client.relinearization); });
      refused([&] { (void)e.relinearize_rescale(c, client.relinearization); });
      refused([&] { (void)e.multiply_relinearize_rescale(c, of[2].c, client.relinearization); });
      refused([&] { (void)e.rotate(c, 1, client.galois); });
      refused([&] { (void)e.conjugate(c, client.galois); });
    }
  });
  EXPECT_EQ(verbs, std::vector<std::string>());
  expect(e.relinearize(of[3].c, client.relinearization), of[3].values, 2, "relinearize");
}

TEST(CkksSizesOnDevices, GiveTheSameResiduesAloneAndInBatches) {
  const auto bits_on = [](std::string_view device) {
    testing::choose_seed(32);
    Shape shape = testing::words_of_short_form();
    shape.levels = 4;
    const Client client(testing::parameters_of(shape), device, {1});
    const Ciphertext two = client.encrypt({0.5, -0.25}), three = client.evaluator.square(two);
    const std::pair<const Ciphertext*, const Ciphertext*> pairs[] = {
        {&two, &two}, {&two, &three}, {&two, &three}, {&three, &three}, {&three, &three}};
    std::vector<std::vector<u64>> bits;
    std::vector<Ciphertext> left, right;
    for (const auto& [a, b] : pairs) {
      left.push_back(a->clone());
      right.push_back(b->clone());
      bits.push_back(testing::residues(client.evaluator.multiply(*a, *b)));
    }
    const auto together = client.evaluator.multiply(left, right);
    for (std::size_t i = 0; i < together.size(); ++i) EXPECT_EQ(testing::residues(together[i]), bits[i]) << device;
    bits.push_back(testing::residues(client.evaluator.rescale(together.back())));
    return bits;
  };
  const auto expected = bits_on("ref");
  for (const std::string_view device : ringfort::testing::all_devices()) EXPECT_EQ(bits_on(device), expected) << device;
}

}  // namespace
}  // namespace ringfort::ckks::sizes_test
