// SPDX-License-Identifier: Apache-2.0
// A plan (ring degree, primes and tables of roots) on a device, and batches of polynomials, for the sections of
// gpu-bench. The residues of a batch depend only on the plan, a given number and a domain. Therefore they are the same
// on every device.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "math/prime.h"
#include "runtime/device.h"

namespace ringfort::bench::gpu {

using SharedDevice = std::shared_ptr<const Device>;
using SharedPlan = std::shared_ptr<const PreparedPlan>;

[[nodiscard]] inline Word word_of(u32 bits) { return bits < 32 ? Word::u32 : Word::u64; }

// Returns a plan with the largest primes of a length.
[[nodiscard]] inline Plan plan_of(u32 log_n, u32 bits, u32 limbs) {
  return {1u << log_n, word_of(bits), ntt_primes(bits, u64{1} << log_n, limbs).take()};
}

class Batch {
 public:
  Batch(SharedDevice device, const PreparedPlan& plan, u32 count)
      : device_(std::move(device)),
        buffer_(device_, {std::size_t{count} * plan.plan.moduli.size() * plan.n() * word_bytes(plan.plan.word),
                          Contents::undefined, Privacy::open}),
        view_{&plan, buffer_.handle(), 0, {0, static_cast<u32>(plan.plan.moduli.size())}, count, 0} {}
  // Fills all limbs with uniform residues.
  void fill(u64 number, Domain domain = Domain::coefficient) {
    verb::ExpandUniform from{view_, {}, number, 0, domain};
    from.seed.bytes.fill(7);
    device_->run({}, from);
  }
  [[nodiscard]] const View& view() const { return view_; }
  [[nodiscard]] View first(u32 count) const { return view_.polynomials(0, count); }
  [[nodiscard]] View in(Limbs limbs) const { return view_.in(limbs); }

 private:
  SharedDevice device_;
  Buffer buffer_;
  View view_;
};

[[nodiscard]] inline Batch uniform(const SharedDevice& device, const PreparedPlan& plan, u32 count, u64 number) {
  Batch batch(device, plan, count);
  batch.fill(number);
  return batch;
}

}  // namespace ringfort::bench::gpu
