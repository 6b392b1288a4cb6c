// SPDX-License-Identifier: Apache-2.0
// Decides which waiting entry must run before another entry (queue.h).
#include "backend/deferred/queue.h"

#include <algorithm>

namespace ringfort::deferred {

namespace {

bool touches(const Verb& verb, const DeviceBuffer* buffer) noexcept {
  const Operands operands = operands_of(verb);
  return std::any_of(operands.begin(), operands.end(),
                     [&](const Operand& operand) { return operand.view.buffer == buffer; });
}

// Tells whether one of two verbs writes a buffer that the other verb uses.
bool conflict(const Verb& x, const Verb& y) noexcept {
  const Operands of_x = operands_of(x), of_y = operands_of(y);
  return std::any_of(of_x.begin(), of_x.end(), [&](const Operand& a) {
    return std::any_of(of_y.begin(), of_y.end(), [&](const Operand& b) {
      return a.view.buffer == b.view.buffer && (a.is_written || b.is_written);
    });
  });
}

}  // namespace

bool Queue::precedes(const Waiting& earlier, const Waiting& later) const noexcept {
  if (earlier.is_end()) return later.is_end() ? earlier.ended == later.ended : touches(later.verb, earlier.ended);
  if (later.is_end()) return touches(earlier.verb, later.ended);
  return earlier.stream == later.stream || (by_buffer_ && conflict(earlier.verb, later.verb));
}

}  // namespace ringfort::deferred
