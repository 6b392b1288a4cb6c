// SPDX-License-Identifier: Apache-2.0
// A plan and batches of random polynomials on a device, for the benchmarks.
#pragma once

#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "bench/kernels/bench.h"
#include "bench/kernels/measure.h"
#include "math/prime.h"

namespace ringfort::bench {

// A verb of a prepared plan cannot fail but for a defect of ours.
inline void require(Status status) {
  if (status == Status::out_of_memory) throw std::bad_alloc();
  if (status != Status::ok) throw std::logic_error("a benchmark's verb failed with status " + std::to_string(static_cast<int>(status)));
}

class Polynomials {
 public:
  Polynomials(Backend& backend, const PlanHandle* plan, const Plan& shape, u32 batch) : backend_(backend) {
    view_.plan = plan;
    view_.batch = batch;
    require(backend.allocate(std::size_t{batch} * shape.n * word_bytes(shape.word), view_.buffer));
    Expansion from;
    from.seed.bytes.fill(7);
    require(backend.expand_uniform({}, view_, from));
  }
  Polynomials(const Polynomials&) = delete;
  Polynomials& operator=(const Polynomials&) = delete;
  ~Polynomials() { backend_.release(view_.buffer, false); }
  [[nodiscard]] const View& view() const { return view_; }

 private:
  Backend& backend_;
  View view_;
};

inline Plan plan_of(u32 n, u32 bits) {
  return {n, bits <= 31 ? Word::u32 : Word::u64, {ntt_primes(bits, n, 1).take()[0]}};
}

// Vector multiplications a cycle is two; `per_eight` of them serve eight lanes. None for other instruction sets.
inline std::optional<double> multiplier_share(const Backend& backend, double lanes, double per_eight, double median_us) {
  const auto set = backend.capabilities().instruction_set;
  if (set != "ifma" && set != "avx512") return std::nullopt;
  return lanes / 8 * per_eight / 2 / cycles_per_microsecond() / median_us;
}

inline double butterfly_multiplications(const Backend& backend, const Plan& plan) {
  const u128 q = plan.moduli[0];
  return backend.capabilities().instruction_set == "ifma" && q >> 50 == 0 ? 3 : plan.word == Word::u32 ? 3 : 10;
}

inline double butterflies(u32 n) {
  double stages = 0;
  while ((u64{1} << static_cast<u32>(stages)) < n) ++stages;
  return n / 2 * stages;
}

}  // namespace ringfort::bench
