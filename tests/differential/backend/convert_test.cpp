// SPDX-License-Identifier: Apache-2.0
// Tests that automorphisms and base conversion (residues modulo other primes) of every device equal those of the
// reference device ref, bit for bit. The tests use boundary primes (cases.h), and many patterns, limbs, strides and
// numbers of threads. Other tests send invalid requests.
#include "differential/backend/cases.h"
#include "math/rns.h"

namespace ringfort::testing {
namespace {

// Returns `batch` polynomials over all limbs, filled with a pattern.
template <class W>
std::vector<W> polynomials(const std::vector<u128>& moduli, u32 n, u32 batch, Pattern pattern) {
  std::vector<W> words;
  for (u32 p = 0; p < batch; ++p) {
    for (const u128 q : moduli) {
      const std::vector<W> limb = filled<W>(pattern, n, q, 7 * n + p + moduli.size());
      words.insert(words.end(), limb.begin(), limb.end());
    }
  }
  return words;
}

struct Case {
  u32 n;
  std::vector<u128> moduli;
  u32 batch;
  Pattern pattern;
  u32 threads = 1;
};

// Returns all words of `out` after verb(backend, stream, out, a). `out` is filled with ones before.
template <class W, class Verb>
std::vector<W> outcome(const TestDevice& on, const Case& c, Verb verb) {
  const SharedPlan plan = prepare(on, word_of<W>(), c.n, c.moduli);
  const u32 limbs = static_cast<u32>(c.moduli.size());
  const std::vector<W> words = polynomials<W>(c.moduli, c.n, c.batch, c.pattern);
  const Batch<W> a(on, plan.get(), c.n, words, limbs), out(on, plan.get(), c.n, std::vector<W>(words.size(), 1), limbs);
  EXPECT_EQ(verb(on, Stream{0, c.threads}, out.view(), a.view()), Status::ok);
  return out.values();
}

template <class W, class Verb>
void compare(const TestDevice& device, const Case& c, Verb verb) {
  if (!device.takes(word_of<W>(), c.n, c.moduli)) return;
  EXPECT_EQ(outcome<W>(device, c, verb), outcome<W>(TestDevice("ref"), c, verb));
}

template <class W>
void compare_automorphisms(const TestDevice& device, const Case& c) {
  for (const u32 galois : {1u, 3u, 5u, 25u, c.n - 1, c.n + 1, 2 * c.n - 1}) {
    for (const Domain domain : {Domain::coefficient, Domain::evaluation}) {
      SCOPED_TRACE(label(device, c.n, c.moduli[0], c.pattern) + "/galois=" + std::to_string(galois % (2 * c.n)) +
                   "/domain=" + std::to_string(static_cast<int>(domain)));
      compare<W>(device, c, [&](const TestDevice& k, Stream s, const View& out, const View& a) {
        return k.run(s, verb::Automorphism{out, a, galois % (2 * c.n), domain});
      });
    }
  }
}

class Convert : public OverDevices {};

TEST_P(Convert, AutomorphismEqualsRef_BoundaryPrimesAndDegrees) {
  const TestDevice device(GetParam());
  for (u32 n = 2; n <= 4096; n *= 2) {
    for (const Pattern pattern : {Pattern::alternating, Pattern::random}) {
      compare_automorphisms<u32>(device, {n, {boundary_primes<u32>(n, 1)[0]}, 1, pattern});
      compare_automorphisms<u32>(device, {n, {limits(n)[0]}, 1, pattern});
      compare_automorphisms<u64>(device, {n, {boundary_primes<u64>(n, 2)[1]}, 1, pattern});
      if (n <= 64) compare_automorphisms<u128>(device, {n, {boundary_primes<u128>(n, 2)[1]}, 1, pattern});
    }
  }
  compare_automorphisms<u64>(device, {256, boundary_primes<u64>(256, 3), 3, Pattern::random, 7});
}

TEST_P(Convert, AutomorphismKeepsZeroCanonical) {
  const TestDevice device(GetParam());
  const u128 q = limits(64)[0];
  for (const Domain domain : {Domain::coefficient, Domain::evaluation}) {
    const std::vector<u32> got = outcome<u32>(device, {64, {q}, 1, Pattern::zero},
                                              [&](const TestDevice& k, Stream s, const View& out, const View& a) {
                                                return k.run(s, verb::Automorphism{out, a, 127, domain});
                                              });
    EXPECT_EQ(got, std::vector<u32>(64, 0));
  }
}

constexpr Conversion kKinds[] = {Conversion::approximate, Conversion::floor, Conversion::centred};

// Converts polynomials from the limbs `from` to all limbs.
template <class W>
void compare_conversions(const TestDevice& device, const Case& c, Limbs from) {
  for (const Conversion kind : kKinds) {
    SCOPED_TRACE(label(device, c.n, c.moduli[from.first], c.pattern) + "/limbs=" + std::to_string(from.first) + "+" +
                 std::to_string(from.count) + " of " + std::to_string(c.moduli.size()) +
                 "/kind=" + std::to_string(static_cast<int>(kind)) + "/threads=" + std::to_string(c.threads));
    compare<W>(device, c, [&](const TestDevice& k, Stream s, const View& out, const View& a) {
      return k.run(s, verb::BaseConvert{out, a.in(from), kind});
    });
  }
}

// Converts over boundary primes of at most `most_bits` bits. The bound matters because the widest prime of a plan
// selects the kernel.
template <class W>
void convert_boundary_primes(const TestDevice& device, std::size_t wanted, u32 most_bits) {
  const u32 n = 64;
  std::vector<u128> moduli = boundary_primes<W>(n, wanted);
  std::erase_if(moduli, [&](u128 q) { return q >> most_bits != 0; });
  const u32 limbs = static_cast<u32>(moduli.size());
  for (const Pattern pattern : {Pattern::largest, Pattern::random}) {
    for (const u32 count : {1u, 3u, limbs / 2, limbs}) {
      for (u32 first = 0; first + count <= limbs; first += count)
        compare_conversions<W>(device, {n, moduli, 1, pattern}, {first, count});
    }
  }
}

TEST_P(Convert, BaseConversionEqualsRef_BoundaryPrimesOf32BitWords) {
  convert_boundary_primes<u32>(TestDevice(GetParam()), 14, 31);
  for (const Limbs from : {Limbs{0, 1}, {1, 3}, {0, 5}})
    compare_conversions<u32>(TestDevice(GetParam()), {64, short_primes(1u << 30, 64, 5), 1, Pattern::random}, from);
}
TEST_P(Convert, BaseConversionEqualsRef_BoundaryPrimesOf64BitWords) {
  const TestDevice device(GetParam());
  for (const u32 most_bits : device.in_few_cases() ? std::vector{50u, 62u} : std::vector{42u, 48u, 50u, 51u, 60u, 62u})
    convert_boundary_primes<u64>(device, 24, most_bits);
}

TEST_P(Convert, BaseConversionEqualsRef_DegreesBatchesAndThreads) {
  const TestDevice device(GetParam());
  for (const u32 n : {2u, 32u, 64u, 512u, 2048u}) {
    for (const u32 threads : {1u, 2u, 7u}) {
      const std::vector<u128> wide = ntt_primes(50, n, 3).value(), wider = ntt_primes(60, n, 2).value();
      compare_conversions<u64>(
          device, {n, {wide[0], wide[1], wider[0], wide[2], wider[1]}, 3, Pattern::random, threads}, {1, 2});
      compare_conversions<u64>(device, {n, wide, 3, Pattern::random, threads}, {1, 2});
      compare_conversions<u32>(device, {n, ntt_primes(30, n, 5).value(), 3, Pattern::random, threads}, {2, 3});
      compare_conversions<u32>(device, {n, short_primes(1u << 30, n, 5), 3, Pattern::random, threads}, {2, 3});
    }
  }
}

TEST_P(Convert, BaseConversionEqualsRef_AHundredAndTwentyEightLimbs) {
  const TestDevice device(GetParam());
  compare_conversions<u64>(device, {8, ntt_primes(62, 8, 128).value(), 1, Pattern::random}, {0, 128});
  const auto into_one = [](u32 n) {  // from 127 limbs to the last limb
    return [n](const TestDevice& k, Stream s, const View& out, const View& a) {
      return k.run(s, verb::BaseConvert{out.in({127, 1}), a.in({0, 127}), Conversion::centred});
    };
  };
  for (const u32 bits : {48u, 50u, 60u, 62u})
    compare<u64>(device, {64, ntt_primes(bits, 64, 128).value(), 1, Pattern::largest}, into_one(64));
  compare<u32>(device, {64, ntt_primes(31, 64, 128).value(), 1, Pattern::largest}, into_one(64));
  compare<u32>(device, {64, short_primes(1u << 30, 64, 128), 1, Pattern::largest}, into_one(64));
}

TEST_P(Convert, SourcesMayBeAtTheirPlaceInTheResult) {
  const TestDevice device(GetParam());
  const std::vector<u128> moduli = short_primes(1u << 30, 64, 4);
  const Case c{64, moduli, 2, Pattern::random};
  const auto apart = [](const TestDevice& k, Stream s, const View& out, const View& a) {
    return k.run(s, verb::BaseConvert{out, a.in({1, 2}), Conversion::centred});
  };
  const auto inside = [](const TestDevice& k, Stream s, const View& out, const View& a) {
    const View source = out.in({1, 2});
    const std::vector<u128> ones(4, 1);
    if (k.run(s, verb::MultiplyScalar{out, a, ones}) != Status::ok) return Status::internal;
    return k.run(s, verb::BaseConvert{out, source, Conversion::centred});
  };
  EXPECT_EQ(outcome<u32>(device, c, inside), outcome<u32>(device, c, apart));
}

// Shows that verbs on views of two of four limbs leave the other two limbs unchanged.
template <class W>
void stay_inside_views(const TestDevice& device, const std::vector<u128>& moduli) {
  const u32 n = 128;
  const Case c{n, moduli, 3, Pattern::random, 2};
  if (!device.takes(word_of<W>(), n, moduli)) return;
  const Limbs limbs{1, 2};
  const auto check = [&](const std::string& name, auto verb) {
    SCOPED_TRACE(name);
    const auto on_limbs = [&](const TestDevice& k, Stream s, const View& out, const View& a) {
      return verb(k, s, out.in(limbs), a.in(limbs));
    };
    const std::vector<W> words = outcome<W>(device, c, on_limbs);
    EXPECT_EQ(words, outcome<W>(TestDevice("ref"), c, on_limbs));
    for (u32 p = 0; p < c.batch; ++p) {
      for (const u32 outside : {0u, 3u}) {
        const auto begin = words.begin() + (p * 4 + outside) * n;
        EXPECT_EQ(std::vector<W>(begin, begin + n), std::vector<W>(n, 1)) << "polynomial " << p << " limb " << outside;
      }
    }
  };
  check("ntt", [](const TestDevice& k, Stream s, const View& out, const View&) { return k.run(s, verb::Ntt{out}); });
  check("intt", [](const TestDevice& k, Stream s, const View& out, const View&) { return k.run(s, verb::Intt{out}); });
  check("add",
        [](const TestDevice& k, Stream s, const View& out, const View& a) { return k.run(s, verb::Add{out, out, a}); });
  check("subtract", [](const TestDevice& k, Stream s, const View& out, const View& a) {
    return k.run(s, verb::Subtract{out, out, a});
  });
  check("negate",
        [](const TestDevice& k, Stream s, const View& out, const View& a) { return k.run(s, verb::Negate{out, a}); });
  check("multiply", [](const TestDevice& k, Stream s, const View& out, const View& a) {
    return k.run(s, verb::Multiply{out, a, a});
  });
  check("multiply_add", [](const TestDevice& k, Stream s, const View& out, const View& a) {
    return k.run(s, verb::MultiplyAdd{out, a, a});
  });
  check("multiply_scalar", [](const TestDevice& k, Stream s, const View& out, const View& a) {
    const std::vector<u128> scalars = {5, 7};
    return k.run(s, verb::MultiplyScalar{out, a, scalars});
  });
  check("expand_uniform", [](const TestDevice& k, Stream s, const View& out, const View&) {
    return k.run(s, verb::ExpandUniform{out, {}, 3, 1, Domain::evaluation});
  });
  check("automorphism", [](const TestDevice& k, Stream s, const View& out, const View& a) {
    return k.run(s, verb::Automorphism{out, a, 5, Domain::evaluation});
  });
  check("base_convert", [](const TestDevice& k, Stream s, const View& out, View a) {
    a = a.in({a.limbs.first, 1});
    return k.run(s, verb::BaseConvert{out, a, Conversion::floor});
  });
  check("upload and download", [](const TestDevice& k, Stream s, const View& out, const View& a) {
    std::vector<W> host(a.words());
    if (const Status read = k.run(s, verb::Download{a, Domain::coefficient, host.data()}); read != Status::ok)
      return read;
    if (const Status there = k->synchronize(s); there != Status::ok) return there;
    return k.run(s, verb::Upload{out, Domain::coefficient, host.data()});
  });
}

TEST_P(Convert, VerbsStayInsideViewsWithAStride) {
  const TestDevice device(GetParam());
  stay_inside_views<u64>(device, boundary_primes<u64>(128, 4));
  stay_inside_views<u32>(device, short_primes(1u << 30, 128, 4));
}

TEST_P(Convert, InvalidRequestsAreRefusedAndChangeNothing) {
  const TestDevice device(GetParam());
  if (!device.takes(Word::u64, 64, ntt_primes(40, 64, 2).value())) return;
  const std::vector<u128> moduli = ntt_primes(40, 64, 2).value();
  const SharedPlan plan = prepare(device, Word::u64, 64, {moduli[0], moduli[1], moduli[0]});
  const std::vector<u64> values(192, 5);
  const Batch<u64> a(device, plan.get(), 64, values, 3), out(device, plan.get(), 64, values, 3);
  for (const u32 galois : {0u, 2u, 64u, 128u, 129u})
    EXPECT_EQ(device.run({}, verb::Automorphism{out.view(), a.view(), galois, Domain::coefficient}), Status::internal);
  EXPECT_EQ(device.run({}, verb::Automorphism{a.view(), a.view(), 3, Domain::evaluation}), Status::internal);
  EXPECT_EQ(device.run({}, verb::Automorphism{out.view(), a.view().in({0, 2}), 3, Domain::evaluation}),
            Status::internal);
  EXPECT_EQ(device.run({}, verb::BaseConvert{out.view(), a.view(), Conversion::floor}), Status::unsupported)
      << "equal primes";
  View wrong = a.view();
  wrong.stride = 2;
  EXPECT_EQ(device.run({}, verb::BaseConvert{out.view(), wrong, Conversion::floor}), Status::internal)
      << "a stride below the limbs";
  wrong = a.view().in({0, 2});
  wrong.batch = 2;
  EXPECT_EQ(device.run({}, verb::BaseConvert{out.view(), wrong, Conversion::floor}), Status::internal)
      << "two polynomials to one";
  wrong.stride = 4;
  EXPECT_EQ(device.run({}, verb::Ntt{wrong}), Status::internal) << "outside the buffer";
  EXPECT_EQ(a.values(), values);
  EXPECT_EQ(out.values(), values);
  if (!device.takes(Word::u128, 64, moduli)) return;
  const SharedPlan wide = prepare(device, Word::u128, 64, moduli);
  const Batch<u128> x(device, wide.get(), 64, std::vector<u128>(128, 5), 2),
      y(device, wide.get(), 64, std::vector<u128>(128, 5), 2);
  EXPECT_EQ(device.run({}, verb::BaseConvert{x.view(), y.view(), Conversion::floor}), Status::unsupported)
      << "words of 128 bits";
}

std::vector<std::string> every_device() {
  std::vector<std::string> names = devices_under_test();
  names.emplace_back("ref");
  return names;
}

INSTANTIATE_TEST_SUITE_P(AllDevices, Convert, ::testing::ValuesIn(every_device()));

}  // namespace
}  // namespace ringfort::testing
