// SPDX-License-Identifier: Apache-2.0
// Benchmarks of operations that combine limbs, at the shapes of CKKS, BFV and BGV: base conversion from one limb and
// from half of the limbs, division by the special prime, the sum of a key switch, a tensor product, and automorphisms.
// There are also rows for a copy, a lift of small integers and a transform. Only base conversions and key_product have
// a limit_share. Its limit counts the products of residues by the weights of the conversion, or by the key.
#include "bench/kernels/polynomials.h"

namespace ringfort::bench {
namespace {

struct Shape {
  u32 n, bits, limbs;  // limbs: one special prime, then the data primes
};

constexpr Shape kShapes[] = {{8192, 50, 4}, {32768, 50, 9}, {32768, 60, 9}, {32768, 30, 16}};

void rows_of(const KernelBench& options, const SharedDevice& device, const Shape& s, std::vector<Row>& rows) {
  const Plan plan{s.n, s.bits <= 31 ? Word::u32 : Word::u64, ntt_primes(s.bits, s.n, s.limbs).take()};
  const SharedPlan prepared = device->prepare(plan);
  const u32 data = s.limbs - 1;
  const Polynomials digits(device, *prepared, data), key(device, *prepared, 2 * data), sums(device, *prepared, 3),
      scratch(device, *prepared, data), coefficients(device, *prepared, 1);
  const std::string suffix =
      "/n" + std::to_string(s.n) + "/q" + std::to_string(s.bits) + "/limbs" + std::to_string(s.limbs);
  const std::vector<std::pair<std::string, Value>> params = {{"n", s.n}, {"q_bits", s.bits}, {"limbs", s.limbs}};
  const auto time = [&](const std::string& name, std::optional<double> products, const auto& verb) {
    const std::string full = "limbs/" + name + suffix;
    if (!wanted(options.only, full)) return;
    const Spread t = measure(options.repeats, verb);
    const auto share =
        products ? vector_share(device, product_vectors(device, plan, *products), t.median) : std::nullopt;
    rows.push_back({full, options.device, params, "us", t.min, t.median, t.max, share});
  };
  const View out = sums.first(1);
  time("convert/1", 2.0 * data,
       [&] { device->run({}, verb::BaseConvert{out, digits.one(0, {1, 1}), Conversion::centred}); });
  const u32 half = s.limbs / 2;
  time("convert/half", (half + 1.0) * (s.limbs - half),
       [&] { device->run({}, verb::BaseConvert{out, digits.one(0, {0, half}), Conversion::centred}); });
  for (const Domain domain : {Domain::coefficient, Domain::evaluation}) {
    const std::string where = domain == Domain::coefficient ? "coefficient" : "evaluation";
    time("mod_down/" + where, std::nullopt, [&] {
      device->run({}, verb::ModDown{sums.one(0, {1, data}), digits.first(1), key.one(0, {0, 1}), 1, domain});
    });
    time("automorphism/" + where, std::nullopt,
         [&] { device->run({}, verb::Automorphism{out, digits.first(1), 5, domain}); });
  }
  time("tensor", std::nullopt, [&] { device->run({}, verb::Tensor{sums.first(3), digits.first(2), key.first(2)}); });
  time("key_product", 2.0 * data * s.limbs, [&] {
    device->run({}, verb::InnerProduct{sums.first(2), digits.first(data), key.first(2 * data), 1, data, 2, false});
  });
  // A digit has one prime. Measures a key switch up to its sum, in two ways. The first way runs base_convert and ntt as
  // separate verbs for all digits, and then the sum. The second way is one verb, which works limb by limb.
  const verb::KeySwitch switched{.out = sums.first(2),
                                 .a = digits.one(0, {1, data}),
                                 .coefficients = coefficients.one(0, {1, data}),
                                 .digits = scratch.first(data),
                                 .key = key.first(2 * data),
                                 .digit_limbs = 1};
  time("digits", std::nullopt, [&] {
    for (u32 d = 0; d < data; ++d) {
      for (const Limbs others : {Limbs{0, 1 + d}, Limbs{d + 2, data - 1 - d}}) {
        if (others.count == 0) continue;
        device->run({}, verb::BaseConvert{scratch.one(d, others), digits.one(0, {1 + d, 1}), Conversion::centred});
        device->run({}, verb::Ntt{scratch.one(d, others)});
      }
    }
  });
  if (device->backend().fuses(switched)) time("key_switch", std::nullopt, [&] { device->run({}, switched); });
  time("copy", std::nullopt, [&] { device->run({}, verb::Copy{out, digits.first(1)}); });
  const std::vector<i8> small(s.n, -1);
  time("lift", std::nullopt, [&] { device->run({}, verb::Lift{out, small.data(), 1}); });
  time("ntt", std::nullopt, [&] { device->run({}, verb::Ntt{out}); });
}

}  // namespace

std::vector<Row> bench_limbs(const KernelBench& options) {
  std::vector<Row> rows;
  const SharedDevice device = Device::open(options.device);
  for (const Shape& s : kShapes) rows_of(options, device, s, rows);
  return rows;
}

}  // namespace ringfort::bench
