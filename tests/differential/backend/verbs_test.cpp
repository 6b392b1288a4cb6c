// SPDX-License-Identifier: Apache-2.0
// Tests that verbs (operations) of every device equal those of the reference device `ref`, bit for bit. The tests use
// boundary primes, and many patterns, degrees and numbers of threads.
#include <xmmintrin.h>

#include "differential/backend/cases.h"

namespace ringfort::testing {
namespace {

// A plan on a device and on ref, with two inputs of `batch` polynomials in `limbs` limbs.
template <class W>
struct Bench {
  const TestDevice& device;
  const TestDevice& ref;
  u32 n, batch;
  std::vector<u128> moduli;
  SharedPlan plan, ref_plan;
  std::vector<W> a, b;
  Stream stream;

  struct Shape {
    u32 n;
    std::vector<u128> moduli;
    u32 batch;
    Pattern pattern;
    u32 threads = 1;
  };
  Bench(const TestDevice& d, const TestDevice& r, const Shape& s)
      : device(d),
        ref(r),
        n(s.n),
        batch(s.batch),
        moduli(s.moduli),
        stream{0, s.threads} {
    plan = prepare(device, word_of<W>(), n, moduli);
    ref_plan = prepare(ref, word_of<W>(), n, moduli);
    for (u32 p = 0; p < batch; ++p) {
      for (const u128 modulus : moduli) {
        const auto x = filled<W>(s.pattern, n, modulus, 3 * n + p), y = filled<W>(s.pattern, n, modulus, 5 * n + p + 1);
        a.insert(a.end(), x.begin(), x.end());
        b.insert(b.end(), y.begin(), y.end());
      }
    }
  }

  // Runs verb(backend, stream, out, a, b) on both devices and compares the results. Before each run, `out` is a copy of
  // b.
  template <class Verb>
  void compare(const std::string& name, Verb verb) const {
    SCOPED_TRACE(name);
    EXPECT_EQ(outcome(device, plan, stream, verb), outcome(ref, ref_plan, Stream{}, verb));
  }

 private:
  template <class Verb>
  std::vector<W> outcome(const TestDevice& on, const SharedPlan& p, Stream s, Verb verb) const {
    const u32 limbs = static_cast<u32>(moduli.size());
    const Batch<W> x(on, p.get(), n, a, limbs), y(on, p.get(), n, b, limbs), out(on, p.get(), n, b, limbs);
    EXPECT_EQ(verb(on, s, out.view(), x.view(), y.view()), Status::ok);
    return out.values();
  }
};

View single(View view) {
  view.batch = 1;
  return view;
}

// Lifts integers of every width, including the largest, to all limbs: computes their residues.
template <class W>
void compare_lifts(const Bench<W>& bench) {
  std::mt19937_64 random(bench.n);
  const std::size_t count = std::size_t{bench.n} * bench.batch;
  const auto compare = [&]<class I>(const std::string& name, I largest) {
    std::vector<I> integers(count);
    for (auto& x : integers)
      x = static_cast<I>((static_cast<i128>(static_cast<i64>(random())) << 64 | random()) % largest);
    integers[0] = largest, integers[1] = static_cast<I>(-largest);
    bench.compare(name, [&](const TestDevice& k, Stream s, const View& out, const View&, const View&) {
      return k.run(s, verb::Lift{out, integers.data(), sizeof(I)});
    });
  };
  compare("lift i8", i8{127});
  compare("lift i64", static_cast<i64>((u64{1} << 63) - 1));
  compare("lift i128", static_cast<i128>((u128{1} << 126) - 1));
}

template <class W>
void all_ring_verbs(const Bench<W>& bench) {
  bench.compare("ntt", [](const TestDevice& k, Stream s, const View& out, const View&, const View&) {
    return k.run(s, verb::Ntt{out});
  });
  bench.compare("intt", [](const TestDevice& k, Stream s, const View& out, const View&, const View&) {
    return k.run(s, verb::Intt{out});
  });
  bench.compare("add", [](const TestDevice& k, Stream s, const View& out, const View& a, const View& b) {
    return k.run(s, verb::Add{out, a, b});
  });
  bench.compare("add in place", [](const TestDevice& k, Stream s, const View& out, const View& a, const View&) {
    return k.run(s, verb::Add{out, out, a});
  });
  bench.compare("subtract", [](const TestDevice& k, Stream s, const View& out, const View& a, const View& b) {
    return k.run(s, verb::Subtract{out, a, b});
  });
  bench.compare("sub from itself", [](const TestDevice& k, Stream s, const View& out, const View&, const View&) {
    return k.run(s, verb::Subtract{out, out, out});
  });
  bench.compare("negate", [](const TestDevice& k, Stream s, const View& out, const View& a, const View&) {
    return k.run(s, verb::Negate{out, a});
  });
  bench.compare("multiply", [](const TestDevice& k, Stream s, const View& out, const View& a, const View& b) {
    return k.run(s, verb::Multiply{out, a, b});
  });
  bench.compare("square in place", [](const TestDevice& k, Stream s, const View& out, const View&, const View&) {
    return k.run(s, verb::Multiply{out, out, out});
  });
  bench.compare("multiply by one polynomial",
                [](const TestDevice& k, Stream s, const View& out, const View& a, const View& b) {
                  return k.run(s, verb::Multiply{out, a, single(b)});
                });
  bench.compare("multiply_add", [](const TestDevice& k, Stream s, const View& out, const View& a, const View& b) {
    return k.run(s, verb::MultiplyAdd{out, a, b});
  });
  bench.compare("copy", [](const TestDevice& k, Stream s, const View& out, const View& a, const View&) {
    return k.run(s, verb::Copy{out, a});
  });
  bench.compare("copy onto itself", [](const TestDevice& k, Stream s, const View& out, const View&, const View&) {
    return k.run(s, verb::Copy{out, out});
  });
  bench.compare("zero", [](const TestDevice& k, Stream s, const View& out, const View&, const View&) {
    return k.run(s, verb::Zero{out});
  });
  if (sizeof(W) != 16) compare_lifts(bench);
  bench.compare("multiply_scalar", [&](const TestDevice& k, Stream s, const View& out, const View& a, const View&) {
    std::vector<u128> scalars;
    for (const u128 q : bench.moduli) scalars.push_back(q - 1 - scalars.size() * (q / 3));
    return k.run(s, verb::MultiplyScalar{out, a, scalars});
  });
}

// Compares all verbs on a shape if the device accepts its plan.
template <class W>
void compare_shape(const TestDevice& device, const typename Bench<W>::Shape& shape) {
  if (device.takes(word_of<W>(), shape.n, shape.moduli)) all_ring_verbs(Bench<W>(device, TestDevice("ref"), shape));
}

template <class W>
void compare_primes(const TestDevice& device, u32 n, std::size_t primes) {
  const TestDevice ref("ref");
  const std::vector<u128> moduli = boundary_and_short_primes<W>(n, primes);
  ASSERT_GE(moduli.size(), primes * 5 / 6);
  for (const u128 q : moduli) {
    if (!device.takes(word_of<W>(), n, {q})) continue;
    for (const Pattern pattern : kPatterns) {
      SCOPED_TRACE(label(device, n, q, pattern));
      all_ring_verbs(Bench<W>(device, ref, {n, {q}, pattern == Pattern::random ? 2u : 1u, pattern}));
      if (::testing::Test::HasFailure()) return;
    }
  }
}

class Verbs : public OverDevices {};

TEST_P(Verbs, EqualRef_FortyPrimesOf32BitWords) { compare_primes<u32>(TestDevice(GetParam()), 256, 48); }
TEST_P(Verbs, EqualRef_FortyPrimesOf64BitWords) { compare_primes<u64>(TestDevice(GetParam()), 256, 48); }
TEST_P(Verbs, EqualRef_FortyPrimesOf128BitWords) { compare_primes<u128>(TestDevice(GetParam()), 8, 48); }

TEST_P(Verbs, EqualRef_DegreesFrom2To1024) {
  const TestDevice device(GetParam());
  for (u32 n = 2; n <= 1024; n *= 2) {
    compare_primes<u32>(device, n, 5);
    compare_primes<u64>(device, n, 10);
    if (n <= 64) compare_primes<u128>(device, n, 3);
  }
}

TEST_P(Verbs, EqualRef_LargeDegrees) {
  const TestDevice device(GetParam());
  for (const u32 n : device.in_few_cases() ? std::vector{4096u, 16384u, 131072u}
                                           : std::vector{2048u, 4096u, 8192u, 16384u, 65536u, 131072u}) {
    for (const u32 bits : {31u, 40u, 50u, 62u}) {
      const u128 q = ntt_primes(bits, n, 1).value()[0];
      SCOPED_TRACE(label(device, n, q, Pattern::largest));
      if (bits == 31) compare_shape<u32>(device, {n, {q}, 1, Pattern::largest});
      if (n < 65536 || bits == 50) compare_shape<u64>(device, {n, {q}, 1, Pattern::largest});
    }
    compare_shape<u32>(device, {n, {limits(n)[0]}, 1, Pattern::largest});
  }
}

TEST_P(Verbs, EqualRef_LimbsAndThreads) {
  const TestDevice device(GetParam());
  for (const u32 threads : {1u, 2u, 7u}) {
    SCOPED_TRACE(threads);
    const std::vector<u128> wide = ntt_primes(50, 512, 2).value(), wider = ntt_primes(61, 512, 2).value();
    compare_shape<u64>(device, {512, {wide[0], wider[0], wide[1]}, 5, Pattern::random, threads});
    compare_shape<u32>(device, {512, ntt_primes(31, 512, 3).value(), 5, Pattern::random, threads});
    compare_shape<u32>(device, {512, short_primes(1u << 30, 512, 3), 5, Pattern::random, threads});
    compare_shape<u128>(device, {16, ntt_primes(127, 16, 3).value(), 5, Pattern::random, threads});
    const u128 lazy = ntt_primes(126, 256, 1).value()[0], canonical = ntt_primes(127, 256, 1).value()[0];
    compare_shape<u128>(device, {256, {lazy, canonical}, 2, Pattern::largest, threads});
  }
}

// Compares all verbs under a mode of floating-point arithmetic (the register MXCSR), and checks the exception flags.
// Simulators estimate times in doubles. Therefore the flag of an inexact result is no error.
constexpr unsigned kInexact = 0x20;

template <class W>
void compare_in_mode(const TestDevice& device, unsigned mode, const std::vector<u128>& moduli) {
  const SharedPlan plan =
      device.takes(word_of<W>(), 512, moduli) ? prepare(device, word_of<W>(), 512, moduli) : nullptr;
  const unsigned usual = _mm_getcsr();
  _mm_setcsr(mode);
  compare_shape<W>(device, {512, moduli, 5, Pattern::random, 1});
  if (plan != nullptr) {
    const Batch<W> a(device, plan.get(), 512, std::vector<W>(2 * 512, W{1}), 2);
    _mm_setcsr(mode);
    EXPECT_EQ(device.run({}, verb::Ntt{a.view()}), Status::ok);
    EXPECT_EQ(_mm_getcsr() & ~kInexact, mode);
  }
  _mm_setcsr(usual);
}

// Some kernels need the default mode of floating-point arithmetic. Such kernels must restore the mode and the flags of
// the program.
TEST_P(Verbs, EqualRef_FloatingPointModes) {
  constexpr unsigned kUsual = 0x1F80, kUpward = 0x5F80, kDownward = 0x3F80, kTowardZero = 0x7F80;
  constexpr unsigned kDenormalsAreZeros = 0x9FC0, kTrapInvalid = 0x1F00, kTrapDenormals = 0x1E80;
  const TestDevice device(GetParam());
  for (const unsigned mode :
       {kUsual, kUpward, kDownward, kTowardZero, kDenormalsAreZeros, kTrapInvalid, kTrapDenormals}) {
    SCOPED_TRACE(mode);
    for (const u32 bits : {42u, 46u, 48u, 50u}) compare_in_mode<u64>(device, mode, ntt_primes(bits, 512, 2).value());
    compare_in_mode<u32>(device, mode, ntt_primes(30, 512, 2).value());
    compare_in_mode<u32>(device, mode, short_primes(1u << 30, 512, 2));
  }
}

template <class W>
void round_trip(const TestDevice& device, u32 n, u128 q) {
  if (!device.takes(word_of<W>(), n, {q})) return;
  SCOPED_TRACE(label(device, n, q, Pattern::random));
  const SharedPlan plan = prepare(device, word_of<W>(), n, {q});
  const std::vector<W> values = filled<W>(Pattern::random, n, q, n);
  const Batch<W> a(device, plan.get(), n, values);
  ASSERT_EQ(device.run({}, verb::Ntt{a.view()}), Status::ok);
  EXPECT_NE(a.values(), values);
  ASSERT_EQ(device.run({}, verb::Intt{a.view()}), Status::ok);
  EXPECT_EQ(a.values(), values);
}

TEST_P(Verbs, RoundTripIsIdentity_EveryDegree) {
  const TestDevice device(GetParam());
  for (u32 n = 2; n <= 1u << 17; n *= 2) {
    if (device.in_few_cases() && (n == 1u << 15 || n == 1u << 16)) continue;
    round_trip<u32>(device, n, ntt_primes(31, n, 1).value()[0]);
    round_trip<u32>(device, n, limits(n)[1]);
    for (const u32 bits : {35u, 50u, 62u}) round_trip<u64>(device, n, ntt_primes(bits, n, 1).value()[0]);
    if (n <= 1u << 14) round_trip<u128>(device, n, ntt_primes(127, n, 1).value()[0]);
  }
}

// Compares gadgets with three sizes of digits: digits that fit into a vector lane, digits that only just fit, and
// digits that do not fit. The general kernel handles the last size.
template <class W>
void compare_digits(const TestDevice& device, u32 n, u128 q, u32 threads) {
  if (!device.takes(word_of<W>(), n, {q})) return;
  const TestDevice ref("ref");
  u32 bits = 0;
  while (q >> bits != 0) ++bits;
  std::vector<Gadget> gadgets = {{1, bits, 0, false}, {8, bits / 8 + 1, 0, false},
                                 {62, 3, 0, false},   {1, bits - 3, 3, false},
                                 {15, 2, 20, true},   {24, 1, 26, true},
                                 {8, 4, 0, true},     {1, 5, 1, true},
                                 {11, 3, 17, true},   {2, 64, 0, true},
                                 {62, 1, 0, true},    {16, 9, 126, true},
                                 {10, 3, 0, true},    {10, 4, 0, true}};
  for (const Gadget& gadget : gadgets) {
    for (const Pattern pattern : kPatterns) {
      SCOPED_TRACE(label(device, n, q, pattern) + "/bits=" + std::to_string(gadget.base_bits) +
                   "/digits=" + std::to_string(gadget.digits) + "/shift=" + std::to_string(gadget.shift) +
                   "/centred=" + std::to_string(gadget.centred));
      std::vector<W> values = filled<W>(pattern, 2 * n, q, n);
      values[0] = static_cast<W>(q / 2);
      values[1] = static_cast<W>(q / 2 + 1);
      std::vector<W> results[2];
      for (const bool reference : {false, true}) {
        const TestDevice& on = reference ? ref : device;
        const SharedPlan plan = prepare(on, word_of<W>(), n, {q});
        const Batch<W> a(on, plan.get(), n, values), out(on, plan.get(), n, 1, 2 * gadget.digits);
        ASSERT_EQ(on.run({0, threads}, verb::Decompose{out.view(), a.view(), gadget}), Status::ok);
        results[reference] = out.values();
      }
      ASSERT_EQ(results[0], results[1]);
    }
  }
}

TEST_P(Verbs, DecomposeEqualsRef_GadgetsOfEveryShape) {
  const TestDevice device(GetParam());
  for (const u32 n : {8u, 256u}) {
    compare_digits<u32>(device, n, 0x7FFE0001, 2);
    compare_digits<u32>(device, n, ntt_primes(30, n, 1).value()[0], 1);
    compare_digits<u32>(device, n, limits(n)[0], 1);
    for (const u32 bits : {40u, 50u, 62u}) compare_digits<u64>(device, n, ntt_primes(bits, n, 1).value()[0], 1);
    if (n == 8) compare_digits<u128>(device, n, ntt_primes(127, n, 1).value()[0], 1);
  }
}

TEST_P(Verbs, DecomposeDigitsAddUpToTheValue) {
  const TestDevice device(GetParam());
  const u32 n = 256;
  const u64 q = static_cast<u64>(ntt_primes(50, n, 1).value()[0]);
  const Gadget gadget{15, 2, 20, true};
  if (!device.takes(Word::u64, n, {q})) return;
  const SharedPlan plan = prepare(device, Word::u64, n, {q});
  const std::vector<u64> values = filled<u64>(Pattern::random, n, q, 99);
  const Batch<u64> a(device, plan.get(), n, values), out(device, plan.get(), n, 1, 2);
  ASSERT_EQ(device.run({}, verb::Decompose{out.view(), a.view(), gadget}), Status::ok);
  const std::vector<u64> digits = out.values();
  for (u32 i = 0; i < n; ++i) {
    const auto lift = [&](u64 x) { return static_cast<i64>(x) - (x > q / 2 ? static_cast<i64>(q) : 0); };
    const i64 low = lift(digits[i]), high = lift(digits[n + i]);
    EXPECT_TRUE(low >= -(1 << 14) && low < (1 << 14)) << low;
    const i64 rest = lift(values[i]) - ((low + (high << 15)) << 20);
    EXPECT_TRUE(rest >= -(1 << 19) && rest <= (1 << 19)) << "i=" << i << " rest=" << rest;
  }
}

TEST_P(Verbs, ExpandUniformEqualsRef) {
  const TestDevice device(GetParam()), ref("ref");
  verb::ExpandUniform from;
  for (u32 i = 0; i < 32; ++i) from.seed.bytes[i] = static_cast<u8>(i);
  from.object = 77;
  from.first_digit = 3;
  const auto expand = [&](const TestDevice& k, Stream s, const View& out, const View&, const View&) {
    from.out = out;
    return k.run(s, from);
  };
  const auto compare = [&]<class W>(W, const std::vector<u128>& moduli, u32 threads) {
    if (device.takes(word_of<W>(), 64, moduli))
      Bench<W>(device, ref, {64, moduli, 3, Pattern::zero, threads}).compare(std::to_string(8 * sizeof(W)), expand);
  };
  for (const u32 threads : {1u, 2u}) {
    compare(u64{}, ntt_primes(50, 64, 2).value(), threads);
    compare(u32{}, ntt_primes(31, 64, 2).value(), threads);
    compare(u32{}, short_primes(1u << 30, 64, 2), threads);
    compare(u128{}, ntt_primes(127, 64, 2).value(), threads);
  }
}

INSTANTIATE_TEST_SUITE_P(AllDevices, Verbs, ::testing::ValuesIn(devices_under_test()));

}  // namespace
}  // namespace ringfort::testing
