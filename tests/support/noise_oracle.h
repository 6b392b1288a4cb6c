// SPDX-License-Identifier: Apache-2.0
// Measures the noise of an encrypted sum of Ring-GSW, with which a word search counts matches. The measurement needs
// the secret key and the true counts. Therefore only tests can make it.
#pragma once

#include <cmath>

#include "support/rgsw.h"

namespace ringfort::rgsw::testing {

// Returns the signed errors in the n coefficients of a sum. counts[i] is the true number of matches in coefficient i.
// The sum must still be modulo q: modulus switching, which shortens an answer, comes later.
inline std::vector<double> noise_oracle(const Client& client, MatchSum& sum, std::span<const u32> counts) {
  MatchSum::State& t = sum.state();
  const Ring& ring = client.context.state()->ring;
  const auto work = client.context.state()->workspace();
  add_unrotated(t, *work);
  const Slice<Eval> pair = t.engine == Engine::row ? t.sum.all() : t.sum.polynomials(2 * t.first.row, 2);
  const Scratch<Eval> phase = work->allocate_secret<Eval>(1, ring.limbs());
  ring.multiply(work->stream, phase.all(), pair.polynomials(1, 1), client.secret().secret.ntt_form.all());
  ring.subtract(work->stream, phase.all(), pair.polynomials(0, 1), phase.all());
  std::vector<u64> words(ring.n());
  ring.download(work->stream, ring.inverse(work->stream, phase.all()), std::span<u64>(words), work->staging);
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
