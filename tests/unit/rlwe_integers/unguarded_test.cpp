// SPDX-License-Identifier: Apache-2.0
// Tests BFV and BGV contexts without bounds (ChainParameters::unguarded_reason). Results are right as long as the
// measured budget is above zero, although a context with bounds refuses them earlier.
#include <cmath>

#include "ringfort/files.h"
#include "ringfort/residues.h"
#include "support/integers.h"
#include "support/refused.h"

namespace ringfort::integers {
namespace {

using ringfort::testing::expect_refused;
using testing::Client;
using testing::Values;

template <class S>
class UnguardedIntegers : public ::testing::Test {
 protected:
  static typename S::Parameters parameters(bool guarded) {
    auto p = testing::parameters_of<S>(testing::bfv_shape());
    if (!guarded) p.chain.unguarded_reason = "a test measures the noise itself";
    return p;
  }
  static Client<S> client(bool guarded) { return (testing::choose_seed(3), Client<S>(parameters(guarded))); }
};

using Schemes = ::testing::Types<bfv::Scheme, bgv::Scheme>;
TYPED_TEST_SUITE(UnguardedIntegers, Schemes);

TYPED_TEST(UnguardedIntegers, WordsAreThoseOfAGuardedContext) {
  const auto program = [](const Client<TypeParam>& c) {
    testing::choose_seed(5);
    const auto x = c.encrypt({1, 2, -3});
    return residues(c.evaluator.rotate(c.evaluator.relinearize(c.evaluator.square(x), c.relinearization), 1, c.galois));
  };
  EXPECT_EQ(program(this->client(true)), program(this->client(false)));
}

TYPED_TEST(UnguardedIntegers, ResultsAreRightUntilTheMeasuredBudgetIsGone) {
  const Client<TypeParam> guarded = this->client(true), free = this->client(false);
  const i64 t = static_cast<i64>(guarded.context.plain_modulus());
  auto bounded = guarded.encrypt({3, -5});
  auto x = free.encrypt({3, -5});
  Values expected{3, -5};
  int promised = 0, right = 0;
  // a phase that noise fills still measures a small part of a bit
  for (bool refused = false; free.decryptor.measured_budget_bits(x) >= 1 && right < 64; ++right) {
    const Values found = free.decrypt(x);
    EXPECT_EQ(Values(found.begin(), found.begin() + 2), expected) << right << " squares";
    if (!refused) {
      try {
        bounded = guarded.evaluator.relinearize(guarded.evaluator.square(bounded), guarded.relinearization);
        ++promised;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::noise_bound_exceeded);
        refused = true;
      }
    }
    x = free.evaluator.relinearize(free.evaluator.square(x), free.relinearization);
    for (i64& value : expected) value = centred(static_cast<u64>(value * value % t), static_cast<u64>(t));
  }
  EXPECT_GT(right, promised);  // the loop saw results that the bounds do not promise
  EXPECT_EQ(x.budget_bits(), -std::numeric_limits<double>::infinity());
  EXPECT_NO_THROW((void)free.decrypt(x));
}

TYPED_TEST(UnguardedIntegers, FilesKeepTheWordsAndDoNotOpenInAGuardedContext) {
  const Client<TypeParam> c = this->client(false);
  const auto x = c.evaluator.square(c.encrypt({7}));
  const io::Bytes bytes = io::encode_ciphertext(c.context, x);
  for (const bool trust : {false, true})
    EXPECT_EQ(residues(io::decode_ciphertext(c.context, bytes, trust)), residues(x));
  const Context<TypeParam> guarded(this->parameters(true));
  expect_refused(Code::io_digest, [&] { (void)io::decode_ciphertext(guarded, bytes); }, "context");
}

}  // namespace
}  // namespace ringfort::integers
