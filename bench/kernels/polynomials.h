// SPDX-License-Identifier: Apache-2.0
// A plan and batches of random polynomials on a device, for the benchmarks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/kernels/bench.h"
#include "bench/kernels/measure.h"
#include "bench/limit.h"
#include "math/prime.h"
#include "runtime/device.h"

namespace ringfort::bench {

using SharedDevice = std::shared_ptr<const Device>;
using SharedPlan = std::shared_ptr<const PreparedPlan>;

// Random polynomials in all limbs of a plan.
class Polynomials {
 public:
  Polynomials(const SharedDevice& device, const PreparedPlan& plan, u32 batch)
      : limbs_(static_cast<u32>(plan.plan.moduli.size())),
        buffer_(device, {std::size_t{batch} * limbs_ * plan.n() * word_bytes(plan.plan.word), Contents::undefined,
                         Privacy::open}),
        view_{&plan, buffer_.handle(), 0, {0, limbs_}, batch} {
    verb::ExpandUniform from{view_, {}};
    from.seed.bytes.fill(7);
    device->run({}, from);
  }
  [[nodiscard]] const View& view() const { return view_; }
  [[nodiscard]] View first(u32 count) const { return view_.polynomials(0, count); }
  [[nodiscard]] View one(u32 index, Limbs limbs) const { return view_.polynomial(index).in(limbs); }

 private:
  u32 limbs_;
  Buffer buffer_;
  View view_;
};

inline Plan plan_of(u32 n, u32 bits) {
  return {n, bits <= 31 ? Word::u32 : Word::u64, {ntt_primes(bits, n, 1).take()[0]}};
}

inline std::string_view instruction_set(const SharedDevice& device) {
  return device->backend().capabilities().instruction_set;
}

inline std::optional<double> vector_share(const SharedDevice& device, double vectors, double median_us) {
  if (!states_vector_limit(instruction_set(device))) return std::nullopt;
  return vectors / kVectorsACycle / cycles_per_microsecond() / median_us;
}

inline double transform_vectors(const SharedDevice& device, const Plan& plan) {
  return transform_vectors(instruction_set(device), plan.n, static_cast<u64>(plan.moduli[0]));
}

// Returns the vectors of multiplications that multiply `products` pairs of polynomials, residue by residue.
inline double product_vectors(const SharedDevice& device, const Plan& plan, double products) {
  return product_vectors(instruction_set(device), products * plan.n, static_cast<u64>(plan.moduli[0]));
}

}  // namespace ringfort::bench
