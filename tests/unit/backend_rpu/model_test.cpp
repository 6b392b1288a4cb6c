// SPDX-License-Identifier: Apache-2.0
// Tests the simulated time, the energy and the kernels of the ring processor (device `rpu`). A controller outside the
// processor permutes words in the off-chip memory, makes random words from seeds, and transfers words to and from the
// host over a link. The simulation gives equal numbers on every computer. Therefore the tests compare exact counts.
// If a test gives no formula for its number of cycles, the number is the result of an earlier simulation. Such a
// number changes only with the simulation.
#include <gtest/gtest.h>

#include "backend/rpu/library.h"
#include "backend/rpu/transforms.h"
#include "differential/backend/cases.h"
#include "sim/job/execute.h"

namespace ringfort::testing {
namespace {

constexpr double kMegahertz = 1680;  // the clock rate with 128 banks

// Returns how many cycles one verb takes on two polynomials of two limbs.
template <class Verb>
u64 cycles_of(const TestDevice& device, u32 n, Verb verb, double megahertz = kMegahertz) {
  const SharedPlan plan = prepare(device, Word::u64, n, ntt_primes(50, n, 2).value());
  const Batch<u64> a(device, plan.get(), n, 2, 2), out(device, plan.get(), n, 2, 2);
  const double before = device->mark({}).us;
  EXPECT_EQ(verb(device, out.view(), a.view()), Status::ok);
  return static_cast<u64>((device->mark({}).us - before) * megahertz + 0.5);
}

u64 transform_cycles(const std::string& name, double megahertz = kMegahertz) {
  const TestDevice device(name);
  return cycles_of(
      device, 4096, [](const TestDevice& k, const View& out, const View&) { return k.run({}, verb::Ntt{out}); },
      megahertz);
}

// A word takes 16 bytes, which the memory moves at 512 GB/s. A permuted word takes a whole access of 32 bytes. An
// uploaded word takes 8 bytes, which the link moves at 32 GB/s. One block of the ChaCha20 key stream, from which random
// coefficients are made, serves four coefficients and takes ten cycles.
TEST(Model, WorkOfTheControllerTakesTheTimeOfItsBytes) {
  const TestDevice device("rpu");
  const u32 n = 4096;
  const auto words = [](double bytes_a_word, double gigabytes) {
    return static_cast<u64>(4.0 * n * bytes_a_word * kMegahertz / (gigabytes * 1000) + 1);
  };
  EXPECT_EQ(cycles_of(device, n,
                      [](const TestDevice& k, const View& out, const View& a) {
                        return k.run({}, verb::Automorphism{out, a, 5, Domain::evaluation});
                      }),
            words(16, 512) + words(32, 512));
  EXPECT_EQ(cycles_of(device, n,
                      [](const TestDevice& k, const View& out, const View&) {
                        return k.run({}, verb::ExpandUniform{out, {}});
                      }),
            4 * n / 4 * 10u);
  std::vector<u64> host(4 * n);
  EXPECT_EQ(cycles_of(device, n,
                      [&](const TestDevice& k, const View& out, const View&) {
                        return k.run({}, verb::Upload{out, Domain::coefficient, host.data()});
                      }),
            words(8, 32));
  EXPECT_EQ(
      cycles_of(device, n,
                [](const TestDevice& k, const View& out, const View& a) { return k.run({}, verb::Copy{out, a}); }),
      2 * 4 * rpu::job::transfer_cycles({}, u64{n} * 16));
  EXPECT_EQ(cycles_of(device, n,
                      [](const TestDevice& k, const View& out, const View&) { return k.run({}, verb::Zero{out}); }),
            words(16, 512));
}

// Small integers cross the link only once, for any number of limbs.
TEST(Model, ALiftTakesItsIntegersAndStoresItsResidues) {
  const TestDevice device("rpu");
  std::vector<i8> integers(2 * 4096);
  const u64 lifted = cycles_of(device, 4096, [&](const TestDevice& k, const View& out, const View&) {
    return k.run({}, verb::Lift{out, integers.data(), 1});
  });
  EXPECT_LT(lifted, 2500u);
  EXPECT_GT(lifted, 4 * 4096 * 16 * 1680 / 512'000u);
}

TEST(Model, ATransformTakesTheCyclesOfItsProgramAndItsTransfers) {
  EXPECT_EQ(transform_cycles("rpu"), 2672u);
  EXPECT_EQ(transform_cycles("rpu:hples=64,banks=64", 1530), 5358u);
  EXPECT_EQ(transform_cycles("rpu:hbm_gigabytes=2048"), 2261u);
}

TEST(Model, EqualVerbsTakeEqualTimeWhateverTheValues) {
  const TestDevice device("rpu");
  const auto square = [](const TestDevice& k, const View& out, const View& a) {
    return k.run({}, verb::Multiply{out, a, a});
  };
  EXPECT_EQ(cycles_of(device, 2048, square), cycles_of(device, 2048, square));
}

TEST(Model, StreamsHaveClocksOfTheirOwn) {
  const TestDevice device("rpu");
  const SharedPlan plan = prepare(device, Word::u64, 1024, ntt_primes(50, 1024, 1).value());
  const Batch<u64> a(device, plan.get(), 1024, 1, 1);
  ASSERT_EQ(device.run({3, 1}, verb::Ntt{a.view()}), Status::ok);
  EXPECT_GT(device->mark({3, 1}).us, 0);
  EXPECT_GT(device->mark({3, 1}).energy_uj, 0);
  EXPECT_EQ(device->mark({3, 1}).compute_us, device->mark({3, 1}).transform_us);
  EXPECT_EQ(device->mark({2, 1}).us, 0);
}

TEST(Kernels, TablesAreExponentsAndServeEveryPrime) {
  const rpu_host::Kernel kernel = rpu_host::transform_kernel(1024, 2, false, {});
  ASSERT_EQ(kernel.moduli, 2u);
  EXPECT_EQ(kernel.cycles, 337u);
  for (const rpu_host::Root& root : kernel.table) EXPECT_LT(root.limb, 2);
}

TEST(Kernels, AFloorTakesThreeInstructionsAVector) {
  rpu_host::Library library{{}};
  const auto shift = library.kernel(rpu_host::Routine::shift, 1024);
  EXPECT_EQ(shift->image.code.size(), 2u * (1 + 3 + 1) + 2 + 2 + 2);  // two vectors; then bases, moduli and scalars
}

rpu::Machine machine_of(std::string_view parameters) {
  rpu::Machine machine;
  rpu::set_from_list(machine, parameters);
  return machine;
}

TEST(Libraries, EqualMachinesShareOneHoweverTheyWereWritten) {
  EXPECT_EQ(rpu_host::library_of(machine_of("hples=64,banks=32")),
            rpu_host::library_of(machine_of(" banks=32, hples=64,hples=64")));
  EXPECT_EQ(rpu_host::library_of({}), rpu_host::library_of(machine_of("hples=128")));
  EXPECT_NE(rpu_host::library_of({}), rpu_host::library_of(machine_of("hples=64")));
}

TEST(Libraries, OnlyTheLibrariesRequestedLastAreKept) {
  const auto in_use = rpu_host::library_of(machine_of("dispatch=3"));
  const std::weak_ptr<rpu_host::Library> unused = rpu_host::library_of(machine_of("dispatch=4"));
  for (u32 i = 1; i < rpu_host::kKeptLibraries; ++i)
    (void)rpu_host::library_of(machine_of("hbm_latency=" + std::to_string(i)));
  EXPECT_FALSE(unused.expired());
  EXPECT_EQ(in_use.use_count(), 1);
  (void)rpu_host::library_of(machine_of("hbm_latency=9999"));
  EXPECT_TRUE(unused.expired());
}

TEST(Fusion, SumsOfProductsTakeLessTimeThanTheirParts) {
  const TestDevice device("rpu");
  const u64 fused = cycles_of(device, 4096, [](const TestDevice& k, View out, const View& a) {
    out.batch = 1;
    return k.run({}, verb::InnerProduct{out, a, a, 1, 2, 1, false});
  });
  const u64 separate = cycles_of(device, 4096, [](const TestDevice& k, View out, View a) {
    out.batch = a.batch = 1;
    const Status first = k.run({}, verb::Multiply{out, a, a});
    return first == Status::ok ? k.run({}, verb::MultiplyAdd{out, a, a}) : first;
  });
  EXPECT_LT(fused, separate);
}

TEST(Roofs, AreTheRatesOfTheMachine) {
  const Roofs roofs = TestDevice("rpu:hples=64,banks=64,hbm_gigabytes=256,multiply_interval=2")->capabilities().roofs;
  EXPECT_EQ(roofs.bytes_per_us, 256e3);
  EXPECT_EQ(roofs.multiplications_per_us, 64.0 / 2 * 1530);
}

TEST(Plans, APlanThatTheVectorMemoryCannotHoldIsRefusedWithAdvice) {
  const TestDevice device("rpu:vdm_words=8192");
  SharedPlan plan;
  EXPECT_EQ(device->prepare({1024, Word::u64, ntt_primes(50, 1024, 2).value()}, plan), Status::unsupported);
  EXPECT_NE(device->capabilities().plans.find("vdm_words=262144"), std::string_view::npos);
}

TEST(Plans, MachinesWithoutRoomForAKernelsScalarsOrWithoutItsScheduleRefuseWithAdvice) {
  for (const char* name :
       {"rpu:sdm_words=1", "rpu:sdm_words=18", "rpu:hples=1", "rpu:banks=1", "rpu:hples=512,banks=1"}) {
    const TestDevice device(name);
    SharedPlan plan;
    EXPECT_EQ(device->prepare({64, Word::u64, {12289}}, plan), Status::unsupported) << name;
    EXPECT_NE(device->capabilities().plans.find("sdm_words=2048 takes every ring, from hples=2,banks=2 on"),
              std::string_view::npos)
        << name;
  }
}

// Base conversion needs more scalar words than any other kernel: the bases of nine operands, a modulus in two words,
// and eight factors.
TEST(Plans, TheLeastScalarMemoryThatIsTakenComputesWhatTheReferenceDoes) {
  const TestDevice device("rpu:sdm_words=19"), reference("ref");
  const u32 n = 64;
  const std::vector<u128> primes = ntt_primes(50, n, 9).value();
  const SharedPlan plan = prepare(device, Word::u64, n, primes), same = prepare(reference, Word::u64, n, primes);
  std::vector<u64> values(8 * n);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i * 1'000'003;
  const auto converted = [&](const TestDevice& on, const SharedPlan& of) {
    const Batch<u64> a(on, of.get(), n, values, 8), out(on, of.get(), n, 1, 1);
    View last = out.view();
    last.limbs = {8, 1};
    EXPECT_EQ(on.run({}, verb::Ntt{a.view()}), Status::ok);
    EXPECT_EQ(on.run({}, verb::BaseConvert{last, a.view(), Conversion::centred}), Status::ok);
    return out.values();
  };
  EXPECT_EQ(converted(device, plan), converted(reference, same));
}

}  // namespace
}  // namespace ringfort::testing
