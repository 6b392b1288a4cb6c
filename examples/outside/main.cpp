// SPDX-License-Identifier: Apache-2.0
// A program of another project: it uses only the installed headers and the target ringfort::ringfort.
#include <iostream>

#include <ringfort/bfv.h>

using namespace ringfort;

int main() {
  const bfv::Context context(bfv::preset("bfv-8192"));  // n = 8192, t = 65537
  const KeyGenerator generator(context);
  const RelinearizationKey relinearization = generator.create_relinearization_key();
  const bfv::Encoder encoder(context);
  const bfv::Encryptor encryptor(context, generator.create_public_key());
  const bfv::Evaluator evaluator(context);

  const bfv::Ciphertext x = encryptor.encrypt(encoder.encode(std::vector<std::int64_t>{1, -2, 3}));
  const bfv::Ciphertext square = evaluator.relinearize(evaluator.multiply(x, x), relinearization);

  std::vector<std::int64_t> result(3);
  encoder.decode(bfv::Decryptor(context, generator.secret_key()).decrypt(square), result);
  std::cout << result[0] << ' ' << result[1] << ' ' << result[2] << ", noise budget " << square.budget_bits()
            << " bits\n";
  return result == std::vector<std::int64_t>{1, 4, 9} ? 0 : 1;
}
