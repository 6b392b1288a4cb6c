// SPDX-License-Identifier: Apache-2.0
// The backend over the emulated driver: its verbs have the words of `ref`, whatever streams they are on, and failures
// of the driver are errors without wrong words.
#include "backend/device/backend.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "backend/device/emu/catalog.h"
#include "backend/device/emu/driver.h"
#include "backend/ref/ref.h"
#include "math/prime.h"

namespace ringfort::testing {
namespace {

using emu::Operation;
using Words = std::vector<u32>;

struct Setting {
  Word word;
  u32 bits;  // of its primes
};
constexpr Setting kSettings[] = {{Word::u32, 30}, {Word::u32, 31}, {Word::u64, 62}};

std::shared_ptr<Backend> emulated(const emu::Options& options) {
  return device::make(emu::open(0, emu::find_kernel, options));
}

// One device with buffers of kBatch polynomials of a plan with three limbs.
struct Machine {
  static constexpr u32 kBuffers = 3, kBatch = 3, kLimbs = 3;

  Machine(std::shared_ptr<Backend> of, const Setting& setting, u32 n) : backend(std::move(of)) {
    EXPECT_EQ(backend->prepare({n, setting.word, ntt_primes(setting.bits, n, kLimbs).value()}, plan), Status::ok);
    bytes = std::size_t{kBatch} * kLimbs * n * word_bytes(setting.word);
    for (DeviceBuffer*& each : buffers)
      EXPECT_EQ(backend->allocate(bytes, Contents::zeroed, Privacy::open, each), Status::ok);
  }
  ~Machine() {
    for (DeviceBuffer* each : buffers) backend->release(each, false);
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  Status run(u32 stream, const Verb& verb) const { return backend->run({stream}, {&verb, 1}, {}); }
  View view(u32 buffer, Limbs limbs = {0, kLimbs}, u32 batch = kBatch) const {
    const View all{plan.get(), buffers[buffer], 0, {0, kLimbs}, batch, kLimbs};
    return all.in(limbs);
  }
  // The words of all buffers.
  std::vector<std::vector<std::byte>> fetch() const {
    std::vector<std::vector<std::byte>> words(kBuffers, std::vector<std::byte>(bytes));
    for (u32 i = 0; i < kBuffers; ++i) {
      EXPECT_EQ(run(i, verb::Download{view(i), Domain::coefficient, words[i].data()}), Status::ok);
      EXPECT_EQ(backend->synchronize({i}), Status::ok);
    }
    return words;
  }

  std::shared_ptr<Backend> backend;
  std::shared_ptr<const PreparedPlan> plan;
  std::array<DeviceBuffer*, kBuffers> buffers{};
  std::size_t bytes = 0;
};

// Canonical words for the limbs of a view, as the plan's word.
std::vector<std::byte> residues(const View& view, std::mt19937_64& random) {
  const Plan& plan = view.plan->plan;
  const std::size_t width = word_bytes(plan.word);
  std::vector<std::byte> words(view.words() * width);
  for (std::size_t i = 0; i < view.words(); ++i) {
    const u64 q = static_cast<u64>(plan.moduli[view.limbs.first + i / plan.n % view.limbs.count]);
    const u64 residue = i % 5 == 0 ? q - 1 : random() % q;
    std::memcpy(words.data() + i * width, &residue, width);
  }
  return words;
}

// Calls the same random verb on both machines. Streams differ: they must not matter.
void step(const Machine& device, const Machine& ref, std::mt19937_64& random) {
  const u32 first = static_cast<u32>(random() % Machine::kLimbs);
  const Limbs limbs{first, 1 + static_cast<u32>(random() % (Machine::kLimbs - first))};
  const u32 batch = static_cast<u32>(random() % (Machine::kBatch + 1)), stream = static_cast<u32>(random() % 40);
  const u32 kind = static_cast<u32>(random() % 5), x = static_cast<u32>(random() % Machine::kBuffers), y = (x + 1) % 3;
  const auto both = [&](auto verb_on) {
    ASSERT_EQ(device.run(stream, verb_on(device)), Status::ok) << "verb " << kind;
    ASSERT_EQ(ref.run(0, verb_on(ref)), Status::ok);
  };
  if (kind == 0) {
    std::vector<std::byte> words = residues(ref.view(x, limbs, batch), random);
    both([&](const Machine& m) { return verb::Upload{m.view(x, limbs, batch), Domain::coefficient, words.data()}; });
    std::fill(words.begin(), words.end(), std::byte{0xFF});  // run() has read them
  } else if (kind == 1) {
    both([&](const Machine& m) { return verb::Copy{m.view(y, limbs, batch), m.view(x, limbs, batch)}; });
  } else if (kind == 2 && random() % 4 == 0) {
    both([&](const Machine& m) { return verb::Zero{m.view(x, limbs, batch)}; });
  } else if (kind == 3) {
    both([&](const Machine& m) { return verb::Ntt{m.view(x, limbs, batch)}; });
  } else {
    both([&](const Machine& m) { return verb::Intt{m.view(x, limbs, batch)}; });
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

TEST(DeviceBackend, TicketsHaveTheTimeAtWhichVerbsEnded) {
  const auto backend = emulated({});
  const Machine machine(backend, kSettings[0], 64);
  const std::array<Verb, 2> verbs = {verb::Ntt{machine.view(0)}, verb::Intt{machine.view(0)}};
  std::array<Ticket, 2> ends;
  Ticket begin = backend->mark({5});
  ASSERT_EQ(backend->run({5}, verbs, ends), Status::ok);
  backend->resolve(ends[1]);
  backend->resolve(ends[0]);
  backend->resolve(begin);
  EXPECT_LT(begin.us, ends[0].us);
  EXPECT_LT(ends[0].us, ends[1].us);
  EXPECT_EQ(ends[0].event, 0u);
}

// Opens a device and runs a program; returns the first failure. `words` are the result if there is none.
Status run_program(const emu::Options& options, std::vector<std::byte>& words) {
  const auto backend = emulated(options);
  std::shared_ptr<const PreparedPlan> plan;
  const Plan of{64, Word::u64, ntt_primes(62, 64, 1).value()};
  if (const Status status = backend->prepare(of, plan); status != Status::ok) return status;
  DeviceBuffer* buffer = nullptr;
  if (const Status status = backend->allocate(512, Contents::zeroed, Privacy::secret, buffer); status != Status::ok)
    return status;
  const View view{plan.get(), buffer, 0, {0, 1}, 1, 1};
  const std::vector<u64> ones(64, 1);
  const Verb verbs[] = {verb::Upload{view, Domain::coefficient, ones.data()}, verb::Ntt{view},
                        verb::Download{view, Domain::coefficient, words.data()}};
  Status status = Status::ok;
  for (u32 i = 0; i < 3 && status == Status::ok; ++i) status = backend->run({i}, {&verbs[i], 1}, {});
  if (status == Status::ok) status = backend->synchronize({2});
  backend->release(buffer, true);
  return status;
}

TEST(DeviceBackend, EveryFailureOfTheDriverIsAnErrorWithoutAWrongWord) {
  std::vector<std::byte> expected(512), untouched(512, std::byte{7});
  ASSERT_EQ(run_program({.checked = true}, expected), Status::ok);
  const std::vector<std::byte> pattern(512, std::byte{0xA5});
  for (const bool is_late : {false, true}) {
    for (const Operation operation :
         {Operation::allocate, Operation::load, Operation::launch, Operation::copy, Operation::event}) {
      const bool can_be_late = operation == Operation::launch || operation == Operation::copy;
      u32 failures = 0;
      for (u64 k = 1; k <= 20 && (!is_late || can_be_late); ++k) {
        std::vector<std::byte> words = untouched;
        const Status status = run_program({.checked = true, .failure = {operation, k, is_late}}, words);
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
