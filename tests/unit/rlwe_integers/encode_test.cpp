// SPDX-License-Identifier: Apache-2.0
// Tests encode_into of BFV and BGV. It must give the plaintexts of encode, in the memory of the output.
#include "support/integers.h"
#include "support/refused.h"

namespace ringfort::integers {
namespace {

using ringfort::testing::expect_refused;
using testing::Client;
using testing::Values;

template <class S>
class EncodeInto : public ::testing::Test {
 protected:
  EncodeInto() : client((testing::choose_seed(71), testing::parameters_of<S>(testing::bfv_shape()))) {}
  [[nodiscard]] static Values coefficients(const Plaintext<S>& plain) {
    const auto words = plain.state().coefficients.span();
    return {words.begin(), words.end()};
  }
  Client<S> client;
};

using Schemes = ::testing::Types<bfv::Scheme, bgv::Scheme>;
TYPED_TEST_SUITE(EncodeInto, Schemes);

TYPED_TEST(EncodeInto, GivesThePlaintextsOfEncodeInTheSameMemory) {
  const auto& encoder = this->client.encoder;
  const std::size_t n = this->client.context.parameters().chain.n;
  Values all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<i64>(i % 97) - 48;
  Plaintext<TypeParam> out;
  encoder.encode_into(out, all);
  EXPECT_EQ(this->coefficients(out), this->coefficients(encoder.encode(all)));
  const void* const memory = out.state().coefficients.data();
  for (const Values& values : {Values{3, -4}, Values{}, all}) {
    encoder.encode_into(out, values);
    EXPECT_EQ(this->coefficients(out), this->coefficients(encoder.encode(values)));
    EXPECT_EQ(out.state().coefficients.data(), memory);
  }
}

TYPED_TEST(EncodeInto, ReplacesThePreparedTransform) {
  const auto& e = this->client.evaluator;
  auto plain = this->client.encoder.encode(Values{7, 11, -2});
  e.prepare_plain(plain, this->client.context.top_level());
  this->client.encoder.encode_into(plain, Values{2, 3, 4});
  const auto product = e.multiply_plain(this->client.encrypt({5, -3, 100}), plain);
  const Values shown = this->client.decrypt(product);
  EXPECT_EQ(Values(shown.begin(), shown.begin() + 3), (Values{10, -9, 400 - 2 * 257}));
}

TYPED_TEST(EncodeInto, LeavesTheOutputEmptyOrUnchangedAfterAnError) {
  const auto& encoder = this->client.encoder;
  auto out = encoder.encode(Values{1, 2});
  expect_refused(Code::invalid_argument, [&] { encoder.encode_into(out, Values{1, 1 << 30}); }, "modulo t");
  EXPECT_EQ(out.device(), "");
  encoder.encode_into(out, Values{1, 2});
  EXPECT_EQ(this->coefficients(out), this->coefficients(encoder.encode(Values{1, 2})));
}

}  // namespace
}  // namespace ringfort::integers
