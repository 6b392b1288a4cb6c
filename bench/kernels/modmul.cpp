// SPDX-License-Identifier: Apache-2.0
// Benchmarks of modular multiplication by each reduction of src/math, in portable code, as in [Shivdikar22, Fig. 4]. A
// row is the time per product in nanoseconds, in a loop over independent pairs in the first-level cache. A reduction
// has no row for a modulus that it does not accept.
#include "bench/kernels/bench.h"
#include "bench/kernels/measure.h"
#include "bench/limit.h"
#include "math/prime.h"
#include "math/reduction_barrett.h"
#include "math/reduction_montgomery.h"
#include "math/reduction_shoup.h"

namespace ringfort::bench {
namespace {

constexpr std::size_t kPairs = 1024;

// Multiplications per cycle that this machine issues in the portable code of this file.
template <class W>
constexpr double multiplications_a_cycle() {
  if (sizeof(W) == 8) return 1;
#if defined(__AVX512F__)
  return 2 * 8;
#elif defined(__AVX2__)
  return 2 * 4;
#elif defined(__SSE2__)
  return 2 * 2;
#else
  return 1;
#endif
}

template <class W>
struct Operands {
  W q;
  std::vector<W> a, b, product;
  explicit Operands(W modulus) : q(modulus), a(kPairs), b(kPairs), product(kPairs) {
    u64 state = 1;
    for (std::size_t i = 0; i < kPairs; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      a[i] = static_cast<W>((state >> 1) % q);
      b[i] = static_cast<W>((state * 3 >> 2) % q);
    }
  }
};

template <class W, class F>
void add_row(std::vector<Row>& rows, const std::string& reduction, u32 bits, const KernelBench& options, Operands<W>& o,
             F multiply) {
  const std::string name = "modmul/" + reduction + "/q" + std::to_string(bits);
  if (!wanted(options.only, name)) return;
  const Spread s = measure(options.repeats, [&] {
    for (std::size_t i = 0; i < kPairs; ++i) o.product[i] = multiply(o.a[i], o.b[i]);
    __asm__ volatile("" : : "r"(o.product.data()) : "memory");
  });
  const double scale = 1000.0 / kPairs;  // us per loop to ns per product
  const double multiplications = reduction == "builtin" ? 1 : 3;
  const double limit_us = kPairs * multiplications / multiplications_a_cycle<W>() / cycles_per_microsecond();
  rows.push_back({name,
                  "cpu:generic",
                  {{"q_bits", bits}, {"word_bits", std::int64_t{8 * sizeof(W)}}},
                  "ns",
                  s.min * scale,
                  s.median * scale,
                  s.max * scale,
                  limit_us / s.median});
}

template <class W, class Reduction>
void bench_reduction(std::vector<Row>& rows, const std::string& name, u32 bits, const KernelBench& options,
                     Operands<W>& o) {
  if (!Reduction::accepts(o.q)) return;
  const Reduction reduction(o.q);
  add_row(rows, name, bits, options, o, [&](W a, W b) { return reduction.multiply(a, b); });
}

template <class W>
void bench_word(std::vector<Row>& rows, u32 bits, const KernelBench& options) {
  Operands<W> o(static_cast<W>(ntt_primes(bits, 1024, 1).take()[0]));
  bench_reduction<W, BuiltinRemainder<W>>(rows, "builtin", bits, options, o);
  bench_reduction<W, ClassicalBarrett<W>>(rows, "barrett", bits, options, o);
  bench_reduction<W, DhemQuisquater<W>>(rows, "dhem", bits, options, o);
  bench_reduction<W, ProposedBarrett<W>>(rows, "proposed", bits, options, o);
  if (Shoup<W>::accepts(o.q)) {
    const Shoup<W> shoup(o.q);
    // One factor is the same constant in all products. Shoup's method is made for this case.
    const ShoupFactor<W> factor = shoup.factor(o.b[0]);
    add_row(rows, "shoup", bits, options, o, [&](W a, W) { return shoup.multiply(a, factor); });
  }
  bench_reduction<W, Montgomery<W>>(rows, "montgomery", bits, options, o);
}

}  // namespace

std::vector<Row> bench_modmul(const KernelBench& options) {
  std::vector<Row> rows;
  for (const u32 bits : {28u, 29u, 30u}) bench_word<u32>(rows, bits, options);
  for (const u32 bits : {60u, 62u}) bench_word<u64>(rows, bits, options);
  return rows;
}

}  // namespace ringfort::bench
