// SPDX-License-Identifier: Apache-2.0
// Rotations and sums in BFV, on exact integers. The program plans keys and prints their sizes before it makes the keys.
// The budget for the keys is too small by one key. Therefore one rotation is composed of other rotations. One call
// computes several rotations of a ciphertext.
#include <cstdio>
#include <numeric>

#include "ringfort/bfv.h"

using namespace ringfort;

int main() {
  bfv::Requirements wanted;
  wanted.depth = 1;
  wanted.slots = 4096;
  const bfv::Context context(bfv::choose(wanted));
  const std::uint32_t row = context.parameters().chain.n / 2;

  // A sum over a row needs rotations by 1, 2, 4 and so on. A moving window needs two more rotations.
  KeyRequest request;
  for (std::uint32_t step = 1; step < row; step *= 2) request.rotations.push_back(static_cast<std::int32_t>(step));
  for (const std::int32_t step : {3, 5}) request.rotations.push_back(step);
  request.conjugation = true;
  const KeyPlan all = plan_keys(context, request);
  // one key less: a rotation without its own key is composed of rotations by signed powers of two
  request.max_bytes = all.galois_bytes - all.bytes_per_key;
  const KeyPlan plan = plan_keys(context, request);
  std::printf("%zu keys of %zu bytes; under the budget %zu\n", all.steps.size() + 1, all.bytes_per_key,
              plan.steps.size() + 1);

  const KeyGenerator generator(context);
  const GaloisKeys keys = generator.create_galois_keys(plan);
  const bfv::Encoder encoder(context);
  const bfv::Evaluator evaluator(context);
  std::vector<std::int64_t> x(2 * row);
  std::iota(x.begin(), x.end(), -static_cast<std::int64_t>(row));
  const bfv::Ciphertext a = bfv::Encryptor(context, generator.secret_key()).encrypt(encoder.encode(x));
  const bfv::Decryptor decryptor(context, generator.secret_key());
  std::vector<std::int64_t> found(2 * row);

  // rotate_many computes the digits of `a` (the parts into which a key switch decomposes it) only once. A composed
  // rotation needs more digits for each further step.
  const std::vector<std::int64_t> steps = {1, 2, 3, 5};
  const std::vector<bfv::Ciphertext> rotated = evaluator.rotate_many(a, steps, keys);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    encoder.decode(decryptor.decrypt(rotated[i]), std::span<std::int64_t>(found));
    if (found[0] != x[static_cast<std::size_t>(steps[i])]) return 1;
  }

  // After sum_slots, every slot of a row has the sum of the row. Adding the swapped rows then gives the sum of all
  // slots.
  const bfv::Ciphertext rows = evaluator.sum_slots(a, row, keys);
  const bfv::Ciphertext total = evaluator.add(rows, evaluator.swap_rows(rows, keys));
  encoder.decode(decryptor.decrypt(total), std::span<std::int64_t>(found));
  const std::int64_t t = static_cast<std::int64_t>(context.plain_modulus());
  std::int64_t expected = std::accumulate(x.begin(), x.end(), std::int64_t{0}) % t;
  if (expected > t / 2) expected -= t;
  if (expected < -(t / 2)) expected += t;
  std::printf("sum of all slots: %lld (in the clear %lld), noise budget %.0f bits\n",
              static_cast<long long>(found[row + 7]), static_cast<long long>(expected), total.budget_bits());
  return found[row + 7] == expected ? 0 : 1;
}
