// SPDX-License-Identifier: Apache-2.0
// Transforms and polynomial products: one polynomial in place, warm in the caches that hold it.
#include "bench/kernels/polynomials.h"

namespace ringfort::bench {
namespace {

constexpr u32 kDegrees[] = {1024, 2048, 8192, 32768};

std::string suffix(u32 n, u32 bits) { return "/n" + std::to_string(n) + "/q" + std::to_string(bits); }

// rows(backend, plan, handle, suffix) for every degree and modulus length.
template <class F>
std::vector<Row> for_each_plan(const KernelBench& options, F rows) {
  std::vector<Row> all;
  const std::shared_ptr<Backend> backend = open_backend(options.device);
  if (backend == nullptr) return all;
  for (const u32 bits : {30u, 31u, 50u, 60u}) {
    for (const u32 n : kDegrees) {
      const Plan plan = plan_of(n, bits);
      std::shared_ptr<const PlanHandle> handle;
      require(backend->prepare(plan, handle));
      rows(*backend, plan, handle.get(), bits, all);
    }
  }
  return all;
}

Row row_of(const std::string& name, const KernelBench& options, u32 n, u32 bits, const Spread& s, std::optional<double> share) {
  return {name, options.device, {{"n", n}, {"q_bits", bits}}, "us", s.min, s.median, s.max, share};
}

}  // namespace

std::vector<Row> bench_ntt(const KernelBench& options) {
  return for_each_plan(options, [&](Backend& backend, const Plan& plan, const PlanHandle* handle, u32 bits, std::vector<Row>& rows) {
    const Polynomials a(backend, handle, plan, 1);
    const double per_eight = butterfly_multiplications(backend, plan);
    const auto share = [&](const Spread& s) { return multiplier_share(backend, butterflies(plan.n), per_eight, s.median); };
    const Spread forward = measure(options.repeats, [&] { require(backend.ntt({}, a.view())); });
    rows.push_back(row_of("ntt/forward" + suffix(plan.n, bits), options, plan.n, bits, forward, share(forward)));
    const Spread inverse = measure(options.repeats, [&] { require(backend.intt({}, a.view())); });
    rows.push_back(row_of("ntt/inverse" + suffix(plan.n, bits), options, plan.n, bits, inverse, share(inverse)));
  });
}

std::vector<Row> bench_polymul(const KernelBench& options) {
  return for_each_plan(options, [&](Backend& backend, const Plan& plan, const PlanHandle* handle, u32 bits, std::vector<Row>& rows) {
    const Polynomials a(backend, handle, plan, 1), b(backend, handle, plan, 1);
    if (backend.polymul({}, a.view(), a.view(), b.view()) == Status::ok) {
      const Spread fused = measure(options.repeats, [&] { require(backend.polymul({}, a.view(), a.view(), b.view())); });
      rows.push_back(row_of("polymul/fused" + suffix(plan.n, bits), options, plan.n, bits, fused, std::nullopt));
    }
    const Spread composed = measure(options.repeats, [&] {
      require(backend.ntt({}, a.view()));
      require(backend.ntt({}, b.view()));
      require(backend.multiply({}, a.view(), a.view(), b.view()));
      require(backend.intt({}, a.view()));
    });
    rows.push_back(row_of("polymul/composed" + suffix(plan.n, bits), options, plan.n, bits, composed, std::nullopt));
  });
}

}  // namespace ringfort::bench
