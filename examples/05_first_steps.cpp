// SPDX-License-Identifier: Apache-2.0
// First steps in C++: state requirements, make keys, encrypt, compute on encrypted values, decrypt.
#include <cmath>
#include <cstdio>

#include "ringfort/ckks.h"

using namespace ringfort;

int main() {
  // 1. State the requirements: two successive products, 20 bits after the binary point, values up to 4.
  ckks::Requirements wanted;
  wanted.depth = 2;
  wanted.precision = 20;
  wanted.magnitude = 4;
  const ckks::Parameters parameters = ckks::choose(wanted);
  std::printf("%s\n", ckks::explain(parameters).text().c_str());
  const ckks::Context context(parameters);

  // 2. The owner of the data makes keys. The server gets the relinearization key, which products need. The secret key
  //    stays with the owner.
  const KeyGenerator generator(context);
  const RelinearizationKey relinearization = generator.create_relinearization_key();
  const PublicKey open = generator.create_public_key();

  // 3. Anyone can encrypt with the public key.
  const std::vector<double> x = {0.5, -1.25, 3.0}, y = {2.0, 0.1, -1.0};
  const ckks::Encoder encoder(context);
  const ckks::Encryptor encryptor(context, open);
  const ckks::Ciphertext a = encryptor.encrypt(encoder.encode(x)), b = encryptor.encrypt(encoder.encode(y));

  // 4. The server computes 3 x y + x^2 - 1. The library manages levels and scales.
  const ckks::AutomaticEvaluator server(context, &relinearization);
  const ckks::Ciphertext product = server.multiply_plain(server.multiply(a, b), 3.0);
  const ckks::Ciphertext result = server.add_plain(server.add(product, server.square(a)), -1.0);
  std::printf("level %u of %u, at least %.0f bits after the point\n", result.level(), context.top_level(),
              encoder.decoded_precision_bits(result));

  // 5. The owner decrypts. Values are rounded to the bits that are certain.
  std::vector<double> found(x.size());
  encoder.decode(ckks::Decryptor(context, generator.secret_key()).decrypt(result), std::span<double>(found));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = 3 * x[i] * y[i] + x[i] * x[i] - 1;
    std::printf("%9.6f  (in the clear %9.6f)\n", found[i], expected);
    if (std::abs(found[i] - expected) > std::exp2(-encoder.decoded_precision_bits(result) - 1)) return 1;
  }
  return 0;
}
