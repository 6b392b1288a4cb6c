// SPDX-License-Identifier: Apache-2.0
// Benchmarks of a Ring-GSW product (gadget_product), and of its parts that are not transforms. The product decomposes a
// row of polynomials into digits, and multiplies the row of digits by an encrypted matrix. Its parts are the
// decomposition and the fused inner product. There are two shapes. In the shape of the word search's literal engine,
// one row of 62 digits is multiplied by 62 x 2 polynomials of 1024 residues of 31 bits. In the shape gsw128, a row has
// 4 digits, n is 2048, and residues have 50 bits.
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

// Measures the whole product from words to sums (digits, transforms and products), in one verb and in several verbs.
void whole_product(const SharedDevice& device, const Case& c, const verb::GadgetProduct& p, const KernelBench& options,
                   std::vector<Row>& rows) {
  const std::string name = std::string("kernel/gadget_product/") + (c.bits == 50 ? "gsw128" : "literal");
  const std::vector<std::pair<std::string, Value>> params = {
      {"n", c.n}, {"q_bits", c.bits}, {"inner", c.inner}, {"columns", 2}};
  const auto row = [&](const char* how, auto run) {
    if (!wanted(options.only, name + how)) return;
    const Spread s = measure(options.repeats, run);
    rows.push_back({name + how, options.device, params, "us", s.min, s.median, s.max, std::nullopt});
  };
  if (device->backend().fuses(p)) row("/fused", [&] { device->run({}, p); });
  Sequence composed;
  p.compose(composed);
  row("/composed", [&] { device->run({}, composed.verbs); });
}

}  // namespace

std::vector<Row> bench_inner_product(const KernelBench& options) {
  std::vector<Row> rows;
  const SharedDevice device = Device::open(options.device);
  for (const Case& c : kCases) {
    const SharedPlan prepared = device->prepare(plan_of(c.n, c.bits));
    const Polynomials digits(device, *prepared, c.inner), matrix(device, *prepared, 2 * c.inner);
    const Polynomials out(device, *prepared, 2), pair(device, *prepared, c.inner / c.gadget.digits);
    const std::vector<std::pair<std::string, Value>> params = {
        {"n", c.n}, {"q_bits", c.bits}, {"inner", c.inner}, {"columns", 2}};
    const verb::InnerProduct product{out.view(), digits.view(), matrix.view(), 1, c.inner, 2, false};
    if (wanted(options.only, c.name) && device->backend().fuses(product)) {
      const Spread s = measure(options.repeats, [&] { device->run({}, product); });
      const double vectors = product_vectors(device, prepared->plan, 2.0 * c.inner);  // 2 columns
      rows.push_back(
          {c.name, options.device, params, "us", s.min, s.median, s.max, vector_share(device, vectors, s.median)});
    }
    if (!wanted(options.only, c.digits_name)) continue;
    const Spread s =
        measure(options.repeats, [&] { device->run({}, verb::Decompose{digits.view(), out.view(), c.gadget}); });
    rows.push_back({c.digits_name, options.device, params, "us", s.min, s.median, s.max, std::nullopt});
    whole_product(device, c, {out.view(), digits.view(), pair.view(), matrix.view(), c.gadget, false}, options, rows);
  }
  return rows;
}

}  // namespace ringfort::bench
