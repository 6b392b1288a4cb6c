// SPDX-License-Identifier: Apache-2.0
// Tests files of CKKS, BFV and BGV. Objects must come back bit for bit on the devices `ref` and `cpu`. Stored files of
// released versions must stay readable. A ciphertext's file states its noise bound. decode_ciphertext() can compute the
// bound of a fresh encryption itself. For any other ciphertext, the bound is a claim of the file's writer. With trust
// (trust_bound = true), decode_ciphertext() uses the claim and marks the bound as untrusted. Without trust, it refuses
// the ciphertext.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <complex>
#include <set>

#include "../../../fuzz/mend.h"
#include "io/checksum.h"
#include "scheme/bgv/wire.h"
#include "support/leveled_files.h"
#include "support/memory_scan.h"
#include "support/refused.h"

namespace ringfort::testing {
namespace {

using Values = ckks::testing::Values;

class OnDevice : public ::testing::TestWithParam<std::string> {};

// All keys and ciphertexts of one program pass through files. This program must compute the same bits as a program
// without files.
TEST_P(OnDevice, CkksComputesTheSameWithWhatCameFromFiles) {
  choose_seed(5);
  const ckks::testing::Client c(small_ckks(), GetParam(), {1, -3});
  const ckks::Context& on = c.context;
  const auto secret = io::decode_secret_key(on, io::encode_secret_key(on, c.generator.secret_key(), ""));
  const auto open = io::decode_public_key(on, io::encode_key(on, c.open));
  const auto relinearization = io::decode_relinearization_key(on, io::encode_key(on, c.relinearization));
  const auto galois = io::decode_galois_keys(on, io::encode_key(on, c.galois));
  EXPECT_EQ(galois.plan().steps, c.galois.plan().steps);
  EXPECT_EQ(galois.plan().galois_bytes, c.galois.plan().galois_bytes);
  const auto a = c.encrypt({0.5, -0.25}), b = io::decode_ciphertext(on, io::encode_ciphertext(on, a));
  EXPECT_EQ(ckks::testing::residues(a), ckks::testing::residues(b));
  const ckks::AutomaticEvaluator stored(on, &relinearization, &galois);
  const auto x = c.automatic.conjugate(c.automatic.rotate(c.automatic.square(a), -3)),
             y = stored.conjugate(stored.rotate(stored.square(b), -3));
  EXPECT_EQ(ckks::testing::residues(x), ckks::testing::residues(y));
  EXPECT_EQ(x.precision_bits(), y.precision_bits());
  Values out(2);
  c.encoder.decode(ckks::Decryptor(on, secret).decrypt(io::decode_ciphertext(on, io::encode_ciphertext(on, y))),
                   std::span<double>(out));
  EXPECT_NEAR(out[1], 0.0, 1e-4);
  choose_seed(6);
  const auto p = ckks::Encryptor(on, c.open).encrypt(c.encoder.encode(Values{0.5}));
  choose_seed(6);
  const auto q = ckks::Encryptor(on, open).encrypt(c.encoder.encode(Values{0.5}));
  EXPECT_EQ(ckks::testing::residues(p), ckks::testing::residues(q));
}

template <class S>
void integers_through_files(const typename S::Parameters& p, const std::string& device) {
  choose_seed(7);
  const integers::testing::Client<S> c(p, device, {1});
  const auto& on = c.context;
  const auto relinearization = io::decode_relinearization_key(on, io::encode_key(on, c.relinearization));
  const auto a = c.encrypt({1, -2, 3}), b = io::decode_ciphertext(on, io::encode_ciphertext(on, a));
  EXPECT_EQ(a.budget_bits(), b.budget_bits());
  const auto x = c.evaluator.relinearize(c.evaluator.square(a), c.relinearization),
             y = c.evaluator.relinearize(c.evaluator.square(b), relinearization);
  EXPECT_EQ(integers::testing::residues(x), integers::testing::residues(y));
  const auto again = io::decode_ciphertext(on, io::encode_ciphertext(on, c.evaluator.mod_switch(y, 0)));
  EXPECT_EQ(c.decrypt(again)[2], 9);
  EXPECT_EQ(c.decrypt(again)[1], 4);
}

TEST_P(OnDevice, BfvAndBgvComputeTheSameWithWhatCameFromFiles) {
  integers_through_files<bfv::Scheme>(small_integers<bfv::Scheme>(integers::testing::bfv_shape()), GetParam());
  integers_through_files<bgv::Scheme>(small_integers<bgv::Scheme>(integers::testing::bgv_shape()), GetParam());
}

INSTANTIATE_TEST_SUITE_P(LeveledFiles, OnDevice, ::testing::Values("ref", "cpu"));

// Tests words of 31 bits and levels of two primes.
TEST(LeveledFiles, ShortWordsAreStoredAtTheirWidth) {
  choose_seed(8);
  const ckks::testing::Client c(ckks::testing::parameters_of(ckks::testing::short_words()), "", {1});
  const auto a = c.encrypt({0.5});
  const auto bytes = io::encode_ciphertext(c.context, a);
  const u64 packed = 64 * (2 * 30 + 4 * 28) / 8;
  EXPECT_EQ(bytes.size(), io::kHeaderBytes + 40 + 32 + packed + io::kTrailerBytes);
  EXPECT_EQ(ckks::testing::residues(io::decode_ciphertext(c.context, bytes)), ckks::testing::residues(a));
  const auto key = io::decode_relinearization_key(c.context, io::encode_key(c.context, c.relinearization));
  EXPECT_EQ(io::encode_key(c.context, key), io::encode_key(c.context, c.relinearization));
}

// To add a version of the format, make its folder in tests/vectors/wire, write it into the path below, and run
// `RINGFORT_WRITE_WIRE=1 ./test_unit_io`. The run writes the files of this build to the folder. Never change the folder
// of a released version.
TEST(LeveledFiles, StoredFilesOfEveryTypeAreReadAndTheirBytesAreStillTheSame) {
  std::set<u16> types, every;
  for (auto type = static_cast<u16>(io::FileType::leveled_parameters); type <= static_cast<u16>(io::FileType::ledger);
       ++type)
    every.insert(type);
  for (const auto& sample : make_leveled_samples()) {
    types.insert(static_cast<u16>(io::type_of(sample.bytes)));
    const std::string path = stored_path("3", sample.name);
    if (std::getenv("RINGFORT_WRITE_WIRE") != nullptr) write_all(path, sample.bytes);
    const auto bytes = read_all(path);
    ASSERT_FALSE(bytes.empty()) << sample.name;
    const auto refused = decode_leveled(sample.name, bytes);
    EXPECT_FALSE(refused.has_value()) << sample.name << ": " << (refused ? refused->problem : "");
    EXPECT_EQ(io::blake2b_256(bytes), io::blake2b_256(sample.bytes))
        << sample.name << ": this build's bytes differ from those of version 3";
    const auto older = decode_leveled(sample.name, read_all(stored_path("2", sample.name)));
    EXPECT_FALSE(older.has_value()) << sample.name << ": " << (older ? older->problem : "");
  }
  EXPECT_EQ(types, every);
}

TEST(LeveledFiles, InspectShowsTheSameInMemoryAndAtAPathWithOneKeyIdForEachSecret) {
  const Folder folder;
  std::set<std::string> ids;
  for (const auto& sample : make_leveled_samples()) {
    write_all(folder / sample.name, sample.bytes);
    const auto facts = io::inspect(sample.bytes);
    EXPECT_EQ(facts, io::inspect(folder / sample.name)) << sample.name;
    ASSERT_GE(facts.size(), 3U);
    EXPECT_EQ(facts[2].second, std::to_string(sample.bytes.size())) << sample.name;
    for (const auto& [name, value] : facts) {
      if (name == "key_id" && sample.name.starts_with("ckks")) ids.insert(value);
    }
  }
  EXPECT_EQ(ids.size(), 1U);
  choose_seed(2027);
  const ckks::testing::Client client(small_ckks(), "ref", {1});
  const auto fresh = client.encrypt({0.5});
  EXPECT_EQ(fresh.key_id(), client.open.key_id());
  std::array<u8, 8> stored{};
  io::store_u64(stored.data(), fresh.key_id());
  EXPECT_EQ(*ids.begin(), io::hex(stored));
}

TEST(LeveledFiles, AFileIsRefusedAsEveryOtherTypeAndASecretKeyIsNamedSo) {
  const auto samples = make_leveled_samples();
  for (const auto& sample : samples) {
    for (const auto& other : samples) {
      if (sample.bytes[10] == other.bytes[10]) continue;
      const auto refused = decode_leveled(other.name, sample.bytes);
      ASSERT_TRUE(refused.has_value()) << sample.name << " as " << other.name;
      const bool secret = sample.name.ends_with("secret.key") || sample.name.ends_with("sealed.key");
      EXPECT_EQ(refused->code, secret ? Code::secret_refused : Code::io_type)
          << sample.name << " as " << other.name << ": " << refused->problem;
    }
  }
}

TEST(LeveledFiles, ObjectsOfOtherParametersAreRefused) {
  choose_seed(9);
  auto other = small_ckks();
  other.scale *= 2;
  const ckks::Context scaled(other, "ref");
  const Receiver& on = receiver();
  for (const auto& sample : make_leveled_samples()) {
    if (sample.name == "ckks-public.key") {
      EXPECT_EQ(code_of([&] { (void)io::decode_public_key(scaled, sample.bytes); }), Code::io_digest);
      EXPECT_EQ(code_of([&] { (void)io::decode_public_key(on.bfv, sample.bytes); }), Code::io_digest);
    }
    if (sample.name == "bfv-seeded.rfc") {
      EXPECT_EQ(code_of([&] { (void)io::decode_ciphertext(on.bgv, sample.bytes); }), Code::io_digest);
    }
  }
}

TEST(LeveledFiles, ParametersComeBackAndThoseBelow128BitsOnlyWithConsent) {
  const auto p = ckks::preset("ckks-32768-8");
  const ckks::Context context(p, "ref");
  const auto back = std::get<ckks::Parameters>(io::decode_parameters(io::encode_parameters(context)));
  EXPECT_EQ(back.chain.data, p.chain.data);
  EXPECT_EQ(back.chain.special, p.chain.special);
  EXPECT_EQ(back.chain.digit_limbs, p.chain.digit_limbs);
  EXPECT_EQ(back.scale, p.scale);
  EXPECT_EQ(back.magnitude, p.magnitude);
  EXPECT_EQ(io::Scope(ckks::Context(back, "ref")).digest(), io::Scope(context).digest());
  const Receiver& on = receiver();
  const auto weak = io::encode_parameters(on.bgv);
  EXPECT_EQ(code_of([&] { (void)io::decode_parameters(weak); }), Code::insecure_parameters);
  const auto allowed = std::get<bgv::Parameters>(io::decode_parameters(weak, true));
  EXPECT_EQ(allowed.plain_modulus, on.bgv.plain_modulus());
  EXPECT_EQ(allowed.chain.insecure_reason, "a test");
}

TEST(LeveledFiles, OfACompositePlainModulusComeBackAndHaveFactorsWithoutACommonDivisor) {
  choose_seed(12);
  auto p = small_integers<bgv::Scheme>(integers::testing::bgv_shape());
  p.plain_modulus = 1000;
  const integers::testing::Client<bgv::Scheme> c(p, "ref", {1});
  const auto read = std::get<bgv::Parameters>(io::decode_parameters(io::encode_parameters(c.context), true));
  EXPECT_EQ(read.plain_modulus, 1000u);
  auto low = c.evaluator.mod_switch(c.encryptor.encrypt(c.encoder.encode_coefficients(std::vector<i64>{500, -7})), 0);
  std::vector<i64> found(2);
  c.encoder.decode_coefficients(
      c.decryptor.decrypt(io::decode_ciphertext(c.context, io::encode_ciphertext(c.context, low))), found);
  EXPECT_EQ(found, (std::vector<i64>{500, -7}));
  for (const u64 factor : {u64{0}, u64{2}, u64{5}, u64{998}, u64{1000}, u64{1001}}) {
    low.state().bound.factor = factor;
    const auto bytes = io::encode_ciphertext(c.context, low);
    EXPECT_EQ(code_of([&] { (void)io::decode_ciphertext(c.context, bytes); }), Code::io_range) << factor;
  }
  for (const u64 t : {u64{1}, u64{1} << 50, p.chain.data[0]}) {
    p.plain_modulus = t;
    EXPECT_FALSE(bgv::import_parameters(bgv::facts(p)).ok()) << t;
  }
}

// Only a ciphertext of the context has the numbers of a file.
template <class Context, class Ciphertext>
void refuses_to_encode(const Context& context, const Ciphertext& of_another_context) {
  EXPECT_EQ(code_of([&] { (void)io::encode_ciphertext(context, Ciphertext()); }), Code::invalid_argument);
  EXPECT_EQ(code_of([&] { (void)io::encode_ciphertext(context, of_another_context); }), Code::parameters_mismatch);
}

TEST(LeveledFiles, CiphertextsThatAreEmptyOrOfAnotherContextAreNotEncoded) {
  choose_seed(14);
  const auto p = small_integers<bfv::Scheme>(integers::testing::bfv_shape());
  const integers::testing::Client<bfv::Scheme> c(p, "ref", {1});
  refuses_to_encode(bfv::Context(p, "ref"), c.encrypt({1}));
  const auto q = small_integers<bgv::Scheme>(integers::testing::bgv_shape());
  refuses_to_encode(bgv::Context(q, "ref"), integers::testing::Client<bgv::Scheme>(q, "ref", {1}).encrypt({1}));
  const ckks::testing::Client high(small_ckks(), "ref", {1});
  ckks::Parameters low = small_ckks();  // one level: the scale of a higher level does not exist
  low.chain.data.resize(low.chain.limbs_per_level);
  refuses_to_encode(ckks::Context(low, "ref"), high.encrypt({0.5}));
}

// Zeros have room for a scale above the modulus, and declare_scale takes scales below 1.
TEST(LeveledFiles, CkksCiphertextsOfAnyScaleComeBack) {
  choose_seed(15);
  const ckks::testing::Client c(small_ckks(), "ref", {1});
  const ckks::Ciphertext x = c.encrypt({0.5, -0.25}), zero = c.evaluator.multiply_integer(x, 0);
  for (const ckks::Ciphertext& sent :
       {c.evaluator.declare_scale(zero, 0x1p900), c.evaluator.declare_scale(x, 0x1p-3)}) {
    const ckks::Ciphertext read = io::decode_ciphertext(c.context, io::encode_ciphertext(c.context, sent));
    EXPECT_EQ(read.scale(), sent.scale());
    EXPECT_EQ(read.magnitude(), sent.magnitude());
    EXPECT_EQ(ckks::testing::residues(read), ckks::testing::residues(sent));
  }
  for (const double scale : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    ckks::Ciphertext wrong = zero.clone();
    wrong.state().bound.scale = {scale, 0};
    const auto bytes = io::encode_ciphertext(c.context, wrong);
    EXPECT_EQ(code_of([&] { (void)io::decode_ciphertext(c.context, bytes); }), Code::io_range) << scale;
  }
}

TEST(LeveledFiles, CiphertextsHave2To16Components) {
  choose_seed(13);
  const integers::testing::Client<bgv::Scheme> c(small_integers<bgv::Scheme>(integers::testing::bgv_shape()), "ref",
                                                 {1});
  const auto one = c.encrypt({1, -2, 3});
  const auto five = c.evaluator.multiply(c.evaluator.square(one), c.evaluator.square(one));
  const auto bytes = io::encode_ciphertext(c.context, five);
  const auto read = io::decode_ciphertext(c.context, bytes);
  EXPECT_EQ(read.size(), 5u);
  EXPECT_EQ(integers::testing::residues(read), integers::testing::residues(five));
  EXPECT_EQ(c.decrypt(read), c.decrypt(five));
  for (const u32 components : {u32{0}, u32{1}, kMostComponents + 1, u32{255}}) {
    const wire::RlweFacts facts{.key_id = 1, .level = 0, .components = components};
    EXPECT_FALSE(wire::check_rlwe(*c.context.keys().state(), facts).ok()) << components;
  }
  for (const u32 components : {u32{2}, kMostComponents}) {
    const wire::RlweFacts facts{.key_id = 1, .level = 0, .components = components};
    EXPECT_TRUE(wire::check_rlwe(*c.context.keys().state(), facts).ok()) << components;
  }
}

TEST(LeveledFiles, ParametersThatTheirReaderWouldRefuseAreNotWritten) {
  for (const std::string reason :
       {"a test\nof two lines", "tab\tinside", "\x7F", "\xFF", "\xC2\x9BJ", "\xE2\x80\xAE reversed", "\xE2\x81\xA6"}) {
    auto p = small_ckks();
    p.chain.insecure_reason = reason;
    EXPECT_EQ(code_of([&] { (void)io::encode_parameters(ckks::Context(p, "ref")); }), Code::invalid_argument) << reason;
  }
  // The field has 256 bytes. With the first length, it ends inside the last character, which has two bytes. With the
  // second length, it ends before this character. With the third length, it ends before the f.
  for (const std::size_t before : {252u, 253u, 254u}) {
    auto p = small_ckks();
    p.chain.insecure_reason = std::string(before, 'x') + "caf\u00e9";
    const auto kept =
        std::get<ckks::Parameters>(io::decode_parameters(io::encode_parameters(ckks::Context(p, "ref")), true));
    EXPECT_EQ(kept.chain.insecure_reason, (std::string(before, 'x') + "caf").substr(0, 256)) << before;
  }
}

// If a file claims that its parameters are secure, the reader compares them with the security table.
TEST(LeveledFiles, AWeakChainThatCallsItselfSecureIsRefused) {
  auto bytes = io::encode_parameters(receiver().ckks);
  const std::size_t reason = bytes.size() - io::kTrailerBytes - 256;
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(reason), bytes.end() - io::kTrailerBytes, u8{0});
  bytes[12] = 0;
  fuzz::mend_leveled(bytes);
  const auto opened = io::open_parameters(bytes, true);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.failure().code, Code::insecure_parameters) << opened.failure().problem;
}

TEST(ClaimedBounds, AreMarkedAndStayMarkedThroughEveryVerb) {
  choose_seed(10);
  const ckks::testing::Client c(small_ckks(), "ref", {1});
  const auto through = [&](const ckks::Ciphertext& x) {
    return io::decode_ciphertext(c.context, io::encode_ciphertext(c.context, x));
  };
  const auto own = c.encrypt({0.5}), fresh = through(own), untrusted = through(c.evaluator.add(own, own)),
             wide = through(c.evaluator.square(own));
  EXPECT_FALSE(own.bound_is_untrusted());
  EXPECT_FALSE(fresh.bound_is_untrusted());
  EXPECT_TRUE(untrusted.bound_is_untrusted());
  const auto& e = c.evaluator;
  const auto one = c.encoder.encode(Values{1});
  EXPECT_FALSE(e.add(own, fresh).bound_is_untrusted());
  const std::vector<std::int64_t> steps = {1};
  std::vector<ckks::Ciphertext> results;
  results.push_back(e.add(own, untrusted));
  results.push_back(e.subtract(untrusted, own));
  results.push_back(e.negate(untrusted));
  results.push_back(e.add_plain(untrusted, one));
  results.push_back(e.multiply(own, untrusted));
  results.push_back(e.multiply_plain(untrusted, one));
  results.push_back(e.multiply_integer(untrusted, 2));
  results.push_back(e.relinearize(wide, c.relinearization));
  results.push_back(e.rescale(e.square(untrusted)));
  results.push_back(e.mod_switch(untrusted, 0));
  results.push_back(std::move(e.rotate_many(untrusted, steps, c.galois)[0]));
  results.push_back(e.sum_slots(untrusted, 2, c.galois));
  results.push_back(untrusted.clone());
  results.push_back(untrusted.to(ckks::Context(small_ckks(), "cpu")));
  const std::vector<ckks::Ciphertext> terms = [&] {
    std::vector<ckks::Ciphertext> both;
    both.push_back(own.clone());
    both.push_back(untrusted.clone());
    return both;
  }();
  results.push_back(e.add_many(terms));
  results.push_back(e.inner_product(terms, terms));
  auto sum = e.square(own);
  e.multiply_add_into(sum, own, untrusted);
  results.push_back(std::move(sum));
  for (std::size_t i = 0; i < results.size(); ++i) EXPECT_TRUE(results[i].bound_is_untrusted()) << "result " << i;
}

template <class S>
void integer_claims(const typename S::Parameters& p) {
  choose_seed(11);
  const integers::testing::Client<S> c(p, "ref", {1});
  const auto own = c.encrypt({3}), sum = c.evaluator.add(own, own);
  const auto bytes = io::encode_ciphertext(c.context, sum);
  const auto untrusted = io::decode_ciphertext(c.context, bytes);
  EXPECT_TRUE(untrusted.bound_is_untrusted());
  EXPECT_TRUE(c.evaluator.multiply(own, untrusted).bound_is_untrusted());
  EXPECT_TRUE(c.evaluator.mod_switch(untrusted, 0).bound_is_untrusted());
  EXPECT_EQ(code_of([&] { (void)io::decode_ciphertext(c.context, bytes, false); }), Code::mode_forbidden);
  EXPECT_FALSE(io::decode_ciphertext(c.context, io::encode_ciphertext(c.context, own), false).bound_is_untrusted());
}

TEST(ClaimedBounds, OfIntegersAreMarkedAndRefusedWithoutTrust) {
  integer_claims<bfv::Scheme>(small_integers<bfv::Scheme>(integers::testing::bfv_shape()));
  integer_claims<bgv::Scheme>(small_integers<bgv::Scheme>(integers::testing::bgv_shape()));
}

// The bound of a CKKS ciphertext contains the magnitude, a bound on the absolute values of the slots. The file of a
// fresh ciphertext states the magnitude of the parameters. The test writes a smaller magnitude into the file. With
// trust, the bound is then marked as untrusted. Without trust, the ciphertext gets the magnitude of the parameters.
TEST(ClaimedBounds, ASmallerMagnitudeIsMarked) {
  choose_seed(13);
  const ckks::testing::Client c(small_ckks(), "ref", {1});
  const auto own = c.encrypt({0.75});
  auto bytes = io::encode_ciphertext(c.context, own);
  EXPECT_FALSE(io::decode_ciphertext(c.context, bytes).bound_is_untrusted());
  io::store_u64(bytes.data() + io::kHeaderBytes + 16 + 8, std::bit_cast<u64>(0x1p-40));
  fuzz::mend_leveled(bytes);
  EXPECT_TRUE(io::decode_ciphertext(c.context, bytes).bound_is_untrusted());
  const auto trusted_by_nobody = io::decode_ciphertext(c.context, bytes, false);
  EXPECT_FALSE(trusted_by_nobody.bound_is_untrusted());
  EXPECT_EQ(trusted_by_nobody.magnitude(), c.context.parameters().magnitude);
}

// In memory, a scale is the sum of a high and a low double. A file has only the high double. If the scale is that of
// the ciphertext's level, as in `low`, the reader of the file computes the low double. For any other scale, as in
// `wide`, the low double is lost, and the error in the file includes the largest change that this loss can cause.
TEST(ClaimedBounds, OfLowerLevelsOutliveAFile) {
  choose_seed(14);
  const ckks::testing::Client c(small_ckks(), "ref", {1});
  const auto low = c.automatic.square(c.encrypt({0.5})), wide = c.evaluator.square(low);
  ASSERT_NE(low.state().bound.scale.low, 0);
  for (const ckks::Ciphertext* own : {&low, &wide}) {
    const auto read = io::decode_ciphertext(c.context, io::encode_ciphertext(c.context, *own));
    const ckks::Accuracy &a = own->state().bound, &b = read.state().bound;
    EXPECT_EQ(a.scale.high, b.scale.high);
    EXPECT_LE(a.error + ckks::distance(a.scale, b.scale) * a.magnitude, b.error);
    EXPECT_NEAR(b.error / a.error, 1, 1e-6);
  }
  EXPECT_EQ(io::decode_ciphertext(c.context, io::encode_ciphertext(c.context, low)).state().bound.scale,
            low.state().bound.scale);
}

// The test changes the file of a fresh ciphertext, so that the file claims too small an error. With trust, the receiver
// uses the claimed bound and marks it as untrusted. Without trust, the receiver computes the bound itself. It cannot
// compute the bounds of the last two ciphertexts (a computed one, and one encrypted from inexact values), and refuses
// them.
TEST(ClaimedBounds, WithoutTrustOnlyFreshCiphertextsAreTakenWithTheReceiversBound) {
  choose_seed(12);
  const ckks::testing::Client c(small_ckks(), "ref", {1});
  const auto own = c.encrypt({0.5});
  auto bytes = io::encode_ciphertext(c.context, own);
  const std::size_t error_at = io::kHeaderBytes + 16 + 16;
  io::store_u64(bytes.data() + error_at, std::bit_cast<u64>(1.0));
  fuzz::mend_leveled(bytes);
  EXPECT_EQ(io::decode_ciphertext(c.context, bytes, false).precision_bits(), own.precision_bits());
  EXPECT_TRUE(io::decode_ciphertext(c.context, bytes).bound_is_untrusted());
  const auto computed = io::encode_ciphertext(c.context, c.evaluator.negate(own));
  EXPECT_EQ(code_of([&] { (void)io::decode_ciphertext(c.context, computed, false); }), Code::mode_forbidden);
  const ckks::Encryptor again(c.context, c.generator.secret_key());
  const auto inexact = io::encode_ciphertext(c.context, again.encrypt(c.decryptor.decrypt(c.evaluator.add(own, own))));
  EXPECT_EQ(code_of([&] { (void)io::decode_ciphertext(c.context, inexact, false); }), Code::mode_forbidden);
}

TEST(ClaimedBounds, ComplexValuesOfExactlyTheDeclaredMagnitudeAreReadWithoutTrust) {
  choose_seed(65);
  const ckks::testing::Client c(small_ckks(), "ref", {1});
  const std::vector<std::complex<double>> values(c.context.slots(), std::polar(c.context.parameters().magnitude, 0.4));
  const auto fresh = c.encryptor.encrypt(c.encoder.encode(std::span(values)));
  const auto read = io::decode_ciphertext(c.context, io::encode_ciphertext(c.context, fresh), false);
  EXPECT_FALSE(read.bound_is_untrusted());
  EXPECT_EQ(read.magnitude(), fresh.magnitude());
}

// Saves, loads and decodes a secret key, and then searches the memory for the packed coefficients.
TEST(SecretKeyFiles, LeaveNoCopyOfTheSecretInTheMemoryOfTheProcess) {
  choose_seed(14);
  const Folder folder;
  const Receiver& on = receiver();
  std::array<u8, 8> complemented{};
  {
    const KeyGenerator generator(on.ckks);
    const auto bytes = io::encode_secret_key(on.ckks, generator.secret_key(), "");
    const std::size_t body = io::kHeaderBytes + 8 + 44;
    for (std::size_t i = 0; i < complemented.size(); ++i)
      complemented[i] = static_cast<u8>(~*static_cast<const volatile u8*>(bytes.view().data() + body + i));
    EXPECT_EQ(occurrences_in_memory(complemented), 1U) << "the search must find the secret while it exists";
    io::save(folder / "key", io::encode_container(std::vector<io::NamedObject>{{"secret", bytes}}));
    const auto loaded = io::load(folder / "key");
    const auto key = io::decode_secret_key(on.ckks, io::decode_container(loaded)[0].bytes);
    EXPECT_EQ(key.state()->id, generator.secret_key().state()->id);
  }
  EXPECT_EQ(occurrences_in_memory(complemented), 0U);
}

// A caller cannot leave the passphrase out by mistake.
template <class... More>
concept Encodes = requires(const io::Scope& scope, const SecretKey& key, More... more) {
  io::encode_secret_key(scope, key, more...);
};
static_assert(!Encodes<> && Encodes<std::string_view>);

// The file of a secret key has digests of other files. Before require_beside() decodes one of these files, it compares
// the file's digest with the stored one. When a passphrase has opened the key's file, the digests are authentic.
TEST(SecretKeyFiles, NameWhatLiesBesideThemInItsOrderOrNothing) {
  choose_seed(15);
  const auto& context = receiver().ckks;
  const KeyGenerator generator(context);
  const auto open = io::encode_key(context, generator.create_public_key()),
             again = io::encode_key(context, generator.create_public_key());
  const auto relinearization = io::encode_key(context, generator.create_relinearization_key());
  const std::vector<io::ByteView> both = {open, relinearization}, rotated = {relinearization, open},
                                  exchanged = {again, relinearization}, one = {open};
  const auto names = io::encode_secret_key(context, generator.secret_key(), kSamplePassphrase, 0, both);
  EXPECT_TRUE(io::require_beside(names, both));
  for (const auto& other : {rotated, exchanged, one, std::vector<io::ByteView>{}}) {
    expect_refused(Code::parameters_mismatch, [&] { (void)io::require_beside(names, other); }, "saved with");
  }
  EXPECT_FALSE(io::require_beside(io::encode_secret_key(context, generator.secret_key(), ""), exchanged))
      << "versions before 3 name no keys";
  expect_refused(Code::io_type, [&] { (void)io::require_beside(open, both); }, "is of type public key, not secret key");
}

TEST(Containers, HoldNamedFilesAndThoseWithASecretKeyAreTheOwnersAlone) {
  choose_seed(13);
  const Folder folder;
  const ckks::testing::Client c(small_ckks(), "ref", {1});
  const auto key = io::encode_key(c.context, c.open);
  const auto secret = io::encode_secret_key(c.context, c.generator.secret_key(), "");
  io::save(folder / "open", io::encode_container(std::vector<io::NamedObject>{{"key", key}}));
  io::save(folder / "closed", io::encode_container(std::vector<io::NamedObject>{{"key", key}, {"secret", secret}}));
  struct stat facts{};
  ASSERT_EQ(::stat((folder / "closed").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
  ASSERT_EQ(::stat((folder / "open").c_str(), &facts), 0);
  EXPECT_NE(facts.st_mode & 0777, 0600U);
  const auto loaded = io::load(folder / "closed");
  const auto objects = io::decode_container(loaded);
  ASSERT_EQ(objects.size(), 2U);
  EXPECT_EQ(objects[1].name, "secret");
  EXPECT_EQ(io::type_of(objects[1].bytes), io::FileType::secret_key);
  EXPECT_EQ(io::decode_secret_key(c.context, objects[1].bytes).state()->id, c.generator.secret_key().state()->id);
  EXPECT_EQ(code_of([&] { (void)io::load(folder / "closed", 100); }), Code::io_limit);
  EXPECT_EQ(code_of([&] { io::save(folder / "nothing", std::vector<u8>{1, 2, 3}); }), Code::io_truncated);
}

TEST(Containers, NamesAreTextOfAtMost64BytesAndOnce) {
  const auto key = io::encode_parameters(receiver().ckks);
  const auto code = [&](const std::vector<std::string>& names) {
    std::vector<io::NamedObject> objects;
    for (const auto& name : names) objects.push_back({name, key});
    return code_of([&] { (void)io::encode_container(objects); });
  };
  EXPECT_EQ(code({"a", "b", std::string(64, 'x')}), Code::internal);  // this code means that the names were accepted
  for (const auto& names : std::vector<std::vector<std::string>>{{""},
                                                                 {"a", "a"},
                                                                 {std::string(65, 'x')},
                                                                 {"a\n"},
                                                                 {"\xC0\xAF"},
                                                                 {"\xED\xA0\x80"},
                                                                 {"\xE2\x82"},
                                                                 {"\xC2\x85"},
                                                                 {"\xE2\x80\xA8"}}) {
    EXPECT_EQ(code(names), Code::invalid_argument) << names[0];  // the caller is wrong, and no file is damaged
  }
  const auto inner = io::encode_container(std::vector<io::NamedObject>{{"a", key}});
  EXPECT_EQ(code_of([&] { (void)io::encode_container(std::vector<io::NamedObject>{{"b", inner}}); }), Code::io_type);
}

TEST(Containers, OnlySeveralParametersOfOneContextNeedVersion3) {
  const auto key = io::encode_parameters(receiver().ckks);
  const auto version = [&](const std::vector<std::string>& names) {
    std::vector<io::NamedObject> objects;
    for (const auto& name : names) objects.push_back({name, key});
    const auto bytes = io::encode_container(objects);
    EXPECT_EQ(io::decode_container(bytes).size(), names.size());
    std::vector<u8> changed(bytes.view().begin(), bytes.view().end());
    changed[8] = changed[8] == 2 ? 3 : 2;
    fuzz::mend_frame(changed);
    EXPECT_EQ(code_of([&] { (void)io::decode_container(changed); }), Code::io_range);
    return unsigned{bytes.view()[8]};
  };
  EXPECT_EQ(version({"@i"}), 2U);
  EXPECT_EQ(version({"a", "b"}), 2U);
  EXPECT_EQ(version({"@i", "b", "c"}), 2U);
  EXPECT_EQ(version({"@i", "@i.1"}), 3U);
  EXPECT_EQ(version({"x", "@i.2", "@i.1", "@i"}), 3U);
}

TEST(Arrays, KeepTheirNumbersAndRefuseThoseOutsideTheirRanges) {
  const io::ArrayRecord empty{{0, 3}, 0, 3, 4, 0, {}, {}};
  const auto back_bytes = io::encode_array(empty);
  const auto back = io::decode_array(back_bytes);
  EXPECT_EQ(back.shape, empty.shape);
  EXPECT_EQ(back.stride, 4U);
  EXPECT_FALSE(back.interval.has_value());
  EXPECT_EQ(code_of([] { (void)io::encode_array({{u64{1} << 25, u64{1} << 25}, 0, 0, 0, 0, {}, {}}); }),
            Code::io_range);
  EXPECT_EQ(code_of([] { (void)io::encode_array({std::vector<u64>(33, 1), 0, 0, 0, 0, {}, {}}); }), Code::io_range);
  EXPECT_EQ(code_of([] { (void)io::encode_array({{1}, 0, 0, 0, 3, {}, {}}); }), Code::io_range);
  EXPECT_EQ(code_of([] { (void)io::encode_array({{1}, 0, 0, 0, 0, io::ArrayRecord::Interval{2, 1}, {}}); }),
            Code::io_range);
  io::ArrayRecord bounded = empty;
  bounded.domain = {0.5, 8};
  const auto bounded_bytes = io::encode_array(bounded);
  EXPECT_EQ(io::decode_array(bounded_bytes).domain, bounded.domain);
  // an array without a domain has format version 2, so that older versions of the library can read it
  EXPECT_EQ(back_bytes[8], 2);
  EXPECT_EQ(bounded_bytes[8], 3);
  for (const auto domain : {io::ArrayRecord::Domain{1, 1}, {2, 1}, {0, INFINITY}, {NAN, 1}}) {
    bounded.domain = domain;
    EXPECT_EQ(code_of([&] { (void)io::encode_array(bounded); }), Code::io_range);
  }
  bounded.domain = {0, 1};
  bounded.interval = {0, 1};
  EXPECT_EQ(code_of([&] { (void)io::encode_array(bounded); }), Code::io_range);
  const auto no_ciphertext = io::encode_parameters(receiver().ckks);
  EXPECT_EQ(code_of([&] { (void)io::encode_array({{1}, 1, 1, 1, 0, {}, {no_ciphertext}}); }), Code::io_type);
}

}  // namespace
}  // namespace ringfort::testing
