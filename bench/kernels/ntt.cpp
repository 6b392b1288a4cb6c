// SPDX-License-Identifier: Apache-2.0
// Benchmarks of transforms (NTTs, Fourier transforms modulo a prime) and of products of polynomials, one polynomial at
// a time, in place, with warm caches.
#include "bench/kernels/polynomials.h"

namespace ringfort::bench {
namespace {

constexpr u32 kDegrees[] = {1024, 2048, 4096, 8192, 16384, 32768, 65536};

std::string suffix(u32 n, u32 bits) { return "/n" + std::to_string(n) + "/q" + std::to_string(bits); }

// Calls rows(device, plan, bits, rows so far) for every degree and modulus length.
template <class F>
std::vector<Row> for_each_plan(const KernelBench& options, F rows) {
  std::vector<Row> all;
  const SharedDevice device = Device::open(options.device);
  for (const u32 bits : {30u, 31u, 50u, 60u}) {
    for (const u32 n : kDegrees) {
      const SharedPlan prepared = device->prepare(plan_of(n, bits));
      rows(device, *prepared, bits, all);
    }
  }
  return all;
}

Row row_of(const std::string& name, const KernelBench& options, u32 n, u32 bits, const Spread& s,
           std::optional<double> share) {
  return {name, options.device, {{"n", n}, {"q_bits", bits}}, "us", s.min, s.median, s.max, share};
}

}  // namespace

std::vector<Row> bench_ntt(const KernelBench& options) {
  return for_each_plan(
      options, [&](const SharedDevice& device, const PreparedPlan& prepared, u32 bits, std::vector<Row>& rows) {
        const Plan& plan = prepared.plan;
        const Polynomials a(device, prepared, 1);
        const auto add = [&](const std::string& name, auto transform) {
          if (!wanted(options.only, name)) return;
          const Spread s = measure(options.repeats, transform);
          rows.push_back(
              row_of(name, options, plan.n, bits, s, vector_share(device, transform_vectors(device, plan), s.median)));
        };
        add("ntt/forward" + suffix(plan.n, bits), [&] { device->run({}, verb::Ntt{a.view()}); });
        add("ntt/inverse" + suffix(plan.n, bits), [&] { device->run({}, verb::Intt{a.view()}); });
      });
}

std::vector<Row> bench_polymul(const KernelBench& options) {
  return for_each_plan(options, [&](const SharedDevice& device, const PreparedPlan& prepared, u32 bits,
                                    std::vector<Row>& rows) {
    const Plan& plan = prepared.plan;
    const Polynomials a(device, prepared, 1), b(device, prepared, 1);
    // The limit counts two forward transforms and one inverse transform. It does not count the innermost stage of the
    // fused product.
    const double transforms = 3 * transform_vectors(device, plan), stages = butterflies(plan.n) / (plan.n / 2.0);
    const auto add = [&](const std::string& name, double vectors, auto product) {
      if (!wanted(options.only, name)) return;
      const Spread s = measure(options.repeats, product);
      rows.push_back(row_of(name, options, plan.n, bits, s, vector_share(device, vectors, s.median)));
    };
    if (const verb::Polymul fused{a.view(), a.view(), b.view()}; device->backend().fuses(fused)) {
      add("polymul/fused" + suffix(plan.n, bits), transforms * (stages - 1) / stages, [&] { device->run({}, fused); });
    }
    add("polymul/composed" + suffix(plan.n, bits), transforms, [&] {
      device->run({}, verb::Ntt{a.view()});
      device->run({}, verb::Ntt{b.view()});
      device->run({}, verb::Multiply{a.view(), a.view(), b.view()});
      device->run({}, verb::Intt{a.view()});
    });
  });
}

}  // namespace ringfort::bench
