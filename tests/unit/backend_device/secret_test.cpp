// SPDX-License-Identifier: Apache-2.0
// Tests that secrets are wiped. A secret may be in the buffers through which it goes to a device. It may also be in
// device memory that is part of host memory.
#include <sys/wait.h>
#include <unistd.h>

#include "machine.h"
#include "support/memory_scan.h"

namespace ringfort {
namespace {

using testing::emulated;
using testing::Machine;

constexpr u32 kDegree = 4096;

// Returns random integers of one byte. They are complemented, so that the search does not find its own pattern. There
// are more of them than the vector registers can hold. At the first call of a function, the dynamic linker saves these
// registers on the stack.
std::vector<u8> pattern(u64 seed) {
  std::mt19937_64 random(seed);
  std::vector<u8> bytes(4096);
  for (u8& each : bytes) each = static_cast<u8>(~random());
  return bytes;
}

// Lifts the integers (computes their residues) into a secret buffer of a device, waits, and releases the buffer.
void lift_and_end(Backend& backend, const std::shared_ptr<const PreparedPlan>& plan, const std::vector<u8>& wanted) {
  DeviceBuffer* buffer = nullptr;
  ASSERT_EQ(backend.allocate(std::size_t{kDegree} * 8, Contents::zeroed, Privacy::secret, buffer), Status::ok);
  const View to{plan.get(), buffer, 0, {0, 1}, 1, 1};
  {
    Secret<i8> integers(kDegree);
    for (u32 i = 0; i < kDegree; ++i) integers.data()[i] = static_cast<i8>(~wanted[i % wanted.size()]);
    const Verb lift = verb::Lift{to, integers.data(), 1};
    ASSERT_EQ(backend.run({1}, {&lift, 1}, {}), Status::ok);
    EXPECT_EQ(testing::dumped_mappings_with(wanted), "") << "while the device may still read them";
    EXPECT_GE(testing::occurrences_in_memory(wanted), 1u) << "the search must find them";
  }
  EXPECT_EQ(backend.synchronize({1}), Status::ok);
  EXPECT_EQ(testing::occurrences_in_memory(wanted), 0u) << "after the device has read them";
  backend.release(buffer, true);
}

TEST(DeviceSecrets, NoIntegerOfALiftStaysOnTheHost) {
  const auto backend = emulated({.seed = 5});
  std::shared_ptr<const PreparedPlan> plan;
  ASSERT_EQ(backend->prepare({kDegree, Word::u64, ntt_primes(50, kDegree, 1).value()}, plan), Status::ok);
  for (u64 seed = 1; seed <= 3; ++seed) lift_and_end(*backend, plan, pattern(seed));
}

TEST(DeviceSecrets, WordsOfASecretBufferAreInNoCoreDumpAndAreWipedAtItsEnd) {
  const auto backend = emulated({.seed = 6});
  std::shared_ptr<const PreparedPlan> plan;
  ASSERT_EQ(backend->prepare({kDegree, Word::u64, ntt_primes(50, kDegree, 1).value()}, plan), Status::ok);
  const std::vector<u8> wanted = pattern(9);
  DeviceBuffer* buffer = nullptr;
  ASSERT_EQ(backend->allocate(std::size_t{kDegree} * 8, Contents::undefined, Privacy::secret, buffer), Status::ok);
  const View all{plan.get(), buffer, 0, {0, 1}, 1, 1};
  {
    Secret<u64> words(kDegree);
    for (u32 i = 0; i < kDegree; ++i) {
      words.data()[i] = 0;
      for (u32 b = 0; b < 6; ++b)  // with six bytes, each word is below the prime
        words.data()[i] |= u64{static_cast<u8>(~wanted[(8 * i + b) % wanted.size()])} << (8 * b);
    }
    const Verb upload = verb::Upload{all, Domain::coefficient, words.data()};
    ASSERT_EQ(backend->run({0}, {&upload, 1}, {}), Status::ok);
    ASSERT_EQ(backend->synchronize({0}), Status::ok);
  }
  std::vector<u8> stored(wanted.size());
  for (std::size_t i = 0; i < stored.size(); ++i) stored[i] = i % 8 < 6 ? wanted[i] : u8{0xFF};
  EXPECT_GE(testing::occurrences_in_memory(stored), 1u) << "the search must find the buffer";
  EXPECT_EQ(testing::dumped_mappings_with(stored), "");
  backend->release(buffer, true);
  EXPECT_EQ(testing::occurrences_in_memory(stored), 0u) << "at its end, without another call";
}

// The verbs before the release still wait on the device. Therefore checking the progress of the device once does not
// wipe the secret.
TEST(DeviceSecrets, ASecretBufferIsWipedAtItsEndAlsoBehindWorkThatWaits) {
  const auto backend = emulated({.seed = 10});
  std::shared_ptr<const PreparedPlan> plan;
  ASSERT_EQ(backend->prepare({kDegree, Word::u64, ntt_primes(50, kDegree, 1).value()}, plan), Status::ok);
  const auto allocated = [&] {
    DeviceBuffer* buffer = nullptr;
    EXPECT_EQ(backend->allocate(std::size_t{kDegree} * 8, Contents::zeroed, Privacy::secret, buffer), Status::ok);
    return buffer;
  };
  DeviceBuffer *const secret = allocated(), *const sum = allocated();
  const View from{plan.get(), secret, 0, {0, 1}, 1, 1}, to{plan.get(), sum, 0, {0, 1}, 1, 1};
  const std::vector<u8> wanted = pattern(14);
  {
    Secret<u64> words(kDegree);
    for (u32 i = 0; i < kDegree; ++i) words.data()[i] = static_cast<u8>(~wanted[i]);
    const Verb upload = verb::Upload{from, Domain::coefficient, words.data()};
    ASSERT_EQ(backend->run({0}, {&upload, 1}, {}), Status::ok);
    ASSERT_EQ(backend->synchronize({0}), Status::ok);
  }
  std::vector<u8> stored(8 * wanted.size(), u8{0xFF});
  for (std::size_t i = 0; i < wanted.size(); ++i) stored[8 * i] = wanted[i];
  EXPECT_GE(testing::occurrences_in_memory(stored), 1u) << "the search must find the buffer";
  const std::vector<Verb> adds(8, verb::Add{to, from, from});  // the verbs read the secret, and store another pattern
  ASSERT_EQ(backend->run({1}, adds, {}), Status::ok);
  backend->release(secret, true);
  EXPECT_EQ(testing::occurrences_in_memory(stored), 0u);
  backend->release(sum, true);
}

// The words of a long secret go through a transfer buffer. A shorter secret uses the same buffer next, before anybody
// waits.
TEST(DeviceSecrets, AShorterSecretInTheSameTransferBufferLeavesNothingOfALongerOne) {
  constexpr u32 kShort = 64;
  const auto backend = emulated({.seed = 8});
  const auto lift = [&](u32 n, const std::vector<u8>& bytes) {
    std::shared_ptr<const PreparedPlan> plan;
    DeviceBuffer* buffer = nullptr;
    ASSERT_EQ(backend->prepare({n, Word::u64, ntt_primes(50, n, 1).value()}, plan), Status::ok);
    ASSERT_EQ(backend->allocate(std::size_t{n} * 8, Contents::zeroed, Privacy::secret, buffer), Status::ok);
    Secret<i8> integers(n);
    for (u32 i = 0; i < n; ++i) integers.data()[i] = static_cast<i8>(~bytes[i]);
    const Verb verb = verb::Lift{{plan.get(), buffer, 0, {0, 1}, 1, 1}, integers.data(), 1};
    ASSERT_EQ(backend->run({0}, {&verb, 1}, {}), Status::ok);
    backend->release(buffer, false);
  };
  const std::vector<u8> wanted = pattern(12), others = pattern(13);
  lift(kDegree, wanted);
  for (u32 i = 0; i < 32; ++i) lift(kShort, others);
  EXPECT_EQ(backend->synchronize({0}), Status::ok);
  EXPECT_EQ(testing::occurrences_in_memory(std::span(wanted).subspan(kShort)), 0u);
}

TEST(DeviceSecrets, MemoryThatCouldNotBeWipedIsNotUsedAgain) {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  for (const bool fails : {false, true}) {
    emu::Options options{.memory_bytes = kBytes};
    if (fails) options.failure = {emu::Operation::copy, 1, false};
    const auto backend = emulated(options);
    DeviceBuffer* buffer = nullptr;
    ASSERT_EQ(backend->allocate(kBytes, Contents::undefined, Privacy::secret, buffer), Status::ok);
    backend->release(buffer, true);
    EXPECT_EQ(backend->allocate(kBytes, Contents::undefined, Privacy::secret, buffer),
              fails ? Status::out_of_memory : Status::ok);
    if (!fails) backend->release(buffer, false);
  }
}

// The child cannot use the device. Therefore it could not wipe a copy of the secret.
TEST(DeviceSecrets, AForkedChildHasNoCopyOfASecretBuffer) {
  const auto backend = emulated({.seed = 7});
  std::shared_ptr<const PreparedPlan> plan;
  ASSERT_EQ(backend->prepare({kDegree, Word::u64, ntt_primes(50, kDegree, 1).value()}, plan), Status::ok);
  DeviceBuffer* buffer = nullptr;
  ASSERT_EQ(backend->allocate(std::size_t{kDegree} * 8, Contents::undefined, Privacy::secret, buffer), Status::ok);
  const std::vector<u8> wanted = pattern(11);
  {
    Secret<u64> words(kDegree);
    for (u32 i = 0; i < kDegree; ++i) words.data()[i] = static_cast<u8>(~wanted[i]);
    const Verb upload = verb::Upload{{plan.get(), buffer, 0, {0, 1}, 1, 1}, Domain::coefficient, words.data()};
    ASSERT_EQ(backend->run({0}, {&upload, 1}, {}), Status::ok);
    ASSERT_EQ(backend->synchronize({0}), Status::ok);
  }
  std::vector<u8> stored(8 * wanted.size(), u8{0xFF});
  for (std::size_t i = 0; i < wanted.size(); ++i) stored[8 * i] = wanted[i];
  EXPECT_GE(testing::occurrences_in_memory(stored), 1u) << "the search must find the buffer";
  const pid_t child = ::fork();
  if (child == 0) ::_exit(testing::occurrences_in_memory(stored) == 0 ? 0 : 1);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_GE(testing::occurrences_in_memory(stored), 1u) << "the parent keeps its own";
  backend->release(buffer, true);
}

}  // namespace
}  // namespace ringfort
