// SPDX-License-Identifier: Apache-2.0
// What a Ring-GSW product consists of beside its transforms: the fused inner product and the digits, at the shapes of the
// literal product (one row of 62 digits by 62 x 2 polynomials of 1024 31-bit residues) and of 50-bit n = 2048.
#include "bench/kernels/polynomials.h"

namespace ringfort::bench {
namespace {

struct Case {
  const char* name;
  const char* digits_name;
  u32 n, bits, inner;
  Gadget gadget;
};

constexpr Case kCases[] = {{"kernel/inner_product/literal", "kernel/decompose/bits", 1024, 31, 62, {1, 31, 0, false}},
                           {"kernel/inner_product/gsw128", "kernel/decompose/base15", 2048, 50, 4, {15, 2, 20, true}}};

View polynomial(const View& view, u32 index, u32 n) {
  View one = view;
  one.offset += std::size_t{index} * n;
  one.batch = 1;
  return one;
}

// From words to sums: digits, transforms and products, in one verb and in several.
void whole_product(Backend& backend, const Case& c, const GadgetProduct& p, const KernelBench& options, std::vector<Row>& rows) {
  const std::string name = std::string("kernel/gadget_product/") + (c.bits == 50 ? "gsw128" : "literal");
  const std::vector<std::pair<std::string, Value>> params = {{"n", c.n}, {"q_bits", c.bits}, {"inner", c.inner}, {"columns", 2}};
  const auto row = [&](const char* how, auto run) {
    if (!wanted(options.only, name + how)) return;
    const Spread s = measure(options.repeats, run);
    rows.push_back({name + how, options.device, params, "us", s.min, s.median, s.max, std::nullopt});
  };
  if (backend.gadget_product({}, p) == Status::ok) row("/fused", [&] { require(backend.gadget_product({}, p)); });
  row("/composed", [&] {
    require(backend.decompose({}, p.digits, p.a, p.gadget));
    require(backend.ntt({}, p.digits));
    if (backend.inner_product({}, p.rest()) == Status::ok) return;
    for (u32 column = 0; column < 2; ++column) {
      for (u32 k = 0; k < c.inner; ++k) {
        const View out = polynomial(p.out, column, c.n), a = polynomial(p.digits, k, c.n), b = polynomial(p.b, 2 * k + column, c.n);
        require(k == 0 ? backend.multiply({}, out, a, b) : backend.multiply_add({}, out, a, b));
      }
    }
  });
}

}  // namespace

std::vector<Row> bench_inner_product(const KernelBench& options) {
  std::vector<Row> rows;
  const std::shared_ptr<Backend> backend = open_backend(options.device);
  if (backend == nullptr) return rows;
  for (const Case& c : kCases) {
    const Plan plan = plan_of(c.n, c.bits);
    std::shared_ptr<const PlanHandle> handle;
    require(backend->prepare(plan, handle));
    const Polynomials digits(*backend, handle.get(), plan, c.inner), matrix(*backend, handle.get(), plan, 2 * c.inner);
    const Polynomials out(*backend, handle.get(), plan, 2), pair(*backend, handle.get(), plan, c.inner / c.gadget.digits);
    const std::vector<std::pair<std::string, Value>> params = {{"n", c.n}, {"q_bits", c.bits}, {"inner", c.inner}, {"columns", 2}};
    const InnerProduct product{out.view(), digits.view(), matrix.view(), 1, c.inner, 2, false};
    if (wanted(options.only, c.name) && backend->inner_product({}, product) == Status::ok) {
      const Spread s = measure(options.repeats, [&] { require(backend->inner_product({}, product)); });
      const double vectors = 2 * 2.0 * c.inner * c.n / kLanes;   // two columns, lower and upper half of each product
      rows.push_back({c.name, options.device, params, "us", s.min, s.median, s.max, vector_share(*backend, vectors, s.median)});
    }
    if (!wanted(options.only, c.digits_name)) continue;
    const Spread s = measure(options.repeats, [&] { require(backend->decompose({}, digits.view(), out.view(), c.gadget)); });
    rows.push_back({c.digits_name, options.device, params, "us", s.min, s.median, s.max, std::nullopt});
    whole_product(*backend, c, {out.view(), digits.view(), pair.view(), matrix.view(), c.gadget, false}, options, rows);
  }
  return rows;
}

}  // namespace ringfort::bench
