// SPDX-License-Identifier: Apache-2.0
// Encrypted bits: decryption inverts encryption, truth tables, bounds that refuse before they break, keys and mismatches.
#include <gtest/gtest.h>

#include "ringfort/error.h"
#include "scheme/rgsw/decrypt.h"
#include "scheme/rgsw/external_product.h"
#include "support/rgsw.h"

namespace ringfort::rgsw {
namespace {

using testing::Client;

template <class F>
Code code_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_FALSE(e.fix().empty()) << e.what();
    return e.code();
  }
  return Code::internal;
}

class EveryPresetBits : public ::testing::TestWithParam<testing::Case> {};

TEST_P(EveryPresetBits, DecryptionInvertsEncryption) {
  testing::choose_seed(51);
  Client client(GetParam());
  const std::vector<u8> plain = {0, 1, 1, 0, 1};
  const Bits bits = client.encrypt(plain);
  EXPECT_EQ(decrypt_bits(client.secret, bits, client.worker), plain);
  EXPECT_EQ(decrypt_bits(client.secret, bits.clone(client.worker), client.worker), plain);
  EXPECT_EQ(decrypt_bits(client.secret, client.encrypt({}), client.worker), std::vector<u8>());
  const Bits other = client.encrypt(plain);
  const auto a = row_phase(client.secret, bits, 0, 0, client.worker.state()), b = row_phase(client.secret, other, 0, 0, client.worker.state());
  EXPECT_FALSE(std::equal(a.data(), a.data() + a.size(), b.data())) << "two encryptions share their errors";
}

TEST_P(EveryPresetBits, NotAndOrFollowTheirTruthTables) {
  testing::choose_seed(52);
  Client client(GetParam());
  Worker& w = client.worker;
  const Bits a = client.encrypt(std::vector<u8>{0, 0, 1, 1}), b = client.encrypt(std::vector<u8>{0, 1, 0, 1});
  EXPECT_EQ(decrypt_bits(client.secret, one_minus(a, w), w), (std::vector<u8>{1, 1, 0, 0}));
  if (GetParam().preset == "gsw128-compact") {                          // one digit: only external products, as in a search
    EXPECT_EQ(code_of([&] { (void)multiply(a, b, w); }), Code::noise_bound_exceeded);
    return;
  }
  const Bits both = multiply(a, b, w);
  EXPECT_EQ(decrypt_bits(client.secret, both, w), (std::vector<u8>{0, 0, 0, 1}));
  EXPECT_EQ(decrypt_bits(client.secret, add(add(a, b, w), negate(both, w), w), w), (std::vector<u8>{0, 1, 1, 1}));
  EXPECT_EQ(both.mode(), GetParam().mode);
  EXPECT_GT(both.noise_bits(), a.noise_bits());
}

INSTANTIATE_TEST_SUITE_P(Presets, EveryPresetBits, ::testing::ValuesIn(testing::all_cases()), testing::case_name);

TEST(RgswOperations, ACiphertextMayBeItsOwnOperand) {
  testing::choose_seed(53);
  Client client(preset("gsw128"), Mode::secret_key);
  Worker& w = client.worker;
  const Bits a = client.encrypt(std::vector<u8>{0, 1});
  EXPECT_EQ(decrypt_bits(client.secret, multiply(a, a, w), w), (std::vector<u8>{0, 1}));
  const Bits twice = add(a, a, w);
  EXPECT_DOUBLE_EQ(twice.noise_bits(), a.noise_bits() + 1);            // linear: the errors are the same
  EXPECT_EQ(decrypt_bits(client.secret, add(twice, negate(a, w), w), w), (std::vector<u8>{0, 1}));
  EXPECT_EQ(code_of([&] { (void)decrypt_bits(client.secret, twice, w); }), Code::invalid_argument);   // holds a 2
}

TEST(RgswOperations, AnOperationThatWouldPassTheBoundIsRefusedBeforeItRuns) {
  testing::choose_seed(54);
  Client client(preset("gsw128"), Mode::secret_key);
  Worker& w = client.worker;
  Bits product = client.encrypt(std::vector<u8>{1});
  int products = 0;
  EXPECT_EQ(code_of([&] {
    for (; products < 100; ++products) product = multiply(product, product, w);
  }), Code::noise_bound_exceeded);
  EXPECT_GE(products, 1);                                              // x^2; each level amplifies by 2^21
  EXPECT_EQ(decrypt_bits(client.secret, product, w), std::vector<u8>{1}) << "the operand was touched";
}

// Coefficient i of c0 - t c1, in (-q/2, q/2), by schoolbook; words are c0 and c1.
i128 phase_of(const std::vector<u64>& words, std::span<const i8> t, u64 q, u32 i) {
  const u32 n = static_cast<u32>(t.size());
  i128 phase = static_cast<i128>(words[i]);
  for (u32 k = 0; k < n; ++k) {
    const i128 product = static_cast<i128>(t[k]) * static_cast<i128>(words[n + (i + n - k) % n]);
    phase += i >= k ? -product : product;
  }
  const i128 wide = static_cast<i128>(q), reduced = (phase % wide + wide) % wide;
  return reduced > wide / 2 ? reduced - wide : reduced;
}

TEST(RgswOperations, SelectKeepsOrClearsAnAccumulator) {
  testing::choose_seed(55);
  Client client(testing::tiny(64), Mode::secret_key);
  Worker::State& w = client.worker.state();
  const Ring& ring = w.context->ring;
  const Bits bits = client.encrypt(std::vector<u8>{0, 1});
  const u64 scale = u64{1} << 40;
  for (const u32 bit : {0u, 1u}) {
    for (const bool wanted : {false, true}) {
      std::vector<u64> words(128);
      words[3] = scale;                                                // (scale x^3, 0)
      ring.upload(w.stream, w.accumulator.all(), std::span<const u64>(words), w.scratch.staging);
      select(bits.state().bit(bit), wanted, w);
      ring.download(w.stream, w.accumulator.all(), std::span<u64>(words), w.scratch.staging);
      const auto t = client.secret.state().secret.coefficients.span();
      for (u32 i = 0; i < 64; ++i) {
        const i128 kept = i == 3 && (bit == 1) == wanted ? static_cast<i128>(scale) : 0;
        const i128 error = phase_of(words, t, ring.q(), i) - kept;
        EXPECT_LT(error < 0 ? -error : error, i128{1} << 28) << "bit=" << bit << " wanted=" << wanted << " i=" << i;
      }
    }
  }
}

TEST(RgswOperations, ForbiddenModesAndMixedContextsAreCodedErrors) {
  testing::choose_seed(56);
  for (const std::string_view name : {"gsw128-compact", "paper-row-b256"}) {
    const Context context(preset(name, true));
    const SecretKey key = generate_secret_key(context);
    EXPECT_EQ(code_of([&] { (void)generate_public_key(context, key); }), Code::mode_forbidden);
    EXPECT_EQ(code_of([&] { (void)plan_search(context.parameters(), Mode::public_key, 1, 1, 8, 16); }), Code::mode_forbidden);
  }
  Client a(testing::tiny(), Mode::public_key), b(testing::tiny(), Mode::public_key);
  const std::vector<u8> one = {1};
  const Bits x = a.encrypt(one), y = b.encrypt(one), two = a.encrypt(std::vector<u8>{1, 0});
  EXPECT_EQ(code_of([&] { (void)add(x, y, a.worker); }), Code::parameters_mismatch);
  EXPECT_EQ(code_of([&] { (void)add(x, x, b.worker); }), Code::parameters_mismatch);
  EXPECT_EQ(code_of([&] { (void)add(x, two, a.worker); }), Code::invalid_argument);
  EXPECT_EQ(code_of([&] { (void)decrypt_bits(b.secret, x, a.worker); }), Code::parameters_mismatch);
  EXPECT_EQ(code_of([&] { (void)encrypt(a.context, b.secret, one, a.worker); }), Code::parameters_mismatch);
  EXPECT_EQ(code_of([&] { (void)a.encrypt(std::vector<u8>{0, 2}); }), Code::invalid_argument);
}

TEST(RgswOperations, NoRandomnessMeansNoKeyAndNoCiphertext) {
  testing::choose_seed(57);
  Client client(testing::tiny(), Mode::public_key);
  const std::vector<u8> one = {1};
  const auto failing_at = [&](u64 k, auto operation) {
    ringfort::testing::fail_entropy_at(k);
    const Code code = code_of(operation);
    ringfort::testing::fail_entropy_at(0);
    return code;
  };
  EXPECT_EQ(failing_at(1, [&] { (void)generate_secret_key(client.context); }), Code::entropy_unavailable);
  for (const u64 k : {1, 2}) {
    EXPECT_EQ(failing_at(k, [&] { (void)generate_public_key(client.context, client.secret); }), Code::entropy_unavailable);
    EXPECT_EQ(failing_at(k, [&] { (void)encrypt(client.context, client.secret, one, client.worker); }), Code::entropy_unavailable);
  }
  EXPECT_EQ(failing_at(1, [&] { (void)client.encrypt(one); }), Code::entropy_unavailable);
}

}  // namespace
}  // namespace ringfort::rgsw
