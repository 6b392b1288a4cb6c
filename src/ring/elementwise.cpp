// SPDX-License-Identifier: Apache-2.0
// Element-wise verbs in the memory of the caller (elementwise.h).
#include "ring/elementwise.h"

#include "math/prime.h"
#include "ringfort/error.h"

namespace ringfort {

namespace {

constexpr std::size_t kLeastDegree = 64, kLargestDegree = 1024;  // small tables, few calls of kernels

// Returns the largest degree in the range that divides `count`, and for which q is 1 mod 2d. Returns 0 if none does.
std::size_t degree_for(std::size_t count, u64 q) {
  for (std::size_t d = kLargestDegree; d >= kLeastDegree; d /= 2)
    if (count % d == 0 && (q - 1) % (2 * d) == 0) return d;
  return 0;
}

}  // namespace

std::shared_ptr<const Elementwise> Elementwise::prepare(std::size_t count, u64 q) {
  const std::size_t degree = q < 2 || q >> 62 != 0 || count / kLeastDegree > UINT32_MAX ? 0 : degree_for(count, q);
  if (degree == 0 || !is_prime(q)) return nullptr;
  std::shared_ptr<const Device> device = Device::open({});
  try {
    std::shared_ptr<const PreparedPlan> plan = device->prepare({static_cast<u32>(degree), Word::u64, {q}});
    return std::shared_ptr<const Elementwise>(new Elementwise(std::move(device), std::move(plan), count));
  } catch (const Error& e) {
    if (e.code() != Code::unsupported) throw;
    return nullptr;
  }
}

View Elementwise::view(DeviceBuffer* buffer) const {
  View v;
  v.plan = plan_.get();
  v.buffer = buffer;
  v.batch = static_cast<u32>(count_ / plan_->n());
  return v;
}

// Views of one array have one buffer, because buffers order the verbs that use them.
bool Elementwise::multiply(u64* out, const u64* a, const u64* b) const {
  const std::size_t bytes = count_ * sizeof(u64);
  const LentBuffer to(*device_, out, bytes), left(*device_, const_cast<u64*>(a), bytes),
      right(*device_, const_cast<u64*>(b), bytes);
  if (to.handle() == nullptr || left.handle() == nullptr || right.handle() == nullptr) return false;
  DeviceBuffer* const x = a == out ? to.handle() : left.handle();
  DeviceBuffer* const y = b == out ? to.handle() : b == a ? x : right.handle();
  device_->run({}, verb::Multiply{view(to.handle()), view(x), view(y)});
  device_->synchronize({});
  return true;
}

bool Elementwise::multiply_scalar(u64* out, const u64* a, u64 factor) const {
  const LentBuffer to(*device_, out, count_ * sizeof(u64));
  const LentBuffer from(*device_, const_cast<u64*>(a), count_ * sizeof(u64));
  if (to.handle() == nullptr || from.handle() == nullptr) return false;
  const u128 wide = factor;
  device_->run({}, verb::MultiplyScalar{view(to.handle()), view(a == out ? to.handle() : from.handle()), {&wide, 1}});
  device_->synchronize({});
  return true;
}

}  // namespace ringfort
