// SPDX-License-Identifier: Apache-2.0
// Tests moved-from objects. They act as empty outputs, they are refused as operands, and they never end the process.
#include <gtest/gtest.h>

#include "support/integers.h"
#include "support/refused.h"

namespace ringfort {

namespace {

using testing::expect_refused;

// A client, a moved-from ciphertext `a`, and `kept`, to which the contents of `a` moved.
template <class Client>
struct Objects {
  explicit Objects(Client with) : client(std::move(with)), a(client.encrypt({1, -1, 1})), kept(std::move(a)) {}
  Client client;
  decltype(client.encrypt({})) a, kept;  // a is empty
};

struct CkksCase {
  static auto client() { return ckks::testing::Client(ckks::testing::parameters_of({})); }
};
struct BfvCase {
  static auto client() {
    return integers::testing::Client<bfv::Scheme>(
        integers::testing::parameters_of<bfv::Scheme>(integers::testing::bfv_shape()));
  }
};
struct BgvCase {
  static auto client() {
    return integers::testing::Client<bgv::Scheme>(
        integers::testing::parameters_of<bgv::Scheme>(integers::testing::bgv_shape()));
  }
};

template <class Case>
struct MovedFrom : ::testing::Test {
  MovedFrom() : o(Case::client()) {}
  Objects<decltype(Case::client())> o;
};
using Cases = ::testing::Types<CkksCase, BfvCase, BgvCase>;
TYPED_TEST_SUITE(MovedFrom, Cases);

TYPED_TEST(MovedFrom, CiphertextsSayTheyAreEmpty) {
  const auto& a = this->o.a;
  EXPECT_EQ(a.size(), 0u);
  EXPECT_EQ(a.level(), 0u);
  EXPECT_EQ(a.bytes(), 0u);
  EXPECT_EQ(a.device(), "");
  EXPECT_FALSE(a.bound_is_untrusted());
  EXPECT_EQ(a.clone().size(), 0u);
}

TYPED_TEST(MovedFrom, CiphertextsAreRefusedAsOperandsOfEveryVerb) {
  const auto& c = this->o.client;
  const auto &a = this->o.a, &b = this->o.kept;
  const auto refused = [](auto verb) { expect_refused(Code::invalid_argument, verb, "empty ciphertext"); };
  const auto& e = c.evaluator;
  auto sum = e.multiply(b, b);
  const auto plain = c.encoder.encode(std::vector<typename decltype(c.decrypt(b))::value_type>{1});
  refused([&] { (void)e.add(a, b); });
  refused([&] { (void)e.add(b, a); });
  refused([&] { (void)e.subtract(b, a); });
  refused([&] { (void)a.to(c.context); });
  refused([&] { (void)e.negate(a); });
  refused([&] { (void)e.add_plain(a, plain); });
  refused([&] { (void)e.multiply_plain(a, plain); });
  refused([&] { (void)e.multiply(a, b); });
  refused([&] { (void)e.multiply(b, a); });
  refused([&] { (void)e.square(a); });
  refused([&] { (void)e.multiply_integer(a, 3); });
  refused([&] { e.multiply_add_into(sum, a, b); });
  refused([&] { (void)e.relinearize(a, c.relinearization); });
  refused([&] { (void)e.mod_switch(a, 0); });
  refused([&] { (void)e.rotate(a, 1, c.galois); });
  refused([&] { (void)e.sum_slots(a, 4, c.galois); });
  refused([&] { (void)e.rotate_many(a, std::vector<std::int64_t>{1}, c.galois); });
  refused([&] { (void)e.inner_product({&a, 1}, {&b, 1}); });
  refused([&] { (void)e.inner_product_plain({&a, 1}, {&plain, 1}); });
  refused([&] { (void)e.add_many({&a, 1}); });
  refused([&] { (void)c.automatic.multiply(a, b); });
  refused([&] { (void)c.automatic.add(b, a); });
  refused([&] { (void)c.automatic.rotate(a, 1); });
  refused([&] { (void)c.automatic.power(a, 3); });
  refused([&] { (void)c.decryptor.decrypt(a); });
}

TYPED_TEST(MovedFrom, CiphertextsTakeResults) {
  const auto& c = this->o.client;
  auto &a = this->o.a, &b = this->o.kept;
  const auto expected = c.decrypt(c.evaluator.add(b, b));
  c.evaluator.add_into(a, b, b);
  EXPECT_EQ(c.decrypt(a).size(), expected.size());
  EXPECT_NEAR(static_cast<double>(c.decrypt(a)[2]), 2, 1e-6);
  auto elsewhere = std::move(a);
  c.encryptor.encrypt_into(a, c.decryptor.decrypt(b));
  EXPECT_NEAR(static_cast<double>(c.decrypt(a)[2]), 1, 1e-6);
  a = std::move(elsewhere);  // moves into an object that is not empty
  EXPECT_EQ(elsewhere.size(), 0u);
  EXPECT_EQ(a.size(), 2u);
}

TYPED_TEST(MovedFrom, PlaintextsAreEmptyAndRefused) {
  const auto& c = this->o.client;
  auto plain = c.decryptor.decrypt(this->o.kept);
  const auto elsewhere = std::move(plain);
  EXPECT_EQ(plain.device(), "");
  EXPECT_EQ(plain.clone().device(), "");
  expect_refused(Code::invalid_argument, [&] { (void)plain.to(c.context); }, "empty");
  expect_refused(Code::invalid_argument, [&] { (void)c.encryptor.encrypt(plain); }, "empty");
  expect_refused(Code::invalid_argument, [&] { (void)c.evaluator.add_plain(this->o.kept, plain); }, "empty");
  expect_refused(Code::invalid_argument, [&] { (void)c.evaluator.multiply_plain(this->o.kept, plain); }, "empty");
  if constexpr (requires { c.evaluator.prepare_plain(plain, 1); }) {
    expect_refused(Code::invalid_argument, [&] { (void)c.evaluator.prepare_plain(plain, 1); }, "empty");
  }
  plain = elsewhere.clone();
  EXPECT_EQ(c.encryptor.encrypt(plain).size(), 2u);
}

TYPED_TEST(MovedFrom, KeysAreRefusedByWhatNeedsThem) {
  auto& c = this->o.client;
  const auto& b = this->o.kept;
  const auto refused = [](auto use) { expect_refused(Code::invalid_argument, use, "moved"); };
  const auto three = c.evaluator.multiply(b, b);
  const RelinearizationKey relinearization = std::move(c.relinearization);
  const GaloisKeys galois = std::move(c.galois);
  const PublicKey open = std::move(c.open);
  const KeyGenerator generator = std::move(c.generator);
  refused([&] { (void)c.evaluator.relinearize(three, c.relinearization); });
  refused([&] { (void)c.evaluator.rotate(b, 1, c.galois); });
  refused([&] { (void)c.galois.plan(); });
  refused([&] { (void)c.open.device(); });
  refused([&] { (void)c.relinearization.to(c.context); });
  refused([&] { (void)decltype(c.encryptor)(c.context, c.open); });
  refused([&] { (void)decltype(c.decryptor)(c.context, c.generator.secret_key()); });
  refused([&] { (void)decltype(c.automatic)(c.context, &c.relinearization); });
  refused([&] { (void)c.generator.create_public_key(); });
  EXPECT_EQ(c.evaluator.relinearize(three, relinearization).size(), 2u);
}

// Contexts, encryptors and decryptors share their immutable parts. Therefore moved-from ones stay usable.
TYPED_TEST(MovedFrom, ContextsAndTheirUsersStayWhole) {
  auto& c = this->o.client;
  const auto context = std::move(c.context);
  const auto encryptor = std::move(c.encryptor);
  const auto decryptor = std::move(c.decryptor);
  EXPECT_EQ(c.context.top_level(), context.top_level());
  EXPECT_EQ(c.context.keys().device(), context.keys().device());
  EXPECT_NEAR(static_cast<double>(c.decrypt(c.encrypt({1}))[0]), 1, 1e-6);
}

}  // namespace

}  // namespace ringfort
