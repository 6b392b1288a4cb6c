// SPDX-License-Identifier: Apache-2.0
// Tests that the computing verbs of the emulated device give the residues of `ref`, at every degree up to 2^13 and at
// some larger degrees. The tests also count the work of kernels.
#include "machine.h"

namespace ringfort::testing {
namespace {

using Counts = std::map<std::string_view, emu::Counters>;

// Fills buffer 0 and buffer 1 of both machines with residues.
void fill(const Machine& device, const Machine& ref, u64 seed) {
  for (u32 buffer = 0; buffer < 2; ++buffer) {
    std::mt19937_64 random(seed + buffer);
    const std::vector<std::byte> words = residues(ref.view(0), random);
    for (const Machine* each : {&device, &ref})
      ASSERT_EQ(each->run(0, verb::Upload{each->view(buffer), Domain::coefficient, words.data()}), Status::ok);
  }
}

// Calls f(function that makes the verb for a machine) once for each verb of the list below. Results go to buffer
// 2, except those of transforms.
template <class F>
void for_each_verb(u32 n, u64 seed, F f) {
  std::mt19937_64 random(seed);
  const auto a = [](const Machine& m) { return m.view(0); };
  const auto b = [](const Machine& m) { return m.view(1); };
  const auto out = [](const Machine& m) { return m.view(2); };
  const u32 galois = n == 2 ? 3 : static_cast<u32>(random() % n) * 2 + 1;
  static const std::array<u128, 3> factors = {~u128{0}, 1, u128{1} << 100 | 12345};
  f([&](const Machine& m) { return verb::Ntt{b(m)}; });
  f([&](const Machine& m) { return verb::Intt{a(m)}; });
  f([&](const Machine& m) { return verb::Add{out(m), a(m), b(m)}; });
  f([&](const Machine& m) { return verb::Subtract{out(m), a(m), b(m)}; });
  f([&](const Machine& m) { return verb::Multiply{out(m), a(m), b(m)}; });
  f([&](const Machine& m) { return verb::MultiplyAdd{out(m), a(m), m.view(1, {0, 3}, 1)}; });
  f([&](const Machine& m) { return verb::Negate{out(m), a(m)}; });
  f([&](const Machine& m) { return verb::MultiplyScalar{out(m), a(m), factors}; });
  f([&](const Machine& m) { return verb::Automorphism{out(m), a(m), galois, Domain::coefficient}; });
  f([&](const Machine& m) { return verb::Automorphism{out(m), a(m), galois, Domain::evaluation}; });
  f([&](const Machine& m) { return verb::ExpandUniform{out(m), {}, seed, 3, Domain::coefficient}; });
  f([&](const Machine& m) { return verb::BaseConvert{out(m), m.view(0, {0, 2}), Conversion::centred}; });
  f([&](const Machine& m) { return verb::BaseConvert{m.view(2, {0, 1}), m.view(0, {1, 2}), Conversion::floor}; });
}

void compare_every_verb(const Setting& setting, u32 n, const emu::Options& options) {
  SCOPED_TRACE(::testing::Message() << setting.bits << " bits, n = " << n);
  const Machine device(emulated(options), setting, n), ref(ref::make(), setting, n);
  fill(device, ref, n);
  u32 number = 0;
  for_each_verb(n, n, [&](auto verb_on) {
    ASSERT_EQ(device.run(number % 3, verb_on(device)), Status::ok) << number;
    ASSERT_EQ(ref.run(0, verb_on(ref)), Status::ok) << number;
    EXPECT_TRUE(device.fetch() == ref.fetch()) << "verb " << number;
    ++number;
  });
}

TEST(DeviceVerbs, HaveTheWordsOfRef_EveryDegree) {
  for (const Setting& setting : kSettings) {
    for (u32 log_n = 1; log_n <= 13; ++log_n) compare_every_verb(setting, 1u << log_n, {.checked = log_n <= 11});
  }
}

TEST(DeviceVerbs, HaveTheWordsOfRef_LargeDegrees) {
  compare_every_verb(kSettings[0], 1u << 14, {});
  compare_every_verb(kSettings[2], 1u << 17, {});
}

// Lifts `integers` on the device and on ref, and compares the results.
template <class I>
void compare_lift(const Setting& setting, u32 n, const std::vector<I>& integers) {
  const Machine device(emulated({.checked = true}), setting, n), ref(ref::make(), setting, n);
  std::vector<I> given = integers;
  ASSERT_EQ(device.run(1, verb::Lift{device.view(0), given.data(), sizeof(I)}), Status::ok);
  ASSERT_EQ(device.run(2, verb::Lift{device.view(1, {1, 2}), given.data(), sizeof(I)}), Status::ok);
  std::fill(given.begin(), given.end(), I{77});  // run() has read the integers, so they may change now
  ASSERT_EQ(ref.run(0, verb::Lift{ref.view(0), integers.data(), sizeof(I)}), Status::ok);
  ASSERT_EQ(ref.run(0, verb::Lift{ref.view(1, {1, 2}), integers.data(), sizeof(I)}), Status::ok);
  EXPECT_TRUE(device.fetch() == ref.fetch()) << sizeof(I) << " bytes, " << setting.bits << " bits, n = " << n;
}

TEST(DeviceVerbs, LiftsIntegersOfEveryWidth) {
  std::mt19937_64 random(1);
  for (const Setting& setting : kSettings) {
    for (const u32 n : {2u, 8u, 64u, 2048u}) {
      const u64 q = static_cast<u64>(ntt_primes(setting.bits, n, 1).value()[0]);
      std::vector<i8> bytes;
      std::vector<i64> words;
      std::vector<i128> wide;
      for (u32 i = 0; i < Machine::kBatch * n; ++i) {
        bytes.push_back(static_cast<i8>(random()));
        words.push_back(i % 7 == 0 ? INT64_MIN : i % 7 == 1 ? -static_cast<i64>(q) : static_cast<i64>(random()));
        const i128 most = (i128{1} << 126) - 1;
        wide.push_back(i % 7 == 0   ? -most
                       : i % 7 == 1 ? most
                       : i % 7 == 2 ? -(i128{1} << 64)
                                    : static_cast<i128>(u128{random()} << 64 | random()) >> 2);
      }
      compare_lift(setting, n, bytes);
      compare_lift(setting, n, words);
      compare_lift(setting, n, wide);
    }
  }
}

// Returns the digits of the first two polynomials of buffer 0.
std::vector<std::byte> digits_on(const Machine& machine, const Gadget& gadget) {
  const std::size_t bytes = std::size_t{2} * gadget.digits * machine.plan->n() * word_bytes(machine.plan->plan.word);
  DeviceBuffer* digits = nullptr;
  EXPECT_EQ(machine.backend->allocate(bytes, Contents::undefined, Privacy::open, digits), Status::ok);
  const View out{machine.plan.get(), digits, 0, {1, 1}, 2 * gadget.digits, 1};
  EXPECT_EQ(machine.run(3, verb::Decompose{out, machine.view(0, {1, 1}, 2), gadget}), Status::ok);
  std::vector<std::byte> words(bytes);
  EXPECT_EQ(machine.run(3, verb::Download{out, Domain::coefficient, words.data()}), Status::ok);
  EXPECT_EQ(machine.backend->synchronize({3}), Status::ok);
  machine.backend->release(digits, false);
  return words;
}

void compare_digits(const Setting& setting, u32 n) {
  const Gadget gadgets[] = {{1, 62, 0, false}, {7, 3, 0, true},  {10, 7, 0, false}, {62, 1, 0, true},
                            {8, 2, 5, true},   {4, 5, 66, true}, {4, 5, 65, false}, {31, 2, 1, true}};
  const Machine device(emulated({.checked = true}), setting, n), ref(ref::make(), setting, n);
  fill(device, ref, n);
  for (const Gadget& gadget : gadgets) {
    if (!gadget.holds(ref.plan->plan.moduli[1])) continue;
    EXPECT_TRUE(digits_on(device, gadget) == digits_on(ref, gadget))
        << setting.bits << " bits, n = " << n << ", " << gadget.base_bits << " x " << gadget.digits << ", shift "
        << gadget.shift;
  }
}

TEST(DeviceVerbs, DecomposesLikeRef_EveryShapeOfDigits) {
  for (const Setting& setting : kSettings) {
    for (const u32 n : {2u, 32u, 2048u}) compare_digits(setting, n);
  }
}

// Converts from 20 limbs to 41 limbs with the largest primes, once in many blocks and once in few. A sum has more terms
// than one reduction allows.
TEST(DeviceVerbs, ConvertsFromManyLimbs) {
  constexpr u32 kLimbs = 41, kDegree = 64;
  for (const Setting& setting : kSettings) {
    std::vector<std::vector<std::byte>> results;
    for (const auto& backend : {emulated({.checked = true}), ref::make()}) {
      std::shared_ptr<const PreparedPlan> plan;
      ASSERT_EQ(backend->prepare({kDegree, setting.word, ntt_primes(setting.bits, kDegree, kLimbs).value()}, plan),
                Status::ok);
      DeviceBuffer* buffer = nullptr;
      const std::size_t bytes = std::size_t{2} * kLimbs * kDegree * word_bytes(setting.word);
      ASSERT_EQ(backend->allocate(bytes, Contents::zeroed, Privacy::open, buffer), Status::ok);
      const View all{plan.get(), buffer, 0, {0, kLimbs}, 2, kLimbs};
      std::mt19937_64 random(5);
      const std::vector<std::byte> words = residues(all, random);
      results.emplace_back(bytes);
      const Verb verbs[] = {verb::Upload{all, Domain::coefficient, words.data()},
                            verb::BaseConvert{all, all.in({7, 20}), Conversion::centred},
                            verb::BaseConvert{all.in({0, 15}), all.in({15, 26}), Conversion::floor},
                            verb::BaseConvert{all.in({20, 20}), all.in({0, 18}), Conversion::approximate},
                            verb::Download{all, Domain::coefficient, results.back().data()}};
      ASSERT_EQ(backend->run({}, verbs, {}), Status::ok);
      ASSERT_EQ(backend->synchronize({}), Status::ok);
      backend->release(buffer, false);
    }
    EXPECT_TRUE(results[0] == results[1]) << setting.bits << " bits";
  }
}

// Runs an optional verb, fused on the device and composed on ref.
template <class F>
void compare_optional(const Machine& device, const Machine& ref, F verb_on) {
  const auto fused = verb_on(device), defined = verb_on(ref);
  ASSERT_TRUE(device.backend->fuses(fused)) << fused.kName;
  Sequence composition;
  defined.compose(composition);
  ASSERT_EQ(device.run(4, fused), Status::ok);
  ASSERT_EQ(ref.backend->run({}, composition.verbs, {}), Status::ok);
  EXPECT_TRUE(device.fetch() == ref.fetch()) << fused.kName << ", n = " << device.plan->n();
}

TEST(DeviceVerbs, FusedSumsEqualTheirCompositions) {
  for (const Setting& setting : kSettings) {
    for (const u32 n : {2u, 16u, 2048u}) {
      const Machine device(emulated({.checked = true}), setting, n), ref(ref::make(), setting, n);
      fill(device, ref, n);
      const Limbs some{1, 2};
      for (const bool accumulate : {false, true}) {
        compare_optional(device, ref, [&](const Machine& m) {
          return verb::InnerProduct{m.view(2), m.view(0, {0, 3}, 1), m.view(1), 1, 1, 3, accumulate};
        });
        compare_optional(device, ref, [&](const Machine& m) {
          return verb::InnerProduct{m.view(2, some, 1), m.view(0, some), m.view(1, some), 1, 3, 1, accumulate};
        });
      }
      compare_optional(device, ref, [&](const Machine& m) {
        return verb::Tensor{m.view(2), m.view(0, {0, 3}, 2), m.view(1, {0, 3}, 2)};
      });
      compare_optional(device, ref, [&](const Machine& m) {
        return verb::Tensor{m.view(2, some), m.view(0, some, 2), m.view(0, some, 2)};
      });
    }
  }
}

TEST(DeviceVerbs, DivisionsEqualTheirCompositions) {
  const Limbs kept{1, 2}, dropped{0, 1};
  const auto compare = [&](const Setting& setting, u32 n) {
    const Machine device(emulated({.checked = n < 8192}), setting, n), ref(ref::make(), setting, n);
    fill(device, ref, n);
    for (const Domain domain : {Domain::coefficient, Domain::evaluation}) {
      compare_optional(device, ref, [&](const Machine& m) {
        return verb::ModDown{m.view(2, kept, 2), m.view(0, {0, 3}, 2), m.view(2, dropped, 2), 1, domain};
      });
      compare_optional(device, ref, [&](const Machine& m) {
        const View addend = m.view(1, kept, 2);
        return verb::ModDown{m.view(2, kept), m.view(0), m.view(2, dropped), 17, domain, addend, 2 * n - 1};
      });
    }
  };
  for (const Setting& setting : kSettings) {
    for (const u32 n : {2u, 64u, 8192u}) compare(setting, n);
  }
}

// The verb overwrites its operands. Therefore the test does not compare the operands after the product.
TEST(DeviceVerbs, ProductsOfPolynomialsEqualTheirCompositions) {
  for (const Setting& setting : kSettings) {
    for (const u32 n : {2u, 256u, 16384u}) {
      const Machine device(emulated({.checked = n < 16384}), setting, n), ref(ref::make(), setting, n);
      fill(device, ref, n);
      const auto product = [](const Machine& m) {
        const Limbs some{1, 2};
        return verb::Polymul{m.view(2, some), m.view(0, some), m.view(1, some)};
      };
      Sequence composition;
      product(ref).compose(composition);
      ASSERT_TRUE(device.backend->fuses(product(device)));
      ASSERT_EQ(device.run(4, product(device)), Status::ok);
      ASSERT_EQ(ref.backend->run({}, composition.verbs, {}), Status::ok);
      EXPECT_TRUE(device.fetch()[2] == ref.fetch()[2]) << setting.bits << " bits, n = " << n;
    }
  }
}

Counts counts_of(const Setting& setting, u32 n) {
  Counts counts;
  const Machine device(emulated({.checked = true, .counters = &counts}), setting, n), ref(ref::make(), setting, n);
  fill(device, ref, n);
  for_each_verb(n, n, [&](auto verb_on) { EXPECT_EQ(device.run(0, verb_on(device)), Status::ok); });
  const std::vector<i64> integers(std::size_t{Machine::kBatch} * n, -1);
  EXPECT_EQ(device.run(0, verb::Lift{device.view(0), integers.data(), 8}), Status::ok);
  EXPECT_EQ(device.run(0, verb::Decompose{View{device.plan.get(), device.buffers[2], 0, {0, 1}, 4, 1},
                                          device.view(1, {0, 1}, 2),
                                          {40, 2, 0, true}}),
            Status::ok);
  EXPECT_EQ(device.run(0, verb::InnerProduct{device.view(2, {0, 3}, 1), device.view(0), device.view(1), 1, 3, 1, true}),
            Status::ok);
  EXPECT_EQ(device.run(0, verb::Tensor{device.view(2), device.view(0, {0, 3}, 2), device.view(1, {0, 3}, 2)}),
            Status::ok);
  for (const Domain domain : {Domain::coefficient, Domain::evaluation}) {
    const Verb division = verb::ModDown{device.view(2, {1, 2}), device.view(0), device.view(2, {0, 1}), 1, domain};
    EXPECT_EQ(device.run(0, division), Status::ok);
  }
  EXPECT_EQ(device.backend->synchronize({}), Status::ok);
  return counts;
}

// Each kernel transfers the fewest possible sectors, except for the loads of an automorphism on coefficients. No kernel
// has bank conflicts.
TEST(DeviceVerbs, UseWholeSectorsAndHaveNoBankConflicts) {
  for (const Setting& setting : kSettings) {
    u32 kernels = 0;
    for (const auto& [name, counters] : counts_of(setting, 2048)) {
      const bool gathers = name.starts_with("automorphism_coefficients");
      for (const emu::Access access :
           {emu::Access::load, emu::Access::store, emu::Access::shared_load, emu::Access::shared_store}) {
        if (gathers && access == emu::Access::load) continue;
        EXPECT_EQ(counters.of(access).units, counters.of(access).least)
            << name << ", access " << static_cast<int>(access);
      }
      EXPECT_GT(counters.of(emu::Access::store).bytes, 0u) << name;
      ++kernels;
    }
    EXPECT_EQ(kernels, 19u);
  }
}

// A product of residues takes 2 products of words, and its reduction takes 6. A product with a constant factor takes 3.
// With words of 32 bits, a product that is added to a sum takes 1.
TEST(DeviceVerbs, NeedTheExpectedNumberOfProducts) {
  for (const Setting& setting : kSettings) {
    Counts counts = counts_of(setting, 64);
    const u64 residues_of = u64{Machine::kBatch} * Machine::kLimbs * 64;
    const std::string word = setting.word == Word::u32 ? "_u32" : "_u64";
    const std::string rules = word + (setting.bits == 31 ? "_strict" : "_lazy");
    EXPECT_EQ(counts["add" + word].multiplications, 0u);
    EXPECT_EQ(counts["multiply" + rules].multiplications, 8 * residues_of);
    const u64 added = setting.word == Word::u32 ? 1 : 2;
    EXPECT_EQ(counts["multiply_add" + rules].multiplications, (added + 6) * residues_of);
    // For each residue, inner_product has three products and one reduction. tensor has four products, one of which is
    // added to a sum, and three reductions.
    EXPECT_EQ(counts["inner_product" + rules].multiplications, (3 * added + 6) * residues_of / Machine::kBatch);
    EXPECT_EQ(counts["tensor" + rules].multiplications, (3 * 2 + added + 3 * 6) * residues_of / Machine::kBatch);
    EXPECT_EQ(counts["multiply_scalar" + word].multiplications, 3 * residues_of);
  }
}

}  // namespace
}  // namespace ringfort::testing
