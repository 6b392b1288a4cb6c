// SPDX-License-Identifier: Apache-2.0
// Compares products of encrypted matrices with products of doubles, on every device. A device can compute a sum of
// products fused, as one verb, or separate, one product after another. Both must give the same values. Other tests
// cover refusals and failures.
#include "ringfort/matmul.h"

#include "support/ckks.h"
#include "support/devices.h"

namespace ringfort::matmul {
namespace {

using ckks::testing::Client;
using ckks::testing::Values;

struct Sizes {
  std::uint32_t m, k, n;
};

Values clear_product(const Values& a, const Values& b, const Sizes& sizes, std::size_t slots) {
  Values c(sizes.m * sizes.n * slots);
  for (std::uint32_t i = 0; i < sizes.m; ++i)
    for (std::uint32_t j = 0; j < sizes.n; ++j)
      for (std::uint32_t l = 0; l < sizes.k; ++l)
        for (std::size_t s = 0; s < slots; ++s)
          c[(i * sizes.n + j) * slots + s] += a[(i * sizes.k + l) * slots + s] * b[(l * sizes.n + j) * slots + s];
  return c;
}

template <class F>
Error refusal(F f) {
  try {
    f();
  } catch (const Error& error) { return error; }
  ADD_FAILURE() << "nothing was refused";
  return {Code::internal, "", ""};
}

TEST(MatrixProducts, AreThoseOfTheirSlotsOnEveryDevice) {
  for (const std::string_view device : ringfort::testing::general_devices()) {
    ckks::testing::choose_seed(5);
    const Client client(ckks::testing::parameters_of(ckks::testing::words_of_short_form()), device);
    const std::size_t slots = client.context.slots();
    for (const Sizes& sizes : {Sizes{1, 1, 1}, Sizes{3, 2, 4}, Sizes{2, 5, 1}}) {
      const Values a = ckks::testing::random_values(sizes.m * sizes.k * slots, 1),
                   b = ckks::testing::random_values(sizes.k * sizes.n * slots, 2);
      const Matrix first = encrypt(sizes.m, sizes.k, a, client.encoder, client.encryptor),
                   second = encrypt(sizes.k, sizes.n, b, client.encoder, client.encryptor);
      Matrix c = multiply(first, second, client.evaluator);
      multiply_add_into(c, first, second, client.evaluator, Sums::separate);
      relinearize_rescale_into(c, client.evaluator, client.relinearization);
      EXPECT_EQ(c.at(0, 0).level() + 1, first.at(0, 0).level());
      Values twice = clear_product(a, b, sizes, slots);
      for (double& value : twice) value *= 2;
      const double error =
          ckks::testing::largest_difference(decrypt(c, slots, client.encoder, client.decryptor), twice);
      EXPECT_LE(error, std::exp2(-c.at(0, 0).precision_bits())) << device;
      EXPECT_LE(error, 1e-6) << device;
    }
  }
}

TEST(MatrixProducts, AreTheSameWordsHoweverTheyAreSummed) {
  ckks::testing::choose_seed(6);
  const Client client(ckks::testing::parameters_of({}));
  const std::size_t slots = client.context.slots();
  const Values a = ckks::testing::random_values(6 * slots, 3);
  const Matrix first = encrypt(2, 3, a, client.encoder, client.encryptor),
               second = encrypt(3, 2, a, client.encoder, client.encryptor);
  const Matrix fused = multiply(first, second, client.evaluator),
               separate = multiply(first, second, client.evaluator, Sums::separate);
  for (std::uint32_t i = 0; i < 2; ++i)
    for (std::uint32_t j = 0; j < 2; ++j) EXPECT_EQ(client.decrypt(fused.at(i, j)), client.decrypt(separate.at(i, j)));
}

TEST(MatrixProducts, OfOtherShapesAreRefused) {
  const Client client(ckks::testing::parameters_of({}));
  const Values values = ckks::testing::random_values(6 * 4, 4);
  const Matrix a = encrypt(2, 3, values, client.encoder, client.encryptor);
  EXPECT_EQ(refusal([&] { return multiply(a, a, client.evaluator); }).code(), Code::invalid_argument);
  Matrix wrong = encrypt(2, 3, values, client.encoder, client.encryptor);
  const Matrix b = encrypt(3, 2, values, client.encoder, client.encryptor);
  EXPECT_EQ(refusal([&] { multiply_add_into(wrong, a, b, client.evaluator); }).code(), Code::invalid_argument);
  EXPECT_EQ(refusal([&] { return encrypt(5, 1, values, client.encoder, client.encryptor); }).code(),
            Code::invalid_argument);
  EXPECT_EQ(refusal([&] { return encrypt(0, 3, values, client.encoder, client.encryptor); }).code(),
            Code::invalid_argument);
  EXPECT_EQ(refusal([&] { return encrypt(3, 0x55555556, values, client.encoder, client.encryptor); }).code(),
            Code::invalid_argument);
  EXPECT_EQ(refusal([&] { return a.at(2, 0).level(); }).code(), Code::invalid_argument);
  EXPECT_EQ(refusal([&] { return Matrix(1, 2, {}); }).code(), Code::invalid_argument);
}

// A sum that fails in the middle must not keep the products that it has already added, because its caller may repeat
// the call.
TEST(MatrixProducts, SumsAndRelinearizationsThatFailLeaveAnEmptyMatrix) {
  ckks::testing::choose_seed(7);
  const Client client(ckks::testing::parameters_of({}));
  const Values values = ckks::testing::random_values(4 * 4, 4);
  const auto encrypted = [&] { return encrypt(2, 2, values, client.encoder, client.encryptor); };
  const auto is_empty = [&](Matrix& m) {
    return refusal([&] { relinearize_rescale_into(m, client.evaluator, client.relinearization); }).code() ==
           Code::invalid_argument;
  };
  const Matrix a = encrypted();
  Matrix lacking = encrypted(), sum = multiply(a, a, client.evaluator), mixed = multiply(a, a, client.evaluator);
  lacking.at(1, 1) = ckks::Ciphertext();
  for (const Sums sums : {Sums::fused, Sums::separate}) {
    sum = multiply(a, a, client.evaluator);
    EXPECT_EQ(refusal([&] { multiply_add_into(sum, a, lacking, client.evaluator, sums); }).code(),
              Code::invalid_argument);
    EXPECT_TRUE(is_empty(sum));
  }
  mixed.at(1, 0) = ckks::Ciphertext();
  EXPECT_EQ(refusal([&] { relinearize_rescale_into(mixed, client.evaluator, client.relinearization); }).code(),
            Code::invalid_argument);
  EXPECT_TRUE(is_empty(mixed));
  EXPECT_EQ(refusal([&] { (void)decrypt(a, std::size_t{1} << 62, client.encoder, client.decryptor); }).code(),
            Code::invalid_argument);
}

TEST(MovedFrom, MatricesAreRefused) {
  const Client client(ckks::testing::parameters_of({}));
  const Values values = ckks::testing::random_values(4 * 4, 4);
  Matrix a = encrypt(2, 2, values, client.encoder, client.encryptor);
  Matrix b = std::move(a), c = encrypt(2, 2, values, client.encoder, client.encryptor);
  const auto refused = [](auto use) { EXPECT_EQ(refusal(use).code(), Code::invalid_argument); };
  refused([&] { (void)a.at(0, 0).level(); });
  refused([&] { (void)multiply(a, b, client.evaluator); });
  refused([&] { (void)multiply(b, a, client.evaluator); });
  refused([&] { multiply_add_into(c, a, b, client.evaluator); });
  refused([&] { multiply_add_into(a, b, b, client.evaluator); });
  refused([&] { relinearize_rescale_into(a, client.evaluator, client.relinearization); });
  refused([&] { (void)decrypt(a, 4, client.encoder, client.decryptor); });
  c = std::move(b);
  refused([&] { (void)b.at(1, 1).level(); });
  b = multiply(c, c, client.evaluator);
  EXPECT_EQ(b.at(1, 1).size(), 3U);
}

}  // namespace
}  // namespace ringfort::matmul
