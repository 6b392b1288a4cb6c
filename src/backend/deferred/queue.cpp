// SPDX-License-Identifier: Apache-2.0
#include "backend/deferred/queue.h"

#include <algorithm>

namespace ringfort::deferred {

namespace {

struct Touched {
  const DeviceBuffer* buffer;
  bool is_written;
};

std::vector<Touched> touched_by(const Waiting& waiting) {
  if (waiting.is_release()) return {{waiting.released, true}};
  std::vector<Touched> touched;
  for (const Operand& operand : operands_of(waiting.verb)) touched.push_back({operand.view.buffer, operand.is_written});
  return touched;
}

}  // namespace

bool Queue::precedes(const Waiting& earlier, const Waiting& later) const noexcept {
  if (!earlier.is_release() && !later.is_release() && earlier.stream == later.stream) return true;
  if (!by_buffer_ && !earlier.is_release() && !later.is_release()) return false;
  const std::vector<Touched> first = touched_by(earlier), second = touched_by(later);
  return std::any_of(first.begin(), first.end(), [&](const Touched& x) {
    return std::any_of(second.begin(), second.end(), [&](const Touched& y) { return x.buffer == y.buffer && (x.is_written || y.is_written); });
  });
}

}  // namespace ringfort::deferred
