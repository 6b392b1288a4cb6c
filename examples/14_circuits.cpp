// SPDX-License-Identifier: Apache-2.0
// A polynomial in Chebyshev's basis, and a product with a public matrix, on encrypted real numbers.
#include "ringfort/circuit.h"

#include <cmath>
#include <cstdio>

using namespace ringfort;

int main() {
  ckks::Requirements wanted;
  wanted.depth = 4;
  wanted.magnitude = 8;
  wanted.precision = 20;
  const ckks::Context context(ckks::choose(wanted));
  const KeyGenerator generator(context);
  const RelinearizationKey relinearization = generator.create_relinearization_key();
  const ckks::Encoder encoder(context);
  const ckks::Decryptor decryptor(context, generator.secret_key());

  // A vector of 128 numbers, repeated in the slots.
  std::vector<double> values(context.slots()), matrix(128 * 128), found(context.slots());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 8 * std::cos(static_cast<double>(i % 128));
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = std::sin(static_cast<double>(i)) / 128;
  const ckks::Ciphertext x = ckks::Encryptor(context, generator.secret_key()).encrypt(encoder.encode(values));

  ckks::Polynomial sigmoid;  // in Chebyshev's basis, for values in [-8, 8]
  sigmoid.low = -8, sigmoid.high = 8;
  sigmoid.coefficients = {0.5, 0.6227, 0, -0.1815, 0, 0.1020};  // for T_0, T_1, T_2 ..
  sigmoid.error = 0.063;                                        // largest distance to 1 / (1 + exp(-x)) in the domain
  const ckks::PolynomialEvaluator polynomials(context, relinearization);
  const ckks::Ciphertext p = polynomials.evaluate(x, sigmoid);  // levels_of(sigmoid) = 4 levels below x

  encoder.decode_raw(decryptor.decrypt(p), std::span(found));
  double error = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    error = std::max(error, std::abs(found[i] - 1 / (1 + std::exp(-values[i]))));
  std::printf("sigmoid: %u levels, error %.3f, bound %.3f\n", x.level() - p.level(), error,
              std::exp2(-p.precision_bits() - 1));
  if (error > std::exp2(-p.precision_bits() - 1)) return 1;

  const ckks::LinearTransform transform(context, matrix, 128, x.level());  // 128 x 128 entries, row after row
  KeyRequest request;
  request.rotations = transform.steps();  // 22 rotations
  const GaloisKeys rotations = generator.create_galois_keys(plan_keys(context, request));
  const ckks::Ciphertext product = transform.apply(x, rotations);  // one level below x

  encoder.decode_raw(decryptor.decrypt(product), std::span(found));
  for (std::size_t row = 0; row < 128; ++row) {
    double expected = 0;
    for (std::size_t j = 0; j < 128; ++j) expected += matrix[row * 128 + j] * values[j];
    if (std::abs(found[row] - expected) > std::exp2(-product.precision_bits() - 1) + 1e-12) return 1;
  }
  std::printf("matrix: %zu rotations, %.0f bits\n", transform.steps().size(), product.precision_bits());
  return 0;
}
