// SPDX-License-Identifier: Apache-2.0
// Tests that fused verbs over several limbs (mod_down, mod_down_rescale, tensor, key_switch) on every device equal
// their composition of simpler verbs on the reference device ref, bit for bit. The tests use boundary primes, many
// patterns, both domains, digits with fewer limbs than others, and many numbers of threads.
#include "differential/backend/cases.h"
#include "ring/ring.h"

namespace ringfort::testing {
namespace {

struct Setting {
  Word word;
  u32 n;
  std::vector<u128> moduli;
  Pattern pattern;
  u32 threads;
};

std::string show(const Setting& s) {
  return "n=" + std::to_string(s.n) + "/q=" + text_of(s.moduli[0]) + "/limbs=" + std::to_string(s.moduli.size()) +
         "/pattern=" + std::to_string(static_cast<int>(s.pattern)) + "/threads=" + std::to_string(s.threads);
}

// Returns rings whose widest prime is just below or just above the limit of a kernel. The first and the last primes of
// a ring differ in length.
std::vector<Setting> settings() {
  std::vector<Setting> found;
  for (const u32 n : {32u, 128u}) {
    for (const u32 most : {31u, 42u, 47u, 50u, 51u, 60u, 62u}) {
      std::vector<u128> moduli = {prime_above(most - 1, n)};
      for (const u32 bits : {most, most - 2, most - 1, 20u, most - 3})
        moduli.push_back(ntt_primes(bits, n, moduli.size() + 1).value().back());
      const Word word = most <= 31 ? Word::u32 : Word::u64;
      found.push_back({word, n, moduli, Pattern::random, 1});
      found.push_back({word, n, moduli, Pattern::largest, 2});
      if (n == 128) found.push_back({word, n, moduli, Pattern::random, 7});
    }
  }
  const std::vector<u128> shorts = short_primes(1u << 30, 128, 6);
  found.push_back({Word::u32, 128, shorts, Pattern::random, 1});
  found.push_back({Word::u32,
                   128,
                   {shorts[0], limits(128)[1], shorts[1], limits(128)[2], shorts[2], shorts[3]},
                   Pattern::largest,
                   2});
  return found;
}

struct Polynomials {
  const Ring& ring;
  const Setting& setting;
  Staging staging{ring.n()};

  template <class D>
  Poly<D> make(u32 batch, Limbs limbs, u64 seed) {
    std::vector<u64> words;
    for (u32 p = 0; p < batch; ++p) {
      for (u32 l = limbs.first; l < limbs.end(); ++l) {
        const auto residues = filled<u64>(setting.pattern, ring.n(), ring.basis()[l].value(), seed + 100 * p + l);
        words.insert(words.end(), residues.begin(), residues.end());
      }
    }
    Poly<D> poly = ring.make<D>(batch, limbs);
    ring.upload(Stream{}, poly.all(), std::span<const u64>(words), staging);
    return poly;
  }
  template <class D>
  std::vector<u64> words(Slice<D> slice) {
    std::vector<u64> got(std::size_t{slice.batch()} * slice.limbs().count * ring.n());
    ring.download(Stream{}, slice, std::span<u64>(got), staging);
    return got;
  }
};

template <class D>
std::vector<u64> divided(const Ring& ring, const Setting& s, Limbs dropped, u64 plain) {
  Polynomials make{ring, s};
  const Limbs kept{dropped.first == 0 ? dropped.count : 0, ring.limbs().count - dropped.count};
  const Poly<D> a = make.make<D>(2, ring.limbs(), 5), out = ring.make<D>(2);
  const Poly<Coeff> scratch = ring.make<Coeff>(2);
  ring.mod_down(Stream{0, s.threads}, out.limbs(kept), a.all(), scratch.limbs(dropped), plain);
  std::vector<u64> words = make.words(out.all()), operand = make.words(a.all());
  words.insert(words.end(), operand.begin(), operand.end());
  return words;
}

// Divides two polynomials, and adds an addend to the first `added` quotients.
template <class D>
std::vector<u64> divided_with(const Ring& ring, const Setting& s, Limbs dropped, u32 added, u32 galois) {
  Polynomials make{ring, s};
  const Limbs kept{dropped.first == 0 ? dropped.count : 0, ring.limbs().count - dropped.count};
  const Poly<D> a = make.make<D>(2, ring.limbs(), 5), out = ring.make<D>(2), addend = make.make<D>(3, ring.limbs(), 7);
  const Poly<Coeff> scratch = ring.make<Coeff>(2);
  ring.mod_down(Stream{0, s.threads}, out.limbs(kept), a.all(), scratch.limbs(dropped), 257,
                {addend.polynomials(1, added).limbs(kept), galois});
  std::vector<u64> words = make.words(out.limbs(kept)), operand = make.words(galois == 1 ? a.all() : addend.all());
  words.insert(words.end(), operand.begin(), operand.end());
  return words;
}

// A division by the first `special` limbs and by the last `last` limbs. The first `added` quotients get an addend.
struct Twice {
  u32 special, last;
  u64 plain;
  u32 added;
};
std::vector<u64> divided_twice(const Ring& ring, const Setting& s, const Twice& by) {
  Polynomials make{ring, s};
  const u32 all = ring.limbs().count;
  const Limbs rest{by.special, all - by.special}, kept{by.special, rest.count - by.last};
  const Poly<Eval> a = make.make<Eval>(2, ring.limbs(), 5), out = ring.make<Eval>(2),
                   addend = make.make<Eval>(3, ring.limbs(), 7);
  const Poly<Coeff> scratch = ring.make<Coeff>(2);
  const Slice<Eval> added = by.added == 0 ? Slice<Eval>(View{}) : addend.polynomials(1, by.added).limbs(rest);
  ring.mod_down_rescale(Stream{0, s.threads}, out.limbs(kept), a.all(), scratch.all(), by.plain, added);
  std::vector<u64> words = make.words(out.all()), operand = make.words(addend.all());
  words.insert(words.end(), operand.begin(), operand.end());
  return words;
}

std::vector<u64> tensored(const Ring& ring, const Setting& s) {
  Polynomials make{ring, s};
  const Poly<Eval> a = make.make<Eval>(4, ring.limbs(), 5), b = make.make<Eval>(4, ring.limbs(), 6),
                   out = ring.make<Eval>(6), square = ring.make<Eval>(6);
  ring.tensor(Stream{0, s.threads}, out.limbs({1, 4}), a.limbs({1, 4}), b.limbs({1, 4}));
  ring.tensor(Stream{0, s.threads}, square.all(), a.all(), a.all());
  std::vector<u64> words = make.words(out.all()), more = make.words(square.all());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Switches keys. Limb 0 is special, and there are `level` data limbs. The key has all limbs. The scratch memory has
// space for `at_a_time` limbs.
std::vector<u64> switched(const Ring& ring, const Setting& s, u32 level, u32 digit_limbs, u32 at_a_time) {
  Polynomials make{ring, s};
  const Limbs data{1, level}, extended{0, level + 1};
  const u32 digits = (level + digit_limbs - 1) / digit_limbs;
  const Poly<Coeff> coefficients = make.make<Coeff>(1, ring.limbs(), 5);
  // the same polynomial in the evaluation domain
  const Poly<Eval> a = ring.forward(Stream{}, make.make<Coeff>(1, ring.limbs(), 5));
  const Poly<Eval> key = make.make<Eval>(2 * digits, ring.limbs(), 6), out = ring.make<Eval>(2),
                   scratch = ring.make<Eval>(digits);
  ring.device().run(Stream{0, s.threads}, verb::KeySwitch{.out = out.limbs(extended).view(),
                                                          .a = a.limbs(data).view(),
                                                          .coefficients = coefficients.limbs(data).view(),
                                                          .digits = scratch.limbs({1, at_a_time}).view(),
                                                          .key = key.limbs(extended).view(),
                                                          .digit_limbs = digit_limbs});
  return make.words(out.all());
}

class FusedLimbs : public OverDevices {
 protected:
  template <class F>
  void compare(F results) const {
    for (const Setting& s : settings()) {
      SCOPED_TRACE(GetParam() + "/" + show(s));
      const Plan plan{s.n, s.word, s.moduli};
      if (!TestDevice(GetParam()).takes(s.word, s.n, s.moduli)) continue;
      const Ring device(Device::open(GetParam()), plan), ref(Device::open("ref"), plan);
      ASSERT_EQ(results(device, s), results(ref, s));
    }
  }
};

TEST_P(FusedLimbs, ModDownEqualsComposed_CoefficientDomain) {
  compare([](const Ring& ring, const Setting& s) { return divided<Coeff>(ring, s, {0, 1}, 1); });
  compare([](const Ring& ring, const Setting& s) { return divided<Coeff>(ring, s, {4, 2}, 65537); });
  compare([](const Ring& ring, const Setting& s) { return divided<Coeff>(ring, s, {0, 4}, 257); });
}

TEST_P(FusedLimbs, ModDownEqualsComposed_EvaluationDomain) {
  compare([](const Ring& ring, const Setting& s) { return divided<Eval>(ring, s, {5, 1}, 1); });
  compare([](const Ring& ring, const Setting& s) { return divided<Eval>(ring, s, {0, 2}, 65537); });
  compare([](const Ring& ring, const Setting& s) { return divided<Eval>(ring, s, {1, 5}, 1); });
}

TEST_P(FusedLimbs, ModDownAddsWhileItDivides) {
  compare([](const Ring& ring, const Setting& s) { return divided_with<Coeff>(ring, s, {0, 1}, 2, 1); });
  compare([](const Ring& ring, const Setting& s) { return divided_with<Eval>(ring, s, {0, 1}, 2, 1); });
  compare([](const Ring& ring, const Setting& s) { return divided_with<Eval>(ring, s, {3, 3}, 1, 1); });
}

TEST_P(FusedLimbs, ModDownEndsWithAnAutomorphism) {
  compare([](const Ring& ring, const Setting& s) { return divided_with<Coeff>(ring, s, {0, 2}, 1, 5); });
  compare([](const Ring& ring, const Setting& s) { return divided_with<Eval>(ring, s, {0, 1}, 1, 5); });
  compare([](const Ring& ring, const Setting& s) { return divided_with<Eval>(ring, s, {4, 2}, 2, 2 * s.n - 1); });
}

TEST_P(FusedLimbs, ModDownRescaleEqualsComposed) {
  compare([](const Ring& ring, const Setting& s) { return divided_twice(ring, s, {1, 1, 1, 2}); });
  compare([](const Ring& ring, const Setting& s) { return divided_twice(ring, s, {1, 1, 257, 1}); });
  compare([](const Ring& ring, const Setting& s) { return divided_twice(ring, s, {1, 1, 65537, 0}); });
  compare([](const Ring& ring, const Setting& s) { return divided_twice(ring, s, {2, 1, 1, 2}); });
  compare([](const Ring& ring, const Setting& s) { return divided_twice(ring, s, {1, 3, 257, 2}); });
  compare([](const Ring& ring, const Setting& s) { return divided_twice(ring, s, {3, 2, 1, 2}); });
}

TEST_P(FusedLimbs, TensorEqualsComposed) { compare(tensored); }

TEST_P(FusedLimbs, KeySwitchEqualsComposed) {
  compare([](const Ring& ring, const Setting& s) { return switched(ring, s, 5, 1, 5); });
  compare([](const Ring& ring, const Setting& s) { return switched(ring, s, 3, 1, 4); });
  compare([](const Ring& ring, const Setting& s) { return switched(ring, s, 5, 2, 4); });
  compare([](const Ring& ring, const Setting& s) { return switched(ring, s, 4, 3, 1); });
}

TEST_P(FusedLimbs, KeySwitchIsTheSameForAnySizeOfItsScratchMemory) {
  const bool is_slow = TestDevice(GetParam()).in_few_cases();
  for (const Setting& s : settings()) {
    const bool is_short = s.moduli[0] % 65536 == 1;
    const bool is_least = s.n == 32 || (GetParam() == "pim" && s.n <= 128);  // `pim` begins at n = 64
    if ((!is_least && !is_short) || !TestDevice(GetParam()).takes(s.word, s.n, s.moduli)) continue;
    const Ring device(Device::open(GetParam()), {s.n, s.word, s.moduli});
    for (const u32 digit_limbs : {1u, 3u}) {
      const std::vector<u64> truth = switched(device, s, 4, digit_limbs, 5);
      for (const u32 at_a_time : is_slow ? std::vector{2u} : std::vector{1u, 2u, 4u})
        EXPECT_EQ(switched(device, s, 4, digit_limbs, at_a_time), truth)
            << show(s) << " " << digit_limbs << " " << at_a_time;
    }
  }
}

// Device `cpu` processes at most 8 digits of a limb in one pass. It processes long limbs in blocks, with two digits at
// a time.
TEST_P(FusedLimbs, LongAndManyDigitsAreSummedAsShortAndFewOnes) {
  if (!GetParam().starts_with("cpu")) GTEST_SKIP() << "only the cpu's way depends on the length";
  for (const auto& [n, bits, level] :
       {std::tuple{8192u, 50u, 5u}, {8192u, 42u, 5u}, {65536u, 50u, 2u}, {2048u, 50u, 11u}}) {
    const Setting s{Word::u64, n, ntt_primes(bits, n, level + 1).value(), Pattern::random, 1};
    const Plan plan{s.n, s.word, s.moduli};
    const Ring device(Device::open(GetParam()), plan), ref(Device::open("ref"), plan);
    ASSERT_EQ(switched(device, s, level, 1, 1), switched(ref, s, level, 1, 1)) << show(s);
    ASSERT_EQ(divided_with<Eval>(device, s, {0, 1}, 1, 5), divided_with<Eval>(ref, s, {0, 1}, 1, 5)) << show(s);
    for (const u64 plain : {1u, 257u})
      ASSERT_EQ(divided_twice(device, s, {1, 1, plain, 2}), divided_twice(ref, s, {1, 1, plain, 2})) << show(s);
  }
}

INSTANTIATE_TEST_SUITE_P(AllDevices, FusedLimbs, ::testing::ValuesIn(devices_under_test()));

}  // namespace
}  // namespace ringfort::testing
