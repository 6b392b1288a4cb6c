// SPDX-License-Identifier: Apache-2.0
// Evaluates 0.25 x^3 + x in CKKS by hand, as in SEAL: the program states primes, levels and scales explicitly.
#include <cmath>
#include <cstdio>

#include "ringfort/ckks.h"
#include "ringfort/error.h"
#include "ringfort/ring.h"

using namespace ringfort;

int main() {
  // With n = 8192 and 128 bits of security, the product of all primes may have 214 bits. The product of these primes
  // has 200 bits: a first prime of 60 bits, two primes of 40 bits for rescaling, and a special prime of 60 bits.
  ckks::Parameters parameters;
  parameters.chain.n = 8192;
  const auto longest = primes(60, 8192, 2), middle = primes(40, 8192, 2);
  for (const auto q : {longest[0], middle[0], middle[1]})
    parameters.chain.data.push_back(static_cast<std::uint64_t>(q));
  parameters.chain.special.push_back(static_cast<std::uint64_t>(longest[1]));
  parameters.scale = 0x1p40;
  const ckks::Context context(parameters);
  const KeyGenerator generator(context);
  const RelinearizationKey relinearization = generator.create_relinearization_key();
  const ckks::Encoder encoder(context);
  const ckks::Evaluator evaluator(context);

  std::vector<double> x(context.slots());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i));
  const ckks::Ciphertext a = ckks::Encryptor(context, generator.secret_key()).encrypt(encoder.encode(x));

  // x^2 has three components, and its scale is the square of the scale of x. Relinearize it to two components, and
  // divide it by the last prime.
  ckks::Ciphertext square = evaluator.square(a);
  std::printf("x^2        : %u components, level %u, scale 2^%.2f\n", square.size(), square.level(),
              std::log2(square.scale()));
  square = evaluator.rescale(evaluator.relinearize(square, relinearization));
  std::printf("rescaled   : %u components, level %u, scale 2^%.2f\n", square.size(), square.level(),
              std::log2(square.scale()));

  // Compute 0.25 x at the level and scale of x^2. The constant has the scale of x, and x^2 is a product of two factors
  // with this scale. Therefore the scales of 0.25 x and of x^2 are bit-identical.
  const std::vector<double> quarter(context.slots(), 0.25);
  const ckks::Plaintext constant = encoder.encode_public(quarter, {a.level(), a.scale(), {}});
  const ckks::Ciphertext scaled = evaluator.rescale(evaluator.multiply_plain(a, constant));
  const ckks::Ciphertext cube =
      evaluator.rescale(evaluator.relinearize(evaluator.multiply(square, scaled), relinearization));

  // A sum of operands with different levels is an error. The message states the fix.
  try {
    (void)evaluator.add(cube, a);
    return 1;
  } catch (const Error& e) { std::printf("refused    : %s\n", e.what()); }
  const ckks::AutomaticEvaluator automatic(context, &relinearization);
  const ckks::Ciphertext result = evaluator.add(cube, automatic.align(a, cube.level()));

  std::vector<double> found(x.size());
  encoder.decode(ckks::Decryptor(context, generator.secret_key()).decrypt(result), std::span<double>(found));
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    worst = std::max(worst, std::abs(found[i] - (0.25 * x[i] * x[i] * x[i] + x[i])));
  std::printf("0.25 x^3 + x: error at most 2^%.1f, promised 2^%.1f\n", std::log2(worst),
              -encoder.decoded_precision_bits(result) - 1);
  return worst <= std::exp2(-encoder.decoded_precision_bits(result) - 1) ? 0 : 1;
}
