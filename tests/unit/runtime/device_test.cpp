// SPDX-License-Identifier: Apache-2.0
// Tests the class Device. The result of a fused verb must equal that of its composition from required verbs, bit for
// bit. Each failure status of a backend must become its error. Also tests parallel tasks, and the choice of a device by
// its name.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "math/prime.h"
#include "ringfort/device.h"
#include "ringfort/error.h"
#include "ring/ring.h"
#include "runtime/parallel.h"
#include "support/devices.h"
#include "support/vectors.h"

namespace ringfort {
namespace {

std::vector<u64> random_residues(std::size_t count, u64 q, u64 seed) {
  std::vector<u64> words(count);
  for (u64& w : words) w = (seed = testing::splitmix64(seed)) % q;
  return words;
}

struct Shape {
  u32 rows, inner, columns;
};

std::vector<u64> product(std::string_view device, Word word, u128 q, const Shape& shape, bool accumulate) {
  const Ring ring(Device::open(device), Plan{256, word, {q}});
  Staging staging(256);
  const auto a = ring.make<Eval>(shape.rows * shape.inner), b = ring.make<Eval>(shape.inner * shape.columns),
             out = ring.make<Eval>(shape.rows * shape.columns);
  ring.upload(Stream{}, a.all(), std::span<const u64>(random_residues(a.batch() * 256, ring.q(), 1)), staging);
  ring.upload(Stream{}, b.all(), std::span<const u64>(random_residues(b.batch() * 256, ring.q(), 2)), staging);
  ring.upload(Stream{}, out.all(), std::span<const u64>(random_residues(out.batch() * 256, ring.q(), 3)), staging);
  ring.inner_product(Stream{}, out.all(), a.all(), b.all(), shape.inner, accumulate);
  std::vector<u64> words(std::size_t{out.batch()} * 256);
  ring.download(Stream{}, out.all(), std::span<u64>(words), staging);
  return words;
}

// Compares a device with `ref`. `ref` fuses no verb, so the library composes all optional verbs on it.
void expect_fused_is_composed(Word word, u128 q, Shape shape, bool accumulate) {
  const auto composed = product("ref", word, q, shape, accumulate);
  for (const std::string_view device : ringfort::testing::general_devices()) {
    EXPECT_EQ(product(device, word, q, shape, accumulate), composed)
        << device << " q=" << static_cast<u64>(q) << " " << shape.rows << "x" << shape.inner << "x" << shape.columns
        << " accumulate=" << accumulate;
  }
}

TEST(Device, FusedInnerProductEqualsTheComposedOneOnEveryDevice) {
  for (const u32 bits : {20u, 30u, 31u, 49u, 50u, 51u, 62u}) {
    const u128 q = ntt_primes(bits, 256, 1).take()[0];
    const Word word = bits <= 31 ? Word::u32 : Word::u64;
    for (const Shape shape : {Shape{1, 1, 1}, Shape{1, 4, 2}, Shape{3, 62, 2}, Shape{2, 5, 3}}) {
      for (const bool accumulate : {false, true}) expect_fused_is_composed(word, q, shape, accumulate);
    }
  }
}

TEST(Device, FusedPolynomialProductEqualsTheComposedOneInPlace) {
  for (const std::string_view device : ringfort::testing::general_devices()) {
    const auto opened = Device::open(device);
    const u128 q = ntt_primes(50, 256, 1).take()[0];
    const Ring ring(opened, Plan{256, Word::u64, {q}});
    Staging staging(256);
    auto a = ring.make<Coeff>(3), b = ring.make<Coeff>(3), c = ring.make<Coeff>(3), d = ring.make<Coeff>(3);
    for (const auto* poly : {&a, &c})
      ring.upload(Stream{}, poly->all(), std::span<const u64>(random_residues(768, ring.q(), 4)), staging);
    for (const auto* poly : {&b, &d})
      ring.upload(Stream{}, poly->all(), std::span<const u64>(random_residues(768, ring.q(), 5)), staging);
    opened->run(Stream{}, verb::Polymul{a.all().view(), a.all().view(), b.all().view()});  // in place
    Poly<Eval> x = ring.forward(Stream{}, std::move(c)), y = ring.forward(Stream{}, std::move(d));
    ring.multiply(Stream{}, x.all(), x.all(), y.all());
    c = ring.inverse(Stream{}, std::move(x));
    std::vector<u64> fused(768), composed(768);
    ring.download(Stream{}, a.all(), std::span<u64>(fused), staging);
    ring.download(Stream{}, c.all(), std::span<u64>(composed), staging);
    EXPECT_EQ(fused, composed) << device;
  }
}

// On these devices, verbs work in the caller's memory. Afterwards this memory has the results.
TEST(LentBuffer, IsTheCallersMemoryOnDevicesInTheProcess) {
  constexpr u32 n = 64;
  const u64 q = static_cast<u64>(ntt_primes(50, n, 1).take()[0]);
  AlignedBuffer<u64> words(n + 1);
  for (const char* name : {"cpu", "cpu:generic", "ref"}) {
    const auto device = Device::open(name);
    const auto plan = device->prepare({n, Word::u64, {q}});
    const std::size_t used = device->backend().memory().used;
    for (u32 i = 0; i < n; ++i) words[i] = i;
    {
      const LentBuffer lent(*device, words.data(), n * sizeof(u64));
      ASSERT_NE(lent.handle(), nullptr) << name;
      EXPECT_EQ(device->backend().memory().used, used) << name;
      View view;
      view.plan = plan.get();
      view.buffer = lent.handle();
      device->run({}, verb::Add{view, view, view});
      EXPECT_EQ(LentBuffer(*device, words.data() + 1, n * sizeof(u64)).handle(), nullptr) << name;
    }
    for (u32 i = 0; i < n; ++i) EXPECT_EQ(words[i], 2 * i) << name;
    EXPECT_EQ(device->backend().memory().used, used) << name;
  }
  for (const char* name : {"deferred", "emu"})
    EXPECT_EQ(LentBuffer(*Device::open(name), words.data(), n * sizeof(u64)).handle(), nullptr) << name;
}

TEST(Device, EveryStatusBecomesItsError) {
  const auto code = [](Status status) {
    try {
      check(status, "verb", "device");
    } catch (const Error& e) {
      EXPECT_FALSE(e.fix().empty());
      EXPECT_NE(std::string(e.what()).find("verb on device device"), std::string::npos) << e.what();
      return e.code();
    }
    return Code::invalid_argument;
  };
  EXPECT_EQ(code(Status::ok), Code::invalid_argument);  // the call did not throw
  EXPECT_EQ(code(Status::out_of_memory), Code::out_of_memory);
  EXPECT_EQ(code(Status::unsupported), Code::unsupported);
  EXPECT_EQ(code(Status::device_lost), Code::device_lost);
  EXPECT_EQ(code(Status::timed_out), Code::device_lost);
  EXPECT_EQ(code(Status::internal), Code::internal);
  EXPECT_THROW((void)Device::open("abacus"), Error);
}

TEST(Device, ARefusedNameIsCutBetweenCharacters) {
  // With this length, the limit of the shown name is inside the second of the characters after `begin`.
  const std::string begin(77, 'x');
  for (const std::string prefix : {"", "pim:", "rpu:"}) {
    try {
      (void)Device::open(prefix + begin.substr(prefix.size()) + "\u00e9\u00e9\u00e9" + std::string(10'000, 'y'));
      ADD_FAILURE() << prefix;
    } catch (const Error& refused) {
      const std::string text = refused.what();
      EXPECT_NE(text.find("xx\u00e9...'"), std::string::npos) << text;
      EXPECT_LT(text.size(), 1200u);
    }
  }
}

// Sets RINGFORT_DEVICE while the object exists.
class Environment {
 public:
  explicit Environment(const char* device) : before_(std::getenv(kName) == nullptr ? "" : std::getenv(kName)) {
    ::setenv(kName, device, 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() { before_.empty() ? ::unsetenv(kName) : ::setenv(kName, before_.c_str(), 1); }

 private:
  static constexpr const char* kName = "RINGFORT_DEVICE";
  std::string before_;
};

TEST(Device, TheVariableSelectsTheDeviceIfTheCallerNamesNone) {
  {
    const Environment set("ref");
    EXPECT_EQ(default_device(), "ref");
    EXPECT_EQ(Device::open("")->name(), "ref");
    EXPECT_EQ(Device::open("cpu")->name(), "cpu");
  }
  const Environment empty("");
  EXPECT_EQ(default_device(), "cpu");
  EXPECT_EQ(Device::open("")->name(), "cpu");
}

TEST(Device, AnUnknownDeviceInTheVariableIsRefusedWithTheVariablesName) {
  const auto refusal = [](std::string_view name) {
    try {
      (void)Device::open(name);
      return std::string();
    } catch (const Error& refused) {
      EXPECT_EQ(refused.code(), Code::device_unknown);
      return std::string(refused.what());
    }
  };
  const Environment set("abacus");
  EXPECT_NE(refusal("").find("there is no device 'abacus', which RINGFORT_DEVICE names, on this machine"),
            std::string::npos)
      << refusal("");
  EXPECT_EQ(refusal("sundial").find("RINGFORT_DEVICE"), std::string::npos) << refusal("sundial");
  const Environment options("pim:ranks=0");
  EXPECT_NE(refusal("").find("'pim:ranks=0', which RINGFORT_DEVICE names, cannot be opened"), std::string::npos)
      << refusal("");
}

TEST(Device, AMachineWithoutSchedulesIsUnsupportedAndNotABrokenContract) {
  const auto device = Device::open("rpu:banks=1");
  try {
    (void)device->prepare({64, Word::u64, {12289}});
    FAIL();
  } catch (const Error& refused) {
    EXPECT_EQ(refused.code(), Code::unsupported);
    EXPECT_NE(std::string(refused.what()).find("banks=2"), std::string::npos) << refused.what();
  }
}

TEST(Tasks, EachRunsOnceAndAFailureReachesTheCaller) {
  for (const unsigned threads : {0u, 1u, 2u, 7u}) {
    std::vector<std::atomic<int>> runs(100);
    for_each_task(threads, runs.size(), [&](std::size_t i, unsigned thread) {
      EXPECT_LT(thread, std::max(1u, threads));
      ++runs[i];
    });
    for (const auto& run : runs) EXPECT_EQ(run.load(), 1);
    EXPECT_THROW(for_each_task(threads, 10,
                               [](std::size_t i, unsigned) {
                                 if (i == 3) throw std::runtime_error("three");
                               }),
                 std::runtime_error);
    for_each_task(threads, 0, [](std::size_t, unsigned) { FAIL(); });
  }
}

TEST(Devices, TheFirstGpuIsThatOfTheEnvironmentOrOneOfTheMachine) {
  {
    const Environment emulated("emu:2,seed=5");
    EXPECT_EQ(first_gpu(), "emu:2,seed=5");
  }
  const Environment cpu("cpu");
  try {
    EXPECT_EQ(first_gpu(), "cuda:0");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::device_unknown);
    EXPECT_TRUE(std::string(error.what()).starts_with("there is no GPU; ")) << error.what();
    for (const DeviceInfo& device : devices()) EXPECT_FALSE(is_gpu(device.name));
  }
}

TEST(Devices, ARefusalSaysWhyADeviceDoesNotOpen) {
  EXPECT_EQ(device_refusal("ref"), "");
  EXPECT_NE(device_refusal("cpu:avx3").find("instruction set is one of"), std::string::npos);
  EXPECT_NE(device_refusal("gpu").find("known: ref, cpu"), std::string::npos);
  EXPECT_NE(device_refusal("cud:0").find(", cuda:0, opencl:0"), std::string::npos) << device_refusal("cud:0");
  EXPECT_FALSE(is_gpu("ref") || is_gpu("cud") || is_gpu(""));
}

}  // namespace
}  // namespace ringfort
