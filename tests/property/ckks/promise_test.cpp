// SPDX-License-Identifier: Apache-2.0
// Tests that the parameters of choose() keep their promise (the requested precision) on a grid of depths, precisions
// and magnitudes. Each context multiplies factors whose bounds are at most the magnitude, in the ways that the promise
// allows. Sums and differences of the automatic evaluator combine operands of different levels. The decrypted values
// must be as accurate as the bound states.
#include <cmath>
#include <cstdlib>
#include <functional>

#include "support/ckks.h"

namespace ringfort::ckks::promise_test {
namespace {

using testing::Client;
// long double, because the rounding errors of doubles would exceed some of the compared errors
using Values = std::vector<long double>;

struct Case {
  u32 depth, precision;
  double magnitude;
  u32 prime_bits = 0;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << "depth " << c.depth << ", precision " << c.precision << ", magnitude " << c.magnitude << ", primes of "
             << c.prime_bits << " bits";
}

std::optional<Parameters> accepted(const Case& c, u32 n = 1024) {
  Requirements r;
  r.depth = c.depth;
  r.precision = c.precision;
  r.magnitude = c.magnitude;
  r.primes.bits = c.prime_bits;
  r.n = n;
  r.insecure_reason = "a test";
  try {
    return choose(r);
  } catch (const Error& e) {
    if (e.code() == Code::unsupported) return std::nullopt;
    throw;
  }
}

// A ciphertext together with its values.
struct Tracked {
  Ciphertext c;
  Values values;
};

class Promise {
 public:
  Promise(const Case& wanted, const Parameters& p) : case_(wanted), client_(p, "", {1}) {}

  void keep_promise() {
    const double m = case_.magnitude, one = std::min(1.0, m);
    Tracked squares = fresh(root(), 1), line = fresh(m, 2), plain = fresh(m, 3);
    for (u32 k = 1; k <= case_.depth; ++k) {
      const double next = k == case_.depth ? m : one;
      squares = product(squares, squares);
      line = product(line, fresh(next, 10 + k));
      const std::vector<double> known = testing::random_values(plain.values.size(), 30 + k, next);
      plain = {client_.automatic.multiply_plain(plain.c, std::span<const double>(known)),
               each(plain.values, Values(known.begin(), known.end()), std::multiplies<>())};
    }
    for (const Tracked* result : {&squares, &line, &plain}) keeps(*result);
    meet(squares);
  }

 private:
  template <class F>
  static Values each(const Values& a, const Values& b, F f) {
    Values out(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) out[i] = f(a[i], b[i]);
    return out;
  }

  // Returns the largest input such that the input, and all depth - 1 successive squares of it, are at most the
  // magnitude.
  double root() const { return std::min(case_.magnitude, std::pow(case_.magnitude, std::exp2(1.0 - case_.depth))); }

  Tracked fresh(double magnitude, u64 seed) const {
    std::vector<double> values = testing::random_values(client_.context.slots(), seed, magnitude);
    values[0] = magnitude;
    EncodeOptions options;
    options.magnitude = magnitude;
    const Encryptor open(client_.context, client_.open);
    return {open.encrypt(client_.encoder.encode(std::span<const double>(values), options)),
            Values(values.begin(), values.end())};
  }

  Tracked product(const Tracked& a, const Tracked& b) const {
    return {client_.automatic.multiply(a.c, b.c), each(a.values, b.values, std::multiplies<>())};
  }

  void expect(const Ciphertext& c, const Values& values) const {
    const std::vector<double> found = client_.decrypt(c);
    long double most = 0;
    for (std::size_t i = 0; i < values.size(); ++i) most = std::max(most, std::abs(found[i] - values[i]));
    EXPECT_LE(most, std::exp2(-client_.encoder.decoded_precision_bits(c))) << case_;
  }

  // Checks the precision of a sum of four copies before and after rounding. Rounding may cost at most one bit.
  void keeps(const Tracked& result) const {
    const Ciphertext two = client_.automatic.add(result.c, result.c), four = client_.automatic.add(two, two);
    EXPECT_GE(client_.encoder.raw_precision_bits(four), case_.precision + 1) << case_;
    EXPECT_GE(client_.encoder.decoded_precision_bits(four), case_.precision) << case_;
    expect(four, each(result.values, result.values, [](long double a, long double b) { return 2 * (a + b); }));
  }

  // Checks sums and differences of one operand of the lowest level and one operand of the top level. Checks alignment
  // to each level, and a power.
  void meet(const Tracked& low) const {
    const AutomaticEvaluator& e = client_.automatic;
    const Tracked high = fresh(case_.magnitude, 50);
    const std::plus<> sum;
    expect(e.add(low.c, high.c), each(low.values, high.values, sum));
    expect(e.subtract(high.c, low.c), each(high.values, low.values, std::minus<>()));
    std::vector<Ciphertext> terms;
    terms.push_back(high.c.clone());
    terms.push_back(low.c.clone());
    expect(e.add_many(terms), each(low.values, high.values, sum));
    const std::vector<double> known(high.values.begin(), high.values.end());
    expect(e.add_plain(low.c, std::span<const double>(known)), each(low.values, high.values, sum));
    for (u32 level = client_.context.top_level() - case_.depth; level < client_.context.top_level(); ++level) {
      const Ciphertext aligned = e.align(high.c, level);
      EXPECT_EQ(aligned.scale(), client_.context.scale(level)) << case_;
      expect(aligned, high.values);
    }
    const Tracked small = fresh(root(), 51);
    const u32 most = case_.depth < 4 ? 1u << case_.depth : 11;
    Values powers = small.values;
    for (long double& value : powers) value = std::pow(value, static_cast<long double>(most));
    const Ciphertext power = e.power(small.c, most);
    EXPECT_GE(client_.encoder.decoded_precision_bits(power), case_.precision + 1) << case_ << ", power " << most;
    expect(power, powers);
  }

  Case case_;
  Client client_;
};

std::vector<Case> grid() {
  const char* counts = std::getenv("RINGFORT_COUNTS");
  const bool full = counts != nullptr && std::string_view(counts) == "full";
  std::vector<Case> out;
  for (const Case& each : {Case{3, 33, 4},
                           {3, 33, 16},
                           {5, 33, 4},
                           {8, 33, 1},
                           {3, 39, 16},
                           {1, 45, 1},
                           {2, 20, 1024},
                           {4, 28, 32},
                           {10, 20, 1},
                           {1, 5, 0.01},
                           {3, 20, 0x1p-4},
                           {2, 20, 16, 28}}) {
    out.push_back(each);
  }
  if (!full) return out;
  for (u32 depth = 1; depth <= 10; ++depth) {
    for (u32 precision = 5; precision <= 45; precision += 4) {
      for (int log2 = -4; log2 <= 10; log2 += 2) out.push_back({depth, precision, std::exp2(log2)});
      for (const u32 bits : {30u, 50u}) out.push_back({depth, precision, 4, bits});
    }
  }
  return out;
}

TEST(CkksPromise, IsKeptInEveryContextThatIsAccepted) {
  testing::choose_seed(12);
  u32 kept = 0;
  for (const Case& each : grid()) {
    const std::optional<Parameters> p = accepted(each);
    if (!p) continue;
    ++kept;
    try {
      Promise(each, *p).keep_promise();
    } catch (const Error& e) { ADD_FAILURE() << each << ": " << e.what(); }
  }
  EXPECT_GE(kept, 10u);
}

}  // namespace
}  // namespace ringfort::ckks::promise_test
