// SPDX-License-Identifier: Apache-2.0
// Tests that prepared plaintexts of BFV and BGV keep their transform. Products with them must have the same bits at
// every level, and must not compute this transform again.
#include <algorithm>

#include "support/integers.h"
#include "support/refused.h"

namespace ringfort::integers {
namespace {

using ringfort::testing::expect_refused;
using testing::Client;
using testing::Values;

template <class S>
class PreparedPlaintexts : public ::testing::Test {
 protected:
  PreparedPlaintexts()
      : client((testing::choose_seed(67), testing::parameters_of<S>(testing::bfv_shape()))),
        a(client.encrypt({5, -3, 100})) {}

  [[nodiscard]] static std::vector<u64> words(const Ciphertext<S>& c) {
    const RlweCiphertext& ciphertext = c.state().rlwe;
    std::vector<u64> out(ciphertext_bytes(ciphertext) / sizeof(u64));
    Staging staging(ciphertext.context->p.n);
    ciphertext.context->ring.download(Stream{}, ciphertext.all(), std::span<u64>(out), staging);
    return out;
  }
  // Returns how many transforms one product computes.
  [[nodiscard]] std::size_t transforms(const Plaintext<S>& plain) const {
    const Profile profile;
    client.context.keys().profile(&profile);
    (void)client.evaluator.multiply_plain(a, plain);
    client.context.keys().profile(nullptr);
    const std::vector<VerbRecord> records = profile.records();
    return static_cast<std::size_t>(
        std::count_if(records.begin(), records.end(), [](const VerbRecord& record) { return record.verb == "ntt"; }));
  }

  Client<S> client;
  Ciphertext<S> a;
};

using Schemes = ::testing::Types<bfv::Scheme, bgv::Scheme>;
TYPED_TEST_SUITE(PreparedPlaintexts, Schemes);

TYPED_TEST(PreparedPlaintexts, MultiplyBitForBitAtTheirLevelBelowAndAbove) {
  const auto& e = this->client.evaluator;
  const auto plain = this->client.encoder.encode(Values{7, 11, -2});
  for (u32 prepared = 0; prepared <= this->client.context.top_level(); ++prepared) {
    auto kept = plain.clone();
    e.prepare_plain(kept, prepared);
    for (u32 level = 0; level <= this->client.context.top_level(); ++level) {
      const auto at = e.mod_switch(this->a, level);
      EXPECT_EQ(this->words(e.multiply_plain(at, kept)), this->words(e.multiply_plain(at, plain)))
          << "prepared for " << prepared << ", at " << level;
    }
  }
}

TYPED_TEST(PreparedPlaintexts, AreTransformedOnce) {
  auto plain = this->client.encoder.encode(Values{7, 11, -2});
  EXPECT_EQ(this->transforms(plain), 1u);
  this->client.evaluator.prepare_plain(plain, this->a.level());
  EXPECT_EQ(this->transforms(plain), 0u);
  EXPECT_EQ(this->transforms(plain.clone()), 0u);
}

TYPED_TEST(PreparedPlaintexts, StayPreparedOnAnotherDevice) {
  const Context<TypeParam> there(this->client.context.parameters(), "ref");
  auto plain = this->client.encoder.encode(Values{7, 11, -2});
  const auto expected = this->words(this->client.evaluator.multiply_plain(this->a, plain));
  this->client.evaluator.prepare_plain(plain, this->a.level());
  const auto moved = plain.to(there);
  plain = this->client.encoder.encode(Values{1});
  const auto product = Evaluator<TypeParam>(there).multiply_plain(this->a.to(there), moved);
  EXPECT_EQ(this->words(product.to(this->client.context)), expected);
}

TYPED_TEST(PreparedPlaintexts, AreNotMadeOfNothingForeignersOrLevelsThatAreNot) {
  const auto& e = this->client.evaluator;
  Plaintext<TypeParam> empty;
  expect_refused(Code::invalid_argument, [&] { e.prepare_plain(empty, 0); }, "encode something");
  const Client<TypeParam> other(testing::parameters_of<TypeParam>(testing::bfv_shape()));
  auto foreign = other.encoder.encode(Values{1});
  expect_refused(Code::parameters_mismatch, [&] { e.prepare_plain(foreign, 0); }, "one Context");
  auto plain = this->client.encoder.encode(Values{1});
  expect_refused(
      Code::invalid_argument, [&] { e.prepare_plain(plain, this->client.context.top_level() + 1); }, "highest level");
}

}  // namespace
}  // namespace ringfort::integers
