// SPDX-License-Identifier: Apache-2.0
// What the verbs of the Evaluator share: checks of operands, and results that are refused when their bound is gone.
#pragma once

#include "scheme/rgsw/state.h"

namespace ringfort::rgsw {

void require_operand(const EncryptedBits& a, const Context& context);
// And of equal sizes.
void require_operands(const EncryptedBits& a, const EncryptedBits& b, const Context& context);

// What is known of a result before it is computed. Throws noise_bound_exceeded when no row could hold its plaintext.
struct Bound {
  i64 low, high;  // of the plaintext
  double deviation;
};
[[nodiscard]] EncryptedBits::State describe_result(const EncryptedBits::State& a, const Bound& bound);

// write(state) fills the rows of `out`, which may be an operand of the same size; when it throws, `out` is empty.
template <class Write>
void write_result(EncryptedBits& out, const EncryptedBits::State& described, Write write) {
  EncryptedBits::State& state = out.state();
  const u32 count = described.count;
  state.resize(described.context, count);
  try {
    if (count != 0) write(state);
  } catch (...) {
    state.count = 0;
    throw;
  }
  state.describe_as(described);
}

}  // namespace ringfort::rgsw
