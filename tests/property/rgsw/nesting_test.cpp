// SPDX-License-Identifier: Apache-2.0
// Tests products of Ring-GSW ciphertexts, which are matrices of polynomials. The right operand of each product is
// itself a product. The rows of a product share an error. The digits of a left factor add up this error linearly,
// because the mean of a digit is not zero. The test nests products on the right until the library refuses. Until then,
// the error of every row must be below the stated bound, and every bit must decrypt.
#include <gtest/gtest.h>

#include "ringfort/error.h"
#include "scheme/rgsw/decrypt.h"
#include "support/noise_oracle.h"

namespace ringfort::rgsw {
namespace {

using testing::Client;

// Returns the largest error of any coefficient of any row of bit 0. This bit encrypts 1. Therefore the exact phase of a
// row is g_j, or -g_j t in the lower half. Here g_j is a constant of the gadget, and t the secret key.
double largest_row_error(Client& client, const EncryptedBits& bits) {
  const Context::State& c = *client.context.state();
  const std::span<const i8> t = client.secret().secret.coefficients.span();
  double most = 0;
  for (u32 r = 0; r < c.rows; ++r) {
    const auto phase = client.phase(bits, r);
    const i128 g = static_cast<i128>(c.gadget_values[r % c.p.digits]), q = static_cast<i128>(c.p.q);
    for (u32 i = 0; i < c.p.n; ++i) {
      const i128 expected = r < c.p.digits ? (i == 0 ? g : 0) : -g * t[i];
      const i128 error = ((static_cast<i128>(phase.data()[i]) - expected) % q + q) % q;
      most = std::max(most, static_cast<double>(error > q / 2 ? q - error : error));
    }
  }
  return most;
}

struct Nested {
  Parameters parameters;
  Mode mode = Mode::secret_key;
  int nests = 0;  // least number of nested products
};

std::vector<Nested> nested_cases() {
  std::vector<Nested> cases;
  for (const testing::Case& c : testing::all_cases()) {
    const Parameters p = preset(c.preset, true);
    cases.push_back({p, c.mode, c.mode == Mode::secret_key && !p.centred ? 2 : 0});
  }
  Parameters p = testing::tiny(64);  // the smallest centred digits, with base B = 4
  p.name = "tiny-b4";
  p.base_bits = 2;
  p.digits = 25;
  p.shift = 0;
  cases.push_back({p, Mode::secret_key, 3});
  cases.push_back({p, Mode::public_key, 2});
  return cases;
}

std::ostream& operator<<(std::ostream& out, const Nested& c) { return out << testing::Case{c.parameters.name, c.mode}; }

class NestedProducts : public ::testing::TestWithParam<Nested> {};

TEST_P(NestedProducts, StayBelowTheirBoundUntilTheyAreRefused) {
  testing::choose_seed(71);
  Client client(GetParam().parameters, GetParam().mode);
  const std::vector<u8> one = {1};
  EncryptedBits product = client.encrypt(one);
  int depth = 0;
  for (; depth < 20; ++depth) {
    EXPECT_LT(std::log2(largest_row_error(client, product)), product.noise_bits()) << "depth " << depth;
    EXPECT_EQ(client.decrypt(product), one) << "depth " << depth;
    try {
      product = client.evaluator.multiply(client.encrypt(one), product);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Code::noise_bound_exceeded) << e.what();
      break;
    }
  }
  EXPECT_LT(depth, 20);
  EXPECT_GE(depth, GetParam().nests) << "a product within the bound is refused";
}

INSTANTIATE_TEST_SUITE_P(Cases, NestedProducts, ::testing::ValuesIn(nested_cases()), [](const auto& info) {
  return testing::case_name({{info.param.parameters.name, info.param.mode}, info.index});
});

}  // namespace
}  // namespace ringfort::rgsw
