// SPDX-License-Identifier: Apache-2.0
// Tests the kernel convert: compares its results with big integers. If rounding decides which integer represents the
// residues, the formulas in convert.h define this integer. hw/pim/README.md explains the terms.
#include "convert_run.h"
#include "support.h"

namespace ringfort::pim::testing {
namespace {

// Returns `count` primes 1 mod 2^16 below 2^bits, the largest first.
std::vector<u32> primes(unsigned bits, std::size_t count) {
  std::vector<u32> found;
  for (u64 bound = u64{1} << bits; found.size() < count; bound = found.back())
    found.push_back(prime_below(bound, 1u << 16));
  return found;
}

Bases bases_of(unsigned bits, std::size_t from, std::size_t to) {
  const auto all = primes(bits, from + to);
  return {{all.begin(), all.begin() + static_cast<std::ptrdiff_t>(from)},
          {all.begin() + static_cast<std::ptrdiff_t>(from), all.end()}};
}

// Returns numbers below Q: first edge values, then random numbers.
std::vector<Big> numbers(const Bases& bases, u32 count) {
  const Big q = product(bases.from);
  Words random(count + bases.from.size());
  std::vector<Big> found{Big(0), Big(1), Big(2), Big(65536)};
  while (found.size() < count) {
    Big x(static_cast<u32>(random.next()));
    while (x.size() < q.size()) x = x.times_plus(0xffffffff, static_cast<u32>(random.next()));
    if (!x.below(q)) x = x.size() == 1 ? Big(x.mod(bases.from[0])) : x.upper(1);
    found.push_back(x);
  }
  return found;
}

// Returns the residue mod p of the integer in (-Q/2, Q/2] that is x modulo Q.
u32 centred_residue(const Big& x, const Big& q, u32 p) {
  const u32 rest = x.mod(p);
  return q.below(x.times_plus(2, 0)) ? (rest + p - q.mod(p)) % p : rest;
}

class Convert : public DpuTest {
 protected:
  void SetUp() override {
    DpuTest::SetUp();
    if (!IsSkipped()) run_.emplace(kernel_path("convert"), Timing{});
  }

  void check(const Bases& bases, u32 words) {
    const Big q = product(bases.from);
    const auto x = numbers(bases, words);
    std::vector<u32> residues, out;
    for (u32 modulus : bases.from) {
      for (const auto& value : x) residues.push_back(value.mod(modulus));
    }
    run_convert(*run_, bases, kCentred, residues, {}, out);
    for (std::size_t j = 0; j < bases.to.size(); ++j) {
      for (u32 i = 0; i < words; ++i)
        ASSERT_EQ(out[j * words + i], centred_residue(x[i], q, bases.to[j]))
            << bases.from.size() << " primes from " << bases.from[0] << " to " << bases.to[j] << " index " << i;
    }
  }

  std::optional<KernelRun> run_;
};

TEST_F(Convert, IsTheCentredLiftModuloOtherPrimes) {
  check(bases_of(30, 1, 2), 64);
  check(bases_of(30, 2, 1), 66);
  check(bases_of(30, 7, 3), 1026);
  check(bases_of(30, 36, 4), 64);
  check(bases_of(30, 37, 3), 66);
  check(bases_of(30, 74, 2), 6);
  check(bases_of(30, 75, 1), 130);
  check(bases_of(30, 128, 2), 66);
  check(bases_of(28, 8, 9), 62);
  check(bases_of(24, 1, 3), 64);
  check(bases_of(24, 9, 10), 258);
}

TEST_F(Convert, AMillionResidues) {
  check(bases_of(30, 3, 4), all_counts() ? 250000 : 20000);
  check(bases_of(24, 3, 4), all_counts() ? 250000 : 20000);
}

// Computes the formulas of convert.h with 128-bit integers.
u32 by_the_rule(const Bases& bases, ConvertKind kind, u64 x, u32 p) {
  u64 shares = kind == kCentred ? u64{1} << 55 : 0, value = 0, whole = 1;
  for (std::size_t k = 0; k < bases.from.size(); ++k) {
    const u32 q = bases.from[k];
    const u64 v = product_mod(x % q, inverse_mod(bases.weight(k, q), q), q);
    shares +=
        static_cast<u64>((static_cast<unsigned __int128>(v << (64 - std::bit_width(q))) * reciprocal(q)) >> 64) >> 7;
    value = (value + product_mod(v, bases.weight(k, p), p)) % p;
    whole = product_mod(whole, q, p);
  }
  const u64 c = kind == kApproximate ? 0 : shares >> 56;
  return static_cast<u32>((value + p - product_mod(c, whole, p)) % p);
}

// Every device computes the same integers, even if the quotient is so near to a half or to an integer that rounding
// decides the result.
TEST_F(Convert, FollowsItsRuleForEveryKind) {
  for (const Bases& bases :
       {bases_of(30, 2, 1), bases_of(24, 2, 1), bases_of(28, 2, 2), Bases{{65537, 786433}, {1179649}}}) {
    const u64 q = u64{bases.from[0]} * bases.from[1];
    std::vector<u64> x;
    for (u64 away = 0; away < 16; ++away)
      x.insert(x.end(), {q / 2 - (away << 8), q / 2 + (away << 8), q / 2 - away, q / 2 + away + 1, away, q - 1 - away});
    std::vector<u32> residues, out;
    for (u32 modulus : bases.from) {
      for (u64 value : x) residues.push_back(static_cast<u32>(value % modulus));
    }
    for (ConvertKind kind : {kApproximate, kFloor, kCentred}) {
      run_convert(*run_, bases, kind, residues, {}, out);
      for (std::size_t i = 0; i < out.size(); ++i)
        ASSERT_EQ(out[i], by_the_rule(bases, kind, x[i % x.size()], bases.to[i / x.size()]))
            << x[i % x.size()] << " kind " << kind;
    }
  }
}

// Given x modulo the sources and modulo the targets, the kernel computes round(x / Q) modulo the targets.
TEST_F(Convert, ModDownIsTheRoundedQuotient) {
  for (unsigned bits : {30u, 24u}) {
    const Bases bases = bases_of(bits, 2, 3);
    const u64 q = u64{bases.from[0]} * bases.from[1];
    Words random(bits);
    std::vector<unsigned __int128> x{0,     1, q / 2, q / 2 + 1,
                                     q - 1, q, q + 1, static_cast<unsigned __int128>(q) * q - 1};
    while (x.size() < 4096)
      x.push_back((static_cast<unsigned __int128>(random.next()) << 40 ^ random.next()) %
                  (static_cast<unsigned __int128>(q) * bases.to[0]));
    std::vector<u32> low, high, out;
    for (u32 modulus : bases.from) {
      for (auto value : x) low.push_back(static_cast<u32>(value % modulus));
    }
    for (u32 modulus : bases.to) {
      for (auto value : x) high.push_back(static_cast<u32>(value % modulus));
    }
    run_convert(*run_, bases, kCentred, low, high, out);
    for (std::size_t j = 0; j < bases.to.size(); ++j) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        // near a half, the two neighbouring integers are valid
        if (x[i] % q == q / 2 || x[i] % q == q / 2 + 1) continue;
        ASSERT_EQ(out[j * x.size() + i], static_cast<u64>((x[i] + q / 2) / q % bases.to[j]))
            << bits << " bits, target " << j << " index " << i;
      }
    }
  }
}

}  // namespace
}  // namespace ringfort::pim::testing
