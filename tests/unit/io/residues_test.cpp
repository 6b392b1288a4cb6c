// SPDX-License-Identifier: Apache-2.0
// Tests ringfort/residues.h: residues come out as they go in, in all schemes, and wrong ones are refused.
#include "ringfort/residues.h"

#include <cmath>
#include <limits>

#include "math/rns.h"
#include "ringfort/ring.h"
#include "scheme/bgv/wire.h"
#include "support/refused.h"
#include "unguarded.h"

namespace ringfort {
namespace {

using testing::ckks_client;
using testing::expect_refused;
using testing::integer_client;
using Words = std::vector<std::uint64_t>;

TEST(Residues, AreBelowTheirPrimesAndAConstantInEachIsAConstantInEachValue) {
  const auto c = ckks_client();
  const ckks::Ciphertext x = c.encrypt({0.5});
  const Words words = residues(x);
  const auto& data = c.context.parameters().chain.data;
  const std::uint32_t n = c.context.parameters().chain.n;
  ASSERT_EQ(words.size(), 2 * data.size() * n);
  for (std::size_t limb = 0; limb < data.size(); ++limb) {
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_LT(words[limb * n + i], data[limb]);
      EXPECT_LT(words[(data.size() + limb) * n + i], data[limb]);
    }
  }
  // a constant polynomial has the same value at every root
  Words more = words;
  for (std::size_t limb = 0; limb < data.size(); ++limb) {
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t& word = more[limb * n + i];
      word = static_cast<std::uint64_t>((word + (std::uint64_t{1} << 38)) % data[limb]);
    }
  }
  const auto shifted = c.decrypt(ciphertext_of(c.context, x.level(), x.scale(), more)), plain = c.decrypt(x);
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(shifted[i], plain[i] + 0.25, 0x1p-30);
}

TEST(Residues, OfAPlaintextMakeTheSamePlaintext) {
  const auto c = ckks_client();
  for (const std::uint32_t level : {0U, 2U}) {
    const ckks::Plaintext plain = c.encoder.encode(ckks::testing::Values{0.5, -0.25},
                                                   {.level = level, .scale = 0x1p30, .magnitude = std::nullopt});
    const Words words = residues(plain);
    const ckks::Plaintext again = plaintext_of(c.context, level, 0x1p30, words);
    EXPECT_EQ(residues(again), words);
    ckks::testing::Values a(4), b(4);
    c.encoder.decode(plain, std::span<double>(a));
    c.encoder.decode(again, std::span<double>(b));
    EXPECT_EQ(a, b);
  }
}

template <class S>
void round_trip() {
  const auto c = integer_client<S>(integers::testing::bfv_shape());
  const auto x = c.encrypt({3, -4}), y = c.evaluator.mod_switch(c.evaluator.square(x), 1);
  const auto built = [&](const Words& words) {
    if constexpr (std::is_same_v<S, bgv::Scheme>) return ciphertext_of(c.context, 1, correction_factor(y), words);
    else return ciphertext_of(c.context, 1, words);
  };
  const auto again = built(residues(y));
  EXPECT_EQ(residues(again), residues(y));
  EXPECT_EQ(c.decrypt(again), c.decrypt(y));
  const Words two = residues(c.evaluator.relinearize(y, c.relinearization));
  EXPECT_EQ(c.decrypt(built(two)), c.decrypt(y));
}

TEST(Residues, OfBfvRoundTrip) { round_trip<bfv::Scheme>(); }
TEST(Residues, OfBgvRoundTrip) { round_trip<bgv::Scheme>(); }

TEST(Residues, OfBgvHaveACorrectionFactor) {
  const auto c = integer_client<bgv::Scheme>(integers::testing::bfv_shape());
  const auto x = c.encrypt({3, -4}), y = c.evaluator.mod_switch(c.evaluator.square(x), 1);
  EXPECT_EQ(correction_factor(x), 1u);
  const std::uint64_t factor = correction_factor(y), t = c.context.plain_modulus();
  EXPECT_NE(factor, 1u);
  const auto low = c.evaluator.mod_switch(x, 1);  // its factor is that of one division, not of the square
  EXPECT_EQ(c.decrypt(ciphertext_of(c.context, low.level(), factor, residues(y))), c.decrypt(y));
  const auto twice = ciphertext_of(c.context, 1, 2 * factor % t, residues(y));  // half the values
  EXPECT_EQ(c.decrypt(c.evaluator.multiply_integer(twice, 2)), c.decrypt(y));
  for (const std::uint64_t wrong : {std::uint64_t{0}, t})
    expect_refused(Code::invalid_argument, [&] { (void)ciphertext_of(c.context, 1, wrong, residues(y)); }, "divisor");
  expect_refused(Code::invalid_argument, [&] { (void)correction_factor(bgv::Ciphertext()); }, "encrypt");
}

TEST(Residues, FilesWithAFactorThatDividesThePlainModulusAreRefused) {
  auto p = integers::testing::parameters_of<bgv::Scheme>(integers::testing::bgv_shape(), 1024);
  p.chain.unguarded_reason = "a test";
  const bgv::Context context(p);
  const KeyGenerator generator(context);
  const bgv::Ciphertext x = bgv::Encryptor(context, generator.secret_key())
                                .encrypt(bgv::Encoder(context).encode_coefficients(std::vector<std::int64_t>{5}));
  for (const u64 factor : {u64{0}, u64{2}, u64{512}, u64{1024}, u64{1025}})
    EXPECT_EQ(bgv::import_ciphertext(context, clone(bgv::rlwe(x)), {0, factor, 0}, true).failure().code,
              Code::io_range);
  EXPECT_TRUE(bgv::import_ciphertext(context, clone(bgv::rlwe(x)), {0, 3, 0}, true).ok());
}

TEST(Residues, OfComponentsAreEvaluationsOrCoefficients) {
  const auto c = integer_client<bfv::Scheme>(integers::testing::bfv_shape());
  const auto x = c.evaluator.mod_switch(c.evaluator.square(c.encrypt({3, -4})), 1);
  const Words whole = residues(x);
  const std::size_t each = whole.size() / x.size();
  const auto& chain = c.context.parameters().chain;
  Words coefficients(whole.size()), evaluations(each);
  for (std::uint32_t i = 0; i < x.size(); ++i) {
    residues(x, i, ResidueForm::evaluations, evaluations);
    EXPECT_TRUE(
        std::equal(evaluations.begin(), evaluations.end(), whole.begin() + static_cast<std::ptrdiff_t>(i * each)));
    const auto component = std::span(coefficients).subspan(i * each, each);
    residues(x, i, ResidueForm::coefficients, component);
    Words back(component.begin(), component.end());
    for (std::size_t limb = 0; limb * chain.n < each; ++limb) {
      const auto row = std::span(back).subspan(limb * chain.n, chain.n);
      Ntt(chain.n, chain.data[limb], WordWidth::bits64, "cpu").forward<std::uint64_t>(row, row);
    }
    EXPECT_EQ(back, evaluations);
  }
  EXPECT_EQ(residues(ciphertext_of(c.context, 1, coefficients, ResidueForm::coefficients)), whole);
  coefficients.back() = chain.data[1];
  const auto refused = [](auto call, std::string_view fix) {
    expect_refused(Code::invalid_argument, call, std::string(fix));
  };
  refused([&] { (void)ciphertext_of(c.context, 1, coefficients, ResidueForm::coefficients); }, "reduce");
  refused([&] { residues(x, x.size(), ResidueForm::coefficients, evaluations); }, "components");
  refused([&] { residues(x, 0, ResidueForm::coefficients, coefficients); }, "components");
  refused([&] { residues(bfv::Ciphertext(), 0, ResidueForm::coefficients, evaluations); }, "encrypt");
}

TEST(Residues, WrongNumbersAndValuesAreRefused) {
  const auto c = ckks_client();
  const ckks::Ciphertext x = c.encrypt({0.5});
  const Words words = residues(x);
  const auto refused = [&](const Words& wrong, std::string_view fix) {
    expect_refused(Code::invalid_argument, [&] { (void)ciphertext_of(c.context, 3, 2, wrong); }, std::string(fix));
  };
  Words large = words;
  large.back() = c.context.parameters().chain.data.back();
  refused(large, "reduce");
  refused({}, "all components");
  refused(Words(words.begin(), words.end() - 1), "all components");
  refused(Words(words.begin(), words.begin() + words.size() / 2), "all components");
  refused(Words(words.size() / 2 * 17), "all components");
  expect_refused(Code::invalid_argument, [&] { (void)residues(ckks::Ciphertext()); }, "encrypt");
  for (const double scale : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    expect_refused(Code::invalid_argument, [&] { (void)plaintext_of(c.context, 0, scale, words); }, "above zero");
    expect_refused(Code::invalid_argument, [&] { (void)ciphertext_of(c.context, 3, scale, words); }, "above zero");
  }
  expect_refused(Code::invalid_argument, [&] { (void)ciphertext_of(c.context, 4, 2, words); }, "0 .. 3");
  expect_refused(Code::invalid_argument, [&] { (void)plaintext_of(c.context, 4, 2, words); }, "0 .. 3");
}

TEST(Residues, AContextWithBoundsRefusesThem) {
  ckks::testing::choose_seed(3);
  const ckks::testing::Client c(ckks::testing::parameters_of({}));
  const ckks::Ciphertext x = c.encrypt({0.5});
  const Words words = residues(x);
  expect_refused(Code::mode_forbidden, [&] { (void)ciphertext_of(c.context, 3, 2, words); }, "unguarded_reason");
  expect_refused(Code::mode_forbidden, [&] { (void)plaintext_of(c.context, 3, 2, words); }, "unguarded_reason");
}

}  // namespace
}  // namespace ringfort
