// SPDX-License-Identifier: Apache-2.0
// Tests that devices refuse invalid requests, and that a refused request changes nothing.
#include "differential/backend/cases.h"
#include "support/fault.h"

namespace ringfort::testing {
namespace {

class Refusals : public ::testing::TestWithParam<std::string> {};

// Returns the devices that accept every plan of the contract (backend.h).
std::vector<std::string> every_general_device() {
  std::vector<std::string> names;
  for (const std::string_view name : general_devices()) {
    if (name != "cpu") names.emplace_back(name);
  }
  return names;
}

TEST_P(Refusals, PlansOutsideTheContractAreUnsupported) {
  const TestDevice device(GetParam());
  const u128 q50 = ntt_primes(50, 1024, 1).value()[0];
  const std::vector<Plan> wrong = {
      {0, Word::u64, {q50}},
      {1, Word::u64, {q50}},
      {3, Word::u64, {q50}},
      {1000, Word::u64, {q50}},
      {1u << 18, Word::u64, {ntt_primes(50, 1u << 18, 1).value()[0]}},
      {1024, Word::u64, {}},
      {1024, Word::u64, {0}},
      {1024, Word::u64, {1}},
      {1024, Word::u64, {2}},
      {1024, Word::u64, {q50 + 2}},
      {1024, Word::u64, {q50, 4097 * u128{2048} + 2}},
      {1024, Word::u64, {u128{2049} * 2049}},
      {1024, Word::u64, {prime_above(62, 1024)}},
      {1024, Word::u64, {ntt_primes(63, 1024, 1).value()[0]}},
      {1024, Word::u32, {prime_above(31, 1024)}},
      {1024, Word::u32, {ntt_primes(32, 1024, 1).value()[0]}},
      {1024, Word::u128, {prime_above(127, 1024)}},
      {512, Word::u64, {(u128{1} << 64) + ntt_primes(30, 512, 1).value()[0]}},
  };
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    SharedPlan plan;
    EXPECT_EQ(device->prepare(wrong[i], plan), Status::unsupported) << device.name() << " plan " << i;
    EXPECT_EQ(plan, nullptr);
  }
}

TEST_P(Refusals, PrimesAtTheLimitsAreAccepted) {
  const TestDevice device(GetParam());
  for (const u32 n : {2u, 1024u, 1u << 17}) {
    prepare(device, Word::u64, n, ntt_primes(62, n, 2).value());
    if (n < 1u << 17) prepare(device, Word::u128, n, ntt_primes(127, n, 1).value());
    prepare(device, Word::u32, n, ntt_primes(31, n, 2).value());
  }
}

TEST_P(Refusals, ViewsOutsideTheirBufferAreInternalErrors) {
  const TestDevice device(GetParam());
  const SharedPlan plan = prepare(device, Word::u64, 64, {12289});
  const std::vector<u64> values(128, 5);
  const Batch<u64> a(device, plan.get(), 64, values);
  View wrong = a.view();
  wrong.batch = 3;
  EXPECT_EQ(device.run({}, verb::Ntt{wrong}), Status::internal);
  wrong = a.view();
  wrong.offset = 1;
  EXPECT_EQ(device.run({}, verb::Intt{wrong}), Status::internal);
  wrong = a.view();
  wrong.limbs.first = 1;
  EXPECT_EQ(device.run({}, verb::Negate{wrong, wrong}), Status::internal);
  wrong = a.view();
  wrong.batch = 1;
  EXPECT_EQ(device.run({}, verb::Add{a.view(), a.view(), wrong}), Status::internal);
  EXPECT_EQ(device.run({}, verb::MultiplyScalar{a.view(), a.view(), {}}), Status::internal);
  EXPECT_EQ(device.run({}, verb::Decompose{a.view(), a.view(), {1, 14, 0, false}}), Status::internal);
  EXPECT_EQ(a.values(), values);
}

TEST_P(Refusals, GadgetsThatLoseBitsAreUnsupported) {
  const TestDevice device(GetParam());
  const SharedPlan plan = prepare(device, Word::u64, 64, {12289});
  const Batch<u64> a(device, plan.get(), 64, std::vector<u64>(64, 12288)), out(device, plan.get(), 64, 1, 3);
  EXPECT_EQ(device.run({}, verb::Decompose{out.view(), a.view(), {4, 3, 0, false}}), Status::unsupported);
  EXPECT_EQ(device.run({}, verb::Decompose{out.view(), a.view(), {0, 3, 0, true}}), Status::unsupported);
  EXPECT_EQ(device.run({}, verb::Decompose{out.view(), a.view(), {63, 3, 0, true}}), Status::unsupported);
  EXPECT_EQ(device.run({}, verb::Decompose{out.view(), a.view(), {4, 3, 2, false}}), Status::ok);
}

TEST_P(Refusals, BuffersAreZeroedAndImpossibleSizesAreOutOfMemory) {
  const TestDevice device(GetParam());
  DeviceBuffer* buffer = nullptr;
  EXPECT_EQ(device->allocate(static_cast<std::size_t>(-1), Contents::zeroed, Privacy::open, buffer),
            Status::out_of_memory);
  EXPECT_EQ(buffer, nullptr);
  const SharedPlan plan = prepare(device, Word::u64, 64, {12289});
  const Batch<u64> a(device, plan.get(), 64, 1, 4);
  EXPECT_EQ(a.values(), std::vector<u64>(256, 0));
}

TEST_P(Refusals, EveryFailingAllocationIsOutOfMemory) {
  const TestDevice device(GetParam());
  const Plan wanted{1024, Word::u64, ntt_primes(50, 1024, 2).value()};
  // the first call generates programs that the process keeps afterwards
  prepare(device, wanted.word, wanted.n, wanted.moduli);
  for (u64 k = 1;; ++k) {
    SharedPlan plan;
    DeviceBuffer* buffer = nullptr;
    fail_at(fault::Point::alloc, k);
    const Status prepared = device->prepare(wanted, plan);
    const Status allocated = device->allocate(4096, Contents::zeroed, Privacy::open, buffer);
    const u64 calls = calls_at(fault::Point::alloc);
    fail_at(fault::Point::alloc, 0);
    EXPECT_TRUE(prepared == Status::ok || prepared == Status::out_of_memory);
    EXPECT_TRUE(allocated == Status::ok || allocated == Status::out_of_memory);
    EXPECT_EQ(plan == nullptr, prepared != Status::ok);
    EXPECT_EQ(buffer == nullptr, allocated != Status::ok);
    EXPECT_EQ(prepared == Status::ok && allocated == Status::ok, calls < k) << k;
    if (buffer != nullptr) device->release(buffer, true);
    if (calls < k) break;
  }
}

TEST(Registry, KnowsItsDevicesAndNoOthers) {
  EXPECT_EQ(open_backend("ref")->name(), "ref");
  EXPECT_EQ(open_backend("cpu:generic")->name(), "cpu:generic");
  for (const std::string_view name : backend_names()) EXPECT_NE(open_backend(name), nullptr) << name;
  for (const std::string_view name : {"", "cpu:", "CPU", "cpu:avx3", "gpu"})
    EXPECT_EQ(open_backend(name), nullptr) << name;
  EXPECT_TRUE(cpu_choice().known);
}

TEST(Registry, OptionsOfAModelledMachineAreReadAndRefusedByName) {
  if (open_backend("rpu") == nullptr) GTEST_SKIP() << "built without the ring processor (RINGFORT_SIMULATORS=OFF)";
  EXPECT_EQ(open_backend("rpu:hples=64,banks=64,dispatch=1")->name(), "rpu:hples=64,banks=64,dispatch=1");
  const std::pair<const char*, const char*> wrong[] = {
      {"rpu:hples=96", "hples = 96 is not a power of two"},
      {"rpu:lanes=64", "rpu: 'lanes=64' is no option; rpu has hples=, banks=, "},
      {"rpu:hples", "outside 1 .. 512"},
      {"rpu:vdm_words=1", "vdm_words = 1 is outside 512"},
      {"rpu:bank_hash=and", "use one of: low xor"}};
  for (const auto& [name, why] : wrong) {
    std::string refusal;
    EXPECT_EQ(open_backend(name, &refusal), nullptr) << name;
    EXPECT_NE(refusal.find(why), std::string::npos) << name << ": " << refusal;
  }
  EXPECT_EQ(open_backend("rpus"), nullptr);
}

// One parser reads the options of all devices. Therefore each kind of mistake has the same message on all devices. The
// message lists the valid options.
TEST(Registry, EveryDeviceRefusesOptionsInTheSameWords) {
  const std::pair<const char*, const char*> wrong[] = {
      {"ref:1", "ref: '1' is no option; ref has no options"},
      {"cpu:", "cpu: '' is refused: instruction set is one of generic"},
      {"cpu:avx3", "cpu: 'avx3' is refused: instruction set is one of generic"},
      {"cpu:generic,avx2", "cpu: 'avx2' is no option; cpu has instruction set"},
      {"pim:lanes=1", "pim: 'lanes=1' is no option; pim has ranks=, profile=, chip=, dpus=, fidelity="},
      {"pim:ranks=0", "pim: 'ranks=0' is refused: ranks is a number in 1 .. 4096"},
      {"pim:ranks=1x", "ranks is a number in 1 .. 4096"},
      {"pim:dpus", "pim: 'dpus' is refused: dpus is a number in 1 .. 64"},
      {"pim:fidelity=most", "fidelity is one of once, shapes, full"},
      {"pim:ranks=1,", "pim: '' is no option; pim has ranks="},
      {"pim:ranks=1,ranks=2", "pim: 'ranks=2' sets an option that is already set"},
      {"rpu:", "rpu: '' is no option; rpu has hples="},
      {"deferred:x", "deferred: 'x' is refused: SEED is a number in 0 .. 18446744073709551615"},
      {"deferred:broken=order,7", "deferred: '7' is no option; deferred has SEED, broken=, fails="},
      {"deferred:1,broken=all", "broken is one of none, order, host_memory"},
      {"emu:4", "emu: '4' is refused: DEVICE is a number in 0 .. 3"},
      {"emu:0,checks=some", "checks is one of on, off"},
      {"emu:seed=x", "seed is a number in 0 .. 18446744073709551615"},
      {"emu:0,ranks=1", "emu: 'ranks=1' is no option; emu has DEVICE, seed=, checks="}};
  for (const auto& [name, why] : wrong) {
    const std::string_view text = name, kind = text.substr(0, text.find(':'));
    if (open_backend(kind) == nullptr) continue;  // this build has no simulators
    std::string refusal;
    EXPECT_EQ(open_backend(name, &refusal), nullptr) << name;
    EXPECT_NE(refusal.find(why), std::string::npos) << name << ": " << refusal;
  }
  EXPECT_NE(open_backend("deferred:broken=none"), nullptr);
}

TEST(Registry, TheEmulatedGpusAreOpenedByNameAndInNoList) {
  if (open_backend("emu") == nullptr) GTEST_SKIP() << "built without emulated GPUs (RINGFORT_SIMULATORS=OFF)";
  EXPECT_EQ(open_backend("emu")->name(), "emu:0");
  for (const std::string_view name : {"emu:0", "emu:3", "emu:1,seed=9", "emu:checks=off"})
    EXPECT_EQ(open_backend(name)->name(), name);
  for (const std::string_view name : backend_names()) EXPECT_FALSE(name.starts_with("emu")) << name;
}

TEST(Registry, AGpuThatIsNotThereSaysWhy) {
  std::string refusal;
  if (open_backend("cuda", &refusal) != nullptr) GTEST_SKIP() << "this machine has a GPU of NVIDIA's";
  EXPECT_TRUE(is_known_device("cuda:0"));
  EXPECT_NE(refusal.find("NVIDIA"), std::string::npos) << refusal;
  EXPECT_EQ(open_backend("cuda:last", &refusal), nullptr);
  EXPECT_EQ(refusal, "cuda: 'last' is refused: DEVICE is a number in 0 .. 1023");
}

TEST(Registry, TheEmulatedGpuRefusesWordsOf128BitsWithAdvice) {
  if (open_backend("emu") == nullptr) GTEST_SKIP() << "built without emulated GPUs (RINGFORT_SIMULATORS=OFF)";
  const TestDevice device("emu");
  SharedPlan plan;
  EXPECT_EQ(device->prepare({64, Word::u128, ntt_primes(100, 64, 1).value()}, plan), Status::unsupported);
  EXPECT_EQ(plan, nullptr);
  EXPECT_EQ(device->capabilities().plans, "words of 128 bits need the device cpu");
}

TEST(Registry, LongOptionsAreRepeatedInPart) {
  if (open_backend("rpu") == nullptr) GTEST_SKIP() << "built without modelled machines (RINGFORT_SIMULATORS=OFF)";
  const std::string long_text(10'000, 'x');
  for (const std::string& name : {"rpu:" + long_text, "rpu:hples=" + long_text, "rpu:bank_hash=" + long_text,
                                  "rpu:" + long_text + "=1", "pim:" + long_text}) {
    std::string refusal;
    EXPECT_EQ(open_backend(name, &refusal), nullptr);
    EXPECT_NE(refusal.find("xxx..."), std::string::npos) << refusal;
    EXPECT_LT(refusal.size(), 600u);
  }
}

INSTANTIATE_TEST_SUITE_P(AllDevices, Refusals, ::testing::ValuesIn(every_general_device()));

}  // namespace
}  // namespace ringfort::testing
