// SPDX-License-Identifier: Apache-2.0
// The examples of docs/cpp.md in its order: parameters and keys, BFV by hand and automatically, rotations, files,
// errors, threads.
#include <cstdio>
#include <filesystem>
#include <thread>

#include "ringfort/bfv.h"
#include "ringfort/error.h"
#include "ringfort/files.h"

using namespace ringfort;

int main() {
  bfv::Requirements wanted;  // or bfv::preset("bfv-8192"), or bfv::Parameters with your own primes
  wanted.depth = 2;
  wanted.slots = 4096;
  const bfv::Parameters parameters = bfv::choose(wanted);
  const bfv::Context context(parameters);

  const KeyGenerator generator(context);  // draws the secret key
  const PublicKey open = generator.create_public_key();
  const RelinearizationKey relinearization = generator.create_relinearization_key();

  const bfv::Encoder encoder(context);
  const bfv::Encryptor encryptor(context, open);  // an encryptor with the secret key makes less noise
  const bfv::Decryptor decryptor(context, generator.secret_key());
  const bfv::Ciphertext x = encryptor.encrypt(encoder.encode(std::vector<std::int64_t>{1, 2, 3}));

  const bfv::Evaluator evaluator(context);
  bfv::Ciphertext y = evaluator.multiply(x, x);       // 3 components
  evaluator.relinearize_into(y, y, relinearization);  // 2 components, in the memory of y
  evaluator.add_into(y, y, x);                        // x^2 + x

  const bfv::AutomaticEvaluator automatic(context, &relinearization);
  // relinearizes, and chooses the level with the largest noise budget
  const bfv::Ciphertext cube = automatic.power(x, 3);

  KeyRequest request;
  request.rotations = {1, 2, 3};
  const KeyPlan plan = plan_keys(context, request);  // generates nothing yet
  std::printf("%zu keys, %zu bytes\n", plan.steps.size(), plan.galois_bytes);
  const GaloisKeys rotations = generator.create_galois_keys(plan);
  const bfv::Ciphertext rotated = evaluator.rotate(x, 1, rotations);  // rotates both rows by one slot to the left

  const std::string path = (std::filesystem::temp_directory_path() / "ringfort_from_seal.rfx").string();
  io::save(path, io::encode_ciphertext(context, y));
  // y is not a fresh encryption. Therefore loaded.bound_is_untrusted() is true: its bound is a claim of the file's
  // writer
  const bfv::Ciphertext loaded = io::decode_ciphertext(context, io::load(path));
  std::filesystem::remove(path);

  bool refused = false;
  try {
    (void)evaluator.rotate(x, 5, rotations);  // no key for 5
  } catch (const Error& e) {
    refused = e.code() == Code::key_missing;
    std::printf("%s: %s; %s\n", std::string(code_name(e.code())).c_str(), e.problem().c_str(), e.fix().c_str());
  }

  std::vector<bfv::Ciphertext> squares(2);
  std::vector<std::thread> threads;
  // the threads share evaluator, keys and x; each writes an output of its own
  for (bfv::Ciphertext& out : squares) {
    threads.emplace_back([&] { out = automatic.square(x); });
  }
  for (std::thread& thread : threads) thread.join();

  const auto first_three = [&](const bfv::Ciphertext& c) {
    std::vector<std::int64_t> out(3);
    encoder.decode(decryptor.decrypt(c), out);
    return out;
  };
  const bool right = first_three(loaded) == std::vector<std::int64_t>{2, 6, 12} &&
                     first_three(cube) == std::vector<std::int64_t>{1, 8, 27} &&
                     first_three(rotated) == std::vector<std::int64_t>{2, 3, 0} &&
                     first_three(squares[0]) == first_three(squares[1]);
  return right && refused ? 0 : 1;
}
