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
#include "bench/limit.h"
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
    require(backend.allocate(std::size_t{batch} * shape.n * word_bytes(shape.word), Contents::open, view_.buffer));
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

inline std::optional<double> vector_share(const Backend& backend, double vectors, double median_us) {
  if (!states_vector_limit(backend.capabilities().instruction_set)) return std::nullopt;
  return vectors / kVectorsACycle / cycles_per_microsecond() / median_us;
}

inline double transform_vectors(const Backend& backend, const Plan& plan) {
  return transform_vectors(backend.capabilities().instruction_set, plan.n, static_cast<u64>(plan.moduli[0]));
}

}  // namespace ringfort::bench
