// SPDX-License-Identifier: Apache-2.0
// Tests operations on encrypted bits. Decryption inverts encryption. Gates have their truth tables. Bounds refuse an
// operation before decryption would fail. Mismatched keys are refused.
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
  const EncryptedBits bits = client.encrypt(plain);
  EXPECT_EQ(client.decrypt(bits), plain);
  EXPECT_EQ(client.decrypt(bits.clone()), plain);
  EXPECT_EQ(client.decrypt(client.encrypt({})), std::vector<u8>());
  const EncryptedBits other = client.encrypt(plain);
  const auto a = client.phase(bits, 0), b = client.phase(other, 0);
  EXPECT_FALSE(std::equal(a.data(), a.data() + a.size(), b.data())) << "two encryptions share their errors";
}

TEST_P(EveryPresetBits, NotAndOrFollowTheirTruthTables) {
  testing::choose_seed(52);
  Client client(GetParam());
  const Evaluator& evaluator = client.evaluator;
  const EncryptedBits a = client.encrypt(std::vector<u8>{0, 0, 1, 1}), b = client.encrypt(std::vector<u8>{0, 1, 0, 1});
  EXPECT_EQ(client.decrypt(evaluator.one_minus(a)), (std::vector<u8>{1, 1, 0, 0}));
  // with one digit, the gadget allows only external products, as in a search
  if (GetParam().preset == "gsw128-compact") {
    EXPECT_EQ(code_of([&] { (void)evaluator.multiply(a, b); }), Code::noise_bound_exceeded);
    return;
  }
  const EncryptedBits both = evaluator.multiply(a, b);
  EXPECT_EQ(client.decrypt(both), (std::vector<u8>{0, 0, 0, 1}));
  EXPECT_EQ(client.decrypt(evaluator.add(evaluator.add(a, b), evaluator.negate(both))), (std::vector<u8>{0, 1, 1, 1}));
  EXPECT_EQ(both.mode(), GetParam().mode);
  EXPECT_GT(both.noise_bits(), a.noise_bits());
}

INSTANTIATE_TEST_SUITE_P(Presets, EveryPresetBits, ::testing::ValuesIn(testing::all_cases()), testing::case_name);

TEST(RgswOperations, ACiphertextMayBeItsOwnOperand) {
  testing::choose_seed(53);
  Client client(preset("gsw128"), Mode::secret_key);
  const Evaluator& evaluator = client.evaluator;
  const EncryptedBits a = client.encrypt(std::vector<u8>{0, 1});
  EXPECT_EQ(client.decrypt(evaluator.multiply(a, a)), (std::vector<u8>{0, 1}));
  const EncryptedBits twice = evaluator.add(a, a);
  EXPECT_DOUBLE_EQ(twice.noise_bits(), a.noise_bits() + 1);  // the bound doubles, because the two errors are equal
  EXPECT_EQ(client.decrypt(evaluator.add(twice, evaluator.negate(a))), (std::vector<u8>{0, 1}));
  EXPECT_EQ(code_of([&] { (void)client.decrypt(twice); }), Code::invalid_argument);  // `twice` encrypts a 2
}

// Returns the residues of all rows.
std::vector<u64> words_of(const EncryptedBits& bits) {
  const EncryptedBits::State& b = bits.state();
  const Slice<Eval> rows = b.filled();
  const auto work = b.context->workspace();
  std::vector<u64> words(std::size_t{rows.batch()} * b.context->p.n);
  b.context->ring.download(work->stream, rows, std::span<u64>(words), work->staging);
  return words;
}

TEST(RgswOperations, AResultMayTakeTheMemoryOfItsOperands) {
  testing::choose_seed(58);
  Client client(testing::tiny(), Mode::secret_key);
  const Evaluator& evaluator = client.evaluator;
  const EncryptedBits a = client.encrypt(std::vector<u8>{0, 0, 1, 1}), b = client.encrypt(std::vector<u8>{0, 1, 0, 1});
  const auto equal = [](const EncryptedBits& x, const EncryptedBits& y) {
    return words_of(x) == words_of(y) && x.noise_bits() == y.noise_bits() && x.mode() == y.mode();
  };
  const auto two = [&](auto into, const EncryptedBits& expected) {
    EncryptedBits first = a.clone(), second = b.clone(), third = client.encrypt(std::vector<u8>{1, 1, 1, 1, 1});
    into(first, first, b);
    EXPECT_TRUE(equal(first, expected)) << "into the first operand";
    into(second, a, second);
    EXPECT_TRUE(equal(second, expected)) << "into the second operand";
    into(third, a, b);
    EXPECT_TRUE(equal(third, expected)) << "into a larger batch";
  };
  two([&](auto& out, const auto& x, const auto& y) { evaluator.add_into(out, x, y); }, evaluator.add(a, b));
  two([&](auto& out, const auto& x, const auto& y) { evaluator.multiply_into(out, x, y); }, evaluator.multiply(a, b));
  EncryptedBits negated = a.clone(), complement = a.clone(), square = a.clone();
  evaluator.negate_into(negated, negated);
  evaluator.one_minus_into(complement, complement);
  evaluator.multiply_into(square, square, square);
  EXPECT_TRUE(equal(negated, evaluator.negate(a)));
  EXPECT_TRUE(equal(complement, evaluator.one_minus(a)));
  EXPECT_TRUE(equal(square, evaluator.multiply(a, a)));
}

TEST(RgswOperations, AMovedFromBatchIsEmptyAndMayBeWritten) {
  testing::choose_seed(59);
  Client client(testing::tiny(), Mode::secret_key);
  EncryptedBits a = client.encrypt(std::vector<u8>{1});
  const EncryptedBits full = std::move(a);
  EXPECT_EQ(a.size(), 0u);
  EXPECT_EQ(code_of([&] { (void)client.evaluator.negate(a); }), Code::invalid_argument);
  EXPECT_EQ(code_of([&] { (void)client.evaluator.add(full, a); }), Code::invalid_argument);
  EXPECT_EQ(code_of([&] { (void)client.decrypt(a); }), Code::invalid_argument);
  client.evaluator.negate_into(a, full);
  EXPECT_EQ(a.size(), 1u);
  SecretKey key(client.keys.secret_key().state());
  const SecretKey moved = std::move(key);
  EXPECT_EQ(code_of([&] { (void)Encryptor(client.context, key); }), Code::invalid_argument);
}

TEST(RgswOperations, AFailedEncryptionLeavesAnEmptyBatch) {
  testing::choose_seed(62);
  Client client(testing::tiny(), Mode::secret_key);
  const Encryptor encryptor = client.encryptor(), foreign = Client(testing::tiny(), Mode::secret_key).encryptor();
  const std::vector<u8> good{1, 0}, bad{1, 2};
  const auto empties = [&](auto encrypt, Code code) {
    EncryptedBits out = client.encrypt(good);
    EXPECT_EQ(code_of([&] { encrypt(out); }), code);
    EXPECT_EQ(out.size(), 0u);
    EXPECT_EQ(code_of([&] { (void)client.evaluator.negate(out); }), Code::invalid_argument);
    EXPECT_EQ(code_of([&] { (void)client.decrypt(out); }), Code::invalid_argument);
    encryptor.encrypt_into(out, good);
    EXPECT_EQ(client.decrypt(out), good);
  };
  empties([&](EncryptedBits& out) { encryptor.encrypt_into(out, bad); }, Code::invalid_argument);
  empties(
      [&](EncryptedBits& out) {
        ringfort::testing::fail_entropy_at(1);
        encryptor.encrypt_into(out, good);
      },
      Code::entropy_unavailable);
  EncryptedBits out = client.encrypt(good);
  foreign.encrypt_into(out, good);  // succeeds, and gives `out` another context
  EXPECT_EQ(code_of([&] { (void)client.evaluator.add(out, client.encrypt(good)); }), Code::parameters_mismatch);
}

TEST(MovedFrom, RgswContextsAndTheirUsersStayWhole) {
  testing::choose_seed(61);
  Client client(testing::tiny(), Mode::secret_key);
  Context context = client.context;
  Encryptor encryptor = client.encryptor();
  Decryptor decryptor(context, client.keys.secret_key());
  Evaluator evaluator(context);
  const Context other_context = std::move(context);
  const Encryptor other_encryptor = std::move(encryptor);
  const Decryptor other_decryptor = std::move(decryptor);
  const Evaluator other_evaluator = std::move(evaluator);
  EXPECT_EQ(context.parameters().name, other_context.parameters().name);
  EXPECT_EQ(decryptor.decrypt(evaluator.negate(encryptor.encrypt(std::vector<u8>{0}))), std::vector<u8>{0});
}

TEST(RgswOperations, ScratchMemoryIsTheDevicesAndServesTheNextOperation) {
  testing::choose_seed(60);
  Client client(testing::tiny(1024), Mode::secret_key);
  EncryptedBits bits = client.encrypt(std::vector<u8>{1, 0, 1});
  const EncryptedBits others[] = {client.encrypt(std::vector<u8>{1, 0, 1}), client.encrypt(std::vector<u8>{1, 0, 1})};
  MatchSum sum(client.context, plan_search(client.context.parameters(), client.mode, 3, 3, 3, 16));
  client.search.add_match(sum, {&bits, 0, 0}, testing::pattern(5, 3));
  const DeviceMemory before = client.context.memory();
  for (const u32 i : {0u, 1u}) client.search.add_match(sum, {&others[i], 0, i + 1}, testing::pattern(5, 3));
  client.encryptor().encrypt_into(bits, std::vector<u8>{0, 1, 1});
  (void)client.decrypt(bits);
  const DeviceMemory after = client.context.memory();
  EXPECT_EQ(after.used, before.used) << "no operation holds memory when it has ended";
  EXPECT_GT(after.hits, before.hits);
  EXPECT_EQ(client.counts(client.search.make_answer(sum))[0], 1u);
}

TEST(RgswOperations, AnOperationThatWouldPassTheBoundIsRefusedBeforeItRuns) {
  testing::choose_seed(54);
  Client client(preset("gsw128"), Mode::secret_key);
  const Evaluator& evaluator = client.evaluator;
  EncryptedBits product = client.encrypt(std::vector<u8>{1});
  int products = 0;
  EXPECT_EQ(code_of([&] {
              for (; products < 100; ++products) product = evaluator.multiply(product, product);
            }),
            Code::noise_bound_exceeded);
  EXPECT_GE(products, 1);  // at least one square succeeds; each square multiplies the noise by 2^21
  EXPECT_EQ(client.decrypt(product), std::vector<u8>{1}) << "the operand was touched";
}

// Returns coefficient i of c0 - t c1, in (-q/2, q/2), by schoolbook multiplication. `words` contains c0 and c1.
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
  const auto work = client.context.state()->workspace();
  ProductChain chain(*client.context.state(), *work);
  const Ring& ring = chain.ring();
  const EncryptedBits bits = client.encrypt(std::vector<u8>{0, 1});
  const u64 scale = u64{1} << 40;
  for (const u32 bit : {0u, 1u}) {
    for (const bool wanted : {false, true}) {
      std::vector<u64> words(128);
      words[3] = scale;  // the pair (scale x^3, 0)
      ring.upload(work->stream, chain.accumulator(), std::span<const u64>(words), work->staging);
      chain.select(bits.state().bit(bit), wanted);
      ring.download(work->stream, chain.accumulator(), std::span<u64>(words), work->staging);
      const auto t = client.secret().secret.coefficients.span();
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
    const KeyGenerator keys(context);
    EXPECT_EQ(code_of([&] { (void)keys.create_public_key(); }), Code::mode_forbidden);
    EXPECT_EQ(code_of([&] { (void)plan_search(context.parameters(), Mode::public_key, 1, 1, 8, 16); }),
              Code::mode_forbidden);
  }
  Client a(testing::tiny(), Mode::public_key), b(testing::tiny(), Mode::public_key);
  const std::vector<u8> one = {1};
  const EncryptedBits x = a.encrypt(one), y = b.encrypt(one), two = a.encrypt(std::vector<u8>{1, 0});
  EXPECT_EQ(code_of([&] { (void)a.evaluator.add(x, y); }), Code::parameters_mismatch);
  EXPECT_EQ(code_of([&] { (void)b.evaluator.add(x, x); }), Code::parameters_mismatch);
  EXPECT_EQ(code_of([&] { (void)a.evaluator.add(x, two); }), Code::invalid_argument);
  EXPECT_EQ(code_of([&] { (void)b.decrypt(x); }), Code::parameters_mismatch);
  EXPECT_EQ(code_of([&] { (void)Encryptor(a.context, b.keys.secret_key()).encrypt(one); }), Code::parameters_mismatch);
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
  EXPECT_EQ(failing_at(1, [&] { (void)KeyGenerator(client.context); }), Code::entropy_unavailable);
  for (const u64 k : {1, 2}) {
    EXPECT_EQ(failing_at(k, [&] { (void)client.keys.create_public_key(); }), Code::entropy_unavailable);
    EXPECT_EQ(failing_at(k, [&] { (void)Encryptor(client.context, client.keys.secret_key()).encrypt(one); }),
              Code::entropy_unavailable);
  }
  EXPECT_EQ(failing_at(1, [&] { (void)client.encrypt(one); }), Code::entropy_unavailable);
}

}  // namespace
}  // namespace ringfort::rgsw
