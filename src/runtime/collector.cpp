// SPDX-License-Identifier: Apache-2.0
// Collects verbs, and runs them as one sequence (collector.h).
#include "runtime/collector.h"

#include <algorithm>
#include <utility>

namespace ringfort {

namespace {

thread_local Collector* collecting = nullptr;

// Tells whether the verb reads or writes host memory. Such a verb must run at once.
bool touches_the_host(const Verb& verb) noexcept {
  return std::holds_alternative<verb::Upload>(verb) || std::holds_alternative<verb::Download>(verb) ||
         std::holds_alternative<verb::Lift>(verb);
}

}  // namespace

Collector::Collector(const Device& device, Stream s)
    : device_(device),
      stream_(s),
      active_(collecting == nullptr && device.backend().capabilities().joins_verbs) {
  if (active_) collecting = this;
}

Collector::~Collector() {
  if (!active_) return;
  collecting = nullptr;
  try {
    flush();
  } catch (...) {  // a destructor must not throw; end() reports errors
  }
}

void Collector::end() {
  if (!active_) return;
  flush();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

Collector* Collector::of(const Device& device) noexcept {
  return collecting != nullptr && &collecting->device_ == &device ? collecting : nullptr;
}

bool Collector::collect(Stream s, std::span<const Verb> verbs) {
  if (s.index != stream_.index || std::any_of(verbs.begin(), verbs.end(), touches_the_host)) {
    flush();
    return false;
  }
  for (const Verb& verb : verbs) {
    for (const Operand& operand : operands_of(verb)) std::erase(forgotten_, operand.view.buffer);
    waiting_.verbs.push_back(verb);
    auto* const scale = std::get_if<verb::MultiplyScalar>(&waiting_.verbs.back());
    if (scale != nullptr)
      scale->per_limb = waiting_.factors.emplace_back(scale->per_limb.begin(), scale->per_limb.end());
  }
  return true;
}

void Collector::flush() {
  const Sequence now = std::exchange(waiting_, {});
  if (!now.verbs.empty()) run_and_release(now);
}

void Collector::run_and_release(const Sequence& now) {
  struct Ending {
    const Device& device;
    std::vector<DeviceBuffer*> forgotten;
    std::vector<Released> released;
    ~Ending() {
      for (DeviceBuffer* buffer : forgotten) buffer->ends = false;
      for (const Released& one : released) {
        one.buffer->ends = false;
        device.memory().give_back(one.buffer, one.as, one.wipe);
      }
    }
  };
  const Ending ending{device_, std::exchange(forgotten_, {}), std::exchange(released_, {})};
  for (DeviceBuffer* buffer : ending.forgotten) buffer->ends = true;
  for (const Released& one : ending.released) one.buffer->ends = true;
  device_.run_at_once(stream_, now.verbs);
}

void Collector::forget(DeviceBuffer* buffer) noexcept {
  try {
    forgotten_.push_back(buffer);
  } catch (const std::bad_alloc&) {  // without memory for the list, the device stores the contents
  }
}

bool Collector::release_later(DeviceBuffer* buffer, const MemoryRequest& as, bool wipe) noexcept {
  std::erase(forgotten_, buffer);
  if (waiting_.verbs.empty()) return false;
  try {
    released_.push_back({buffer, as, wipe});
    return true;
  } catch (const std::bad_alloc&) {}
  try {
    flush();
  } catch (...) {
    if (!failure_) failure_ = std::current_exception();
  }
  return false;
}

}  // namespace ringfort
