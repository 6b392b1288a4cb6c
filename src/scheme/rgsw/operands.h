// SPDX-License-Identifier: Apache-2.0
// Functions that several verbs of the Evaluator use: checks of operands, and bounds of results.
#pragma once

#include "scheme/rgsw/state.h"

namespace ringfort::rgsw {

void require_operand(const EncryptedBits& a, const Context& context);
// Checks both operands, and checks that their sizes are equal.
void require_operands(const EncryptedBits& a, const EncryptedBits& b, const Context& context);

// The bound of a result, known before the result is computed. describe_result throws noise_bound_exceeded if no row of
// the ciphertext (state.h) would decrypt correctly with this range and this deviation.
struct Bound {
  i64 low, high;  // range of the plaintext
  double deviation;
};
[[nodiscard]] EncryptedBits::State describe_result(const EncryptedBits::State& a, const Bound& bound);

// Calls write(state), which must fill the rows of `out`. `out` may be an operand of the same size. If write throws,
// `out` is empty.
template <class Write>
void write_result(EncryptedBits& out, const EncryptedBits::State& described, Write write) {
  EncryptedBits::State& state = out.state();
  try {
    state.resize(described.context, described.count);
    if (described.count != 0) write(state);
  } catch (...) {
    state = {};
    throw;
  }
  state.describe_as(described);
}

}  // namespace ringfort::rgsw
