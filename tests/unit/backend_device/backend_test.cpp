// SPDX-License-Identifier: Apache-2.0
// Tests the backend of GPUs on the emulated driver. Its verbs (operations on polynomials, backend/verbs.h) must compute
// the same residues as `ref`, the reference backend, on any streams. If the driver fails, the caller must get an error
// and no wrong residues.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "machine.h"
#include "support/device_program.h"

namespace ringfort::testing {
namespace {

using emu::Operation;

// A random choice of operands.
struct Choice {
  Limbs limbs;
  u32 batch, x, y, z;
  explicit Choice(std::mt19937_64& random) : limbs(), batch(static_cast<u32>(random() % (Machine::kBatch + 1))) {
    limbs.first = static_cast<u32>(random() % Machine::kLimbs);
    limbs.count = 1 + static_cast<u32>(random() % (Machine::kLimbs - limbs.first));
    x = static_cast<u32>(random() % Machine::kBuffers);
    y = static_cast<u32>(random() % Machine::kBuffers);
    z = static_cast<u32>(random() % Machine::kBuffers);
  }
  [[nodiscard]] View a(const Machine& m) const { return m.view(x, limbs, batch); }
  [[nodiscard]] View out(const Machine& m) const { return m.view(y, limbs, batch); }
  [[nodiscard]] View other(const Machine& m) const { return m.view((y + 1) % Machine::kBuffers, limbs, batch); }
  // Returns a second factor: one polynomial of a third buffer, or as many polynomials as a() returns.
  [[nodiscard]] View factor(const Machine& m) const {
    if (z != y && z != x) return m.view(z, limbs, 1);
    return m.view(z, limbs, batch);
  }
};

// Calls the same random verb on both machines, but on different streams. The stream must not change the result.
void step(const Machine& device, const Machine& ref, std::mt19937_64& random) {
  const Choice c(random);
  const u32 stream = static_cast<u32>(random() % 40), kind = static_cast<u32>(random() % 14), n = device.plan->n();
  const u32 galois = (2 * static_cast<u32>(random()) + 1) % (2 * n);
  const Domain domain = random() % 2 == 0 ? Domain::coefficient : Domain::evaluation;
  const auto both = [&](auto verb_on) {
    ASSERT_EQ(device.run(stream, verb_on(device)), Status::ok) << "verb " << kind;
    ASSERT_EQ(ref.run(0, verb_on(ref)), Status::ok);
  };
  if (kind == 0) {
    std::vector<std::byte> words = residues(c.a(ref), random);
    both([&](const Machine& m) { return verb::Upload{c.a(m), Domain::coefficient, words.data()}; });
    std::fill(words.begin(), words.end(), std::byte{0xFF});  // run() has read the words, so they may change now
  } else if (kind == 1) {
    both([&](const Machine& m) { return verb::Copy{c.out(m), c.a(m)}; });
  } else if (kind == 2 && random() % 4 == 0) {
    both([&](const Machine& m) { return verb::Zero{c.a(m)}; });
  } else if (kind == 3) {
    both([&](const Machine& m) { return verb::Ntt{c.a(m)}; });
  } else if (kind == 4) {
    both([&](const Machine& m) { return verb::Intt{c.a(m)}; });
  } else if (kind == 5) {
    both([&](const Machine& m) { return verb::Add{c.out(m), c.a(m), c.other(m)}; });
  } else if (kind == 6) {
    both([&](const Machine& m) { return verb::Subtract{c.out(m), c.a(m), c.other(m)}; });
  } else if (kind == 7) {
    both([&](const Machine& m) { return verb::Multiply{c.out(m), c.a(m), c.factor(m)}; });
  } else if (kind == 8) {
    both([&](const Machine& m) { return verb::MultiplyAdd{c.out(m), c.a(m), c.factor(m)}; });
  } else if (kind == 9) {
    both([&](const Machine& m) { return verb::Negate{c.out(m), c.a(m)}; });
  } else if (kind == 10) {
    std::vector<u128> factors;
    for (u32 i = 0; i < c.limbs.count; ++i) factors.push_back(u128{random()} << 64 | random());
    both([&](const Machine& m) { return verb::MultiplyScalar{c.out(m), c.a(m), factors}; });
    std::fill(factors.begin(), factors.end(), 0);
  } else if (kind == 11) {
    PublicSeed seed;
    for (u8& byte : seed.bytes) byte = static_cast<u8>(random());
    const u64 object = random() >> 16;
    both([&](const Machine& m) { return verb::ExpandUniform{c.out(m), seed, object, 65'530, domain}; });
  } else if (kind == 12) {
    both([&](const Machine& m) { return verb::Automorphism{c.other(m), c.out(m), galois, domain}; });
  } else {  // converts some limbs to all limbs of another buffer; if x == y, of the same buffer
    const auto conversion = static_cast<Conversion>(random() % 3);
    const Limbs all{0, Machine::kLimbs};
    both([&](const Machine& m) { return verb::BaseConvert{m.view(c.y, all, c.batch), c.a(m), conversion}; });
  }
}

TEST(DeviceBackend, RandomVerbsHaveTheWordsOfRef_AnyStreamAnySeed) {
  for (const Setting& setting : kSettings) {
    for (u64 seed = 0; seed < 6; ++seed) {
      SCOPED_TRACE(::testing::Message() << setting.bits << " bits, seed " << seed);
      std::mt19937_64 random(seed);
      const u32 n = 2u << random() % 7;
      const Machine device(emulated({.seed = seed, .checked = seed % 2 == 0}), setting, n),
          ref(ref::make(), setting, n);
      for (u32 i = 0; i < 60 && !::testing::Test::HasFailure(); ++i) step(device, ref, random);
      EXPECT_EQ(device.fetch(), ref.fetch());
    }
  }
}

TEST(DeviceBackend, TransformsInTwoPartsHaveTheWordsOfRef) {
  const Machine device(emulated({}), kSettings[2], 1u << 14), ref(ref::make(), kSettings[2], 1u << 14);
  std::mt19937_64 random(1);
  const std::vector<std::byte> words = residues(ref.view(0), random);
  for (const Machine* each : {&device, &ref}) {
    ASSERT_EQ(each->run(0, verb::Upload{each->view(0), Domain::coefficient, words.data()}), Status::ok);
    ASSERT_EQ(each->run(0, verb::Ntt{each->view(0, {1, 1}, 1)}), Status::ok);
  }
  EXPECT_EQ(device.fetch(), ref.fetch());
}

TEST(DeviceBackend, RefusesPlansOfOtherWordsDegreesAndPrimes) {
  const auto backend = emulated({});
  std::shared_ptr<const PreparedPlan> plan;
  EXPECT_EQ(backend->prepare({8, Word::u128, {97}}, plan), Status::unsupported);
  EXPECT_EQ(backend->prepare({12, Word::u64, {97}}, plan), Status::unsupported);
  EXPECT_EQ(backend->prepare({8, Word::u64, {101}}, plan), Status::unsupported);
  EXPECT_EQ(plan, nullptr);
  EXPECT_EQ(backend->prepare({8, Word::u64, {97}}, plan), Status::ok);
}

TEST(DeviceBackend, ReleasedMemoryIsUsedAgainAfterItsVerbs) {
  const Setting setting = kSettings[2];
  const auto backend = emulated({.memory_bytes = 60'000});
  const Machine machine(backend, setting, 64);
  const std::size_t used = backend->memory().used;
  ASSERT_LT(used, 30'000u);
  std::mt19937_64 random(1);
  const std::vector<std::byte> words = residues(machine.view(0), random);
  for (u32 i = 0; i < 50; ++i) {
    DeviceBuffer* buffer = nullptr;
    ASSERT_EQ(backend->allocate(30'000, Contents::undefined, Privacy::open, buffer), Status::ok) << i;
    View view = machine.view(0);
    view.buffer = buffer;
    ASSERT_EQ(machine.run(i, verb::Upload{view, Domain::coefficient, words.data()}), Status::ok);
    ASSERT_EQ(machine.run(i + 1, verb::Ntt{view}), Status::ok);
    ASSERT_EQ(machine.run(i + 2, verb::Copy{machine.view(0), view}), Status::ok);
    backend->release(buffer, i % 2 == 0);
  }
  EXPECT_EQ(backend->memory().used, used);
  const Machine ref(ref::make(), setting, 64);
  ASSERT_EQ(ref.run(0, verb::Upload{ref.view(0), Domain::coefficient, words.data()}), Status::ok);
  ASSERT_EQ(ref.run(0, verb::Ntt{ref.view(0)}), Status::ok);
  EXPECT_EQ(machine.fetch(), ref.fetch());
}

TEST(DeviceBackend, APlanMayOutliveItsBackend) {
  std::shared_ptr<const PreparedPlan> plan;
  ASSERT_EQ(emulated({})->prepare({8, Word::u64, {97}}, plan), Status::ok);
  EXPECT_EQ(plan->n(), 8u);
}

// By default, a verb starts its kernel and does not wait for it. Therefore only synchronize() reports a failure of the
// kernel.
TEST(DeviceBackend, AFailureNamesItsKernel_WithSyncTheVerbReportsIt) {
  for (const bool waits : {false, true}) {
    if (waits) ::setenv("RINGFORT_SYNC", "1", 1);
    const auto backend = emulated({.failure = {Operation::launch, 1, true}});
    ::unsetenv("RINGFORT_SYNC");
    const Machine machine(backend, kSettings[0], 64);
    EXPECT_EQ(machine.run(0, verb::Ntt{machine.view(0)}), waits ? Status::device_lost : Status::ok);
    EXPECT_EQ(backend->synchronize({0}), Status::device_lost);
    EXPECT_EQ(backend->failure(), "ntt_u32_lazy failed when it ran");
  }
}

// A thread of the parent may hold a lock of the device while the parent forks. A child that waited for this lock would
// hang.
TEST(DeviceBackend, AForkedChildIsRefusedWithoutWaitingForALock) {
  const auto backend = emulated({});
  const auto machine = std::make_unique<Machine>(backend, kSettings[0], 64);
  std::atomic<bool> is_busy = true;
  std::thread other([&] {
    while (is_busy) EXPECT_EQ(machine->run(1, verb::Ntt{machine->view(0)}), Status::ok);
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(60);
      DeviceBuffer* buffer = nullptr;
      std::shared_ptr<const PreparedPlan> plan;
      Ticket ticket = backend->mark({2});
      backend->resolve(ticket);
      backend->release(machine->buffers[0], true);
      const bool is_lost = machine->run(2, verb::Ntt{machine->view(1)}) == Status::device_lost &&
                           backend->allocate(64, Contents::zeroed, Privacy::open, buffer) == Status::device_lost &&
                           backend->prepare({8, Word::u64, {97}}, plan) == Status::device_lost &&
                           backend->synchronize({1}) == Status::device_lost && backend->memory().used == 0;
      ::_exit(is_lost ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }
  is_busy = false;
  other.join();
}

TEST(DeviceBackend, TicketsHaveTheTimeAtWhichVerbsEnded) {
  const auto backend = emulated({});
  const Machine machine(backend, kSettings[0], 64);
  const std::array<Verb, 2> verbs = {verb::Ntt{machine.view(0)}, verb::Intt{machine.view(0)}};
  std::array<Ticket, 2> ends;
  Ticket begin = backend->mark({5});
  ASSERT_EQ(backend->run({5}, verbs, ends), Status::ok);
  Ticket copy = ends[0];
  backend->resolve(ends[1]);
  backend->resolve(ends[0]);
  backend->resolve(copy);
  EXPECT_EQ(copy.us, ends[0].us) << "copies share an event";
  backend->resolve(begin);
  EXPECT_LT(begin.us, ends[0].us);
  EXPECT_LT(ends[0].us, ends[1].us);
  EXPECT_EQ(ends[0].event, 0u);
}

TEST(DeviceBackend, EveryFailureOfTheDriverIsAnErrorWithoutAWrongWord) {
  std::vector<std::byte> expected(kProgramBytes), untouched(kProgramBytes, std::byte{7});
  ASSERT_EQ(run_program(emulated({.checked = true}), expected), Status::ok);
  const std::vector<std::byte> pattern(kProgramBytes, std::byte{0xA5});
  for (const bool is_late : {false, true}) {
    for (const Operation operation :
         {Operation::allocate, Operation::load, Operation::launch, Operation::copy, Operation::event}) {
      const bool can_be_late = operation == Operation::launch || operation == Operation::copy;
      u32 failures = 0;
      for (u64 k = 1; k <= 30 && (!is_late || can_be_late); ++k) {
        std::vector<std::byte> words = untouched;
        const Status status = run_program(emulated({.checked = true, .failure = {operation, k, is_late}}), words);
        EXPECT_TRUE(words == (status == Status::ok ? expected : untouched) ||
                    (status != Status::ok && words == pattern))
            << static_cast<int>(operation) << ", " << k;
        failures += status != Status::ok;
      }
      EXPECT_TRUE(failures > 0 || (is_late && !can_be_late)) << static_cast<int>(operation);
    }
  }
}

}  // namespace
}  // namespace ringfort::testing
