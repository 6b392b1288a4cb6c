// SPDX-License-Identifier: Apache-2.0
// Measured noise: needs the secret key and the plaintext, and therefore lives with the tests alone.
#pragma once

#include <cmath>

#include "scheme/rgsw/decrypt.h"
#include "support/rgsw.h"

namespace ringfort::rgsw::testing {

// Signed errors of the n coefficients of a total whose counts are known; before modulus switching.
inline std::vector<double> noise_oracle(const Client& client, Total& total, std::span<const u32> counts, Worker& worker) {
  Total::State& t = total.state();
  Worker::State& w = worker.state();
  flush(t, w);
  const Ring& ring = client.context.state()->ring;
  const Slice<Eval> pair = t.engine == Engine::row ? t.sum.all() : t.sum.part(2 * t.first.row, 2), phase = w.product.part(0, 1);
  ring.multiply(w.stream, phase, pair.part(1, 1), client.secret.state().secret.hat.all());
  ring.sub(w.stream, phase, pair.part(0, 1), phase);
  std::vector<u64> words(ring.n());
  ring.download(w.stream, ring.inverse(w.stream, w.product.part(0, 1)), std::span<u64>(words), w.scratch.staging);
  const u64 q = ring.q();
  std::vector<double> errors(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const u64 expected = static_cast<u64>(static_cast<u128>(counts[i]) * t.scale % q);
    const u64 difference = words[i] >= expected ? words[i] - expected : words[i] + q - expected;
    errors[i] = difference > q / 2 ? -static_cast<double>(q - difference) : static_cast<double>(difference);
  }
  return errors;
}

inline double mean_square(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return sum / static_cast<double>(values.size());
}

inline double largest(std::span<const double> values) {
  double most = 0;
  for (const double v : values) most = std::max(most, std::fabs(v));
  return most;
}

}  // namespace ringfort::rgsw::testing
