// SPDX-License-Identifier: Apache-2.0
// Tests the driver `emu`, which emulates GPUs. It must run work late, in an order that its seed chooses. If the order
// of two uses of memory is undefined, it must report a finding (a message about a mistake of the program). With each
// launch, the caller declares which parts of memory the kernel reads and writes.
#include <set>

#include "emulated_device.h"

namespace ringfort::testing::driver_test {
namespace {

using emu::Operation;
using Words = std::vector<u32>;

constexpr u32 kPatternWord = 0xA5A5A5A5;

Words filled(u32 value) { return Words(Emulated::kWords, value); }

// Expects a finding with exactly this message, which begins with the kind of work and its stream.
void expect_finding(const Emulated& device, Status status, std::string_view message) {
  EXPECT_EQ(status, Status::internal);
  EXPECT_EQ(device->error(), message);
}

TEST(EmuDriver, CopiesAndKernelsRunInTheOrderOfTheirStream) {
  const Emulated device;
  const Address a = device.buffer(), b = device.buffer();
  Words result = filled(0);
  const Words two = filled(2), five = filled(5);
  ASSERT_EQ(device.copy_in(3, a, two), Status::ok);
  ASSERT_EQ(device.copy_in(3, b, five), Status::ok);
  ASSERT_EQ(device.mix(3, b, a, b), Status::ok);
  ASSERT_EQ(device->copy(3, a, b, Emulated::kBytes), Status::ok);
  ASSERT_EQ(device->zero(3, b, 4), Status::ok);
  ASSERT_EQ(device.mix(3, a, b, a), Status::ok);
  ASSERT_EQ(device.copy_out(3, result, a), Status::ok);
  ASSERT_EQ(device.synchronize(3), Status::ok) << device->error();
  EXPECT_EQ(result[0], 11u);  // 3 * 0 + 11
  EXPECT_EQ(result[1], 44u);  // 3 * 11 + 11
  EXPECT_EQ(result.back(), 44u);
}

TEST(EmuDriver, CopiesReadAndWriteHostMemoryWhenTheyRun) {
  const Emulated device;
  const Address a = device.buffer();
  Words source = filled(1), target = filled(2);
  ASSERT_EQ(device.copy_in(0, a, source), Status::ok);
  ASSERT_EQ(device.copy_out(0, target, a), Status::ok);
  std::fill(source.begin(), source.end(), 7);  // a program must not do this before the copy has run
  EXPECT_EQ(target, filled(kPatternWord));
  ASSERT_EQ(device.synchronize(0), Status::ok);
  EXPECT_EQ(target, filled(7));
}

TEST(EmuDriver, SeedsChooseTheOrderOfStreams) {
  std::set<Words> orders;
  for (u64 seed = 0; seed < 20; ++seed) {
    const Emulated device({.seed = seed});
    Words list;
    for (u32 i = 0; i < 6; ++i) ASSERT_EQ(device.log(i % 2, list, i), Status::ok);
    EXPECT_TRUE(list.empty()) << "nothing runs before the host needs it";
    ASSERT_EQ(device.follow(2, 0), Status::ok);
    ASSERT_EQ(device.follow(2, 1), Status::ok);
    ASSERT_EQ(device.log(3, list, 6), Status::ok);
    ASSERT_EQ(device.synchronize(2), Status::ok);
    ASSERT_EQ(list.size(), 6u) << "stream 3 is not needed";
    for (u32 i = 0; i < 6; ++i) {
      for (u32 j = i + 1; j < 6; ++j) {
        EXPECT_TRUE(list[i] % 2 != list[j] % 2 || list[i] < list[j]) << "seed " << seed;
      }
    }
    orders.insert(list);
  }
  EXPECT_GT(orders.size(), 5u);
}

TEST(EmuDriver, AReadThatDoesNotWaitForTheWriterIsFound) {
  const Emulated device;
  const Address a = device.buffer(), b = device.buffer();
  const Words words = filled(1);
  ASSERT_EQ(device.copy_in(0, a, words), Status::ok);
  ASSERT_EQ(device.follow(1, 0), Status::ok);
  ASSERT_EQ(device.mix(1, b, a, a), Status::ok);
  expect_finding(device, device.mix(2, a, b, b),
                 "mix on stream 2 reads buffer 2 without waiting for mix on stream 1, which writes it");
  EXPECT_EQ(device.synchronize(0), Status::internal) << "a failure is sticky";
}

TEST(EmuDriver, AnotherReaderThatDoesNotWaitForTheWriterIsFound) {
  const Emulated device;
  const Address a = device.buffer();
  Words result = filled(0);
  ASSERT_EQ(device->zero(0, a, Emulated::kBytes), Status::ok);
  ASSERT_EQ(device.follow(1, 0), Status::ok);
  ASSERT_EQ(device.copy_out(1, result, a), Status::ok);
  expect_finding(device, device.copy_out(2, result, a),
                 "copy_out on stream 2 reads buffer 1 without waiting for zero on stream 0, which writes it");
}

TEST(EmuDriver, AWriteThatDoesNotWaitForAReaderIsFound) {
  const Emulated device;
  const Address a = device.buffer();
  Words result = filled(0);
  ASSERT_EQ(device->zero(0, a, Emulated::kBytes), Status::ok);
  // the host has waited for the end of the work, and this orders all streams
  ASSERT_EQ(device.synchronize(0), Status::ok);
  ASSERT_EQ(device.copy_out(1, result, a), Status::ok);
  ASSERT_EQ(device.copy_out(2, result, a), Status::ok) << "readers need no order";
  ASSERT_EQ(device.follow(3, 2), Status::ok);
  expect_finding(device, device->zero(3, a, Emulated::kBytes),
                 "zero on stream 3 writes buffer 1 without waiting for copy_out on stream 1, which reads it");
}

TEST(EmuDriver, ParallelUsesOfDifferentPartsNeedNoOrder) {
  const Emulated device;
  const Address a = device.buffer();
  EXPECT_EQ(device->zero(0, a, 64), Status::ok);
  EXPECT_EQ(device->zero(1, a + 64, 96), Status::ok);
  expect_finding(device, device->zero(2, a + 60, 8),
                 "zero on stream 2 writes buffer 1 without waiting for zero on stream 0, which writes it");
}

TEST(EmuDriver, AWriteOfAPartDoesNotOrderTheRest) {
  const Emulated device;
  const Address a = device.buffer();
  EXPECT_EQ(device->zero(0, a, Emulated::kBytes), Status::ok);
  EXPECT_EQ(device->zero(0, a, 64), Status::ok);
  expect_finding(device, device->zero(1, a + 64, 4),
                 "zero on stream 1 writes buffer 1 without waiting for zero on stream 0, which writes it");
}

TEST(EmuDriver, UsesAfterReleaseAndReleasesDuringUseAreFound) {
  {
    const Emulated device;
    const Address a = device.buffer();
    ASSERT_EQ(device->release(a), Status::ok);
    expect_finding(device, device->zero(0, a, 4), "zero on stream 0 writes buffer 1 after its release");
  }
  {
    const Emulated device;
    const Address a = device.buffer();
    ASSERT_EQ(device->release(a), Status::ok);
    expect_finding(device, device->release(a), "second release of buffer 1");
  }
  const Emulated device;
  const Address a = device.buffer();
  ASSERT_EQ(device->zero(5, a, 4), Status::ok);
  expect_finding(device, device->release(a),
                 "release of buffer 1, but the host has not seen the end of zero on stream 5");
}

TEST(EmuDriver, UsesOutsideMemoryAreFound) {
  {
    const Emulated device;
    const Address a = device.buffer();
    ASSERT_EQ(device->zero(0, a + 8, Emulated::kBytes - 8), Status::ok);
    expect_finding(device, device->zero(0, a + 8, Emulated::kBytes - 7),
                   "zero on stream 0 writes past the end of buffer 1");
  }
  const Emulated device, other;
  expect_finding(device, device->zero(0, other.buffer(), 4), "zero on stream 0 writes memory that is not allocated");
}

TEST(EmuDriver, PinnedMemoryThatACopyStillUsesIsFound) {
  const Emulated device;
  const Address a = device.buffer();
  std::byte* pinned = nullptr;
  ASSERT_EQ(device->allocate_host(Emulated::kBytes, pinned), Status::ok);
  ASSERT_EQ(device->copy_in(0, a, pinned, Emulated::kBytes), Status::ok);
  expect_finding(device, device->release_host(pinned),
                 "release of host memory 1, but the host has not seen the end of copy_in on stream 0");
}

TEST(EmuDriver, CheckedKernelsMustDeclareTheirMemory) {
  const Emulated device;
  const Address a = device.buffer(), b = device.buffer();
  ASSERT_EQ(device->zero(0, a, Emulated::kBytes), Status::ok);
  ASSERT_EQ(device->zero(0, b, Emulated::kBytes), Status::ok);
  const device::Use too_few[] = {{a, Emulated::kBytes, true}};
  ASSERT_EQ(device.mix(0, a, a, b, too_few), Status::ok) << "the mistake is known only when the kernel runs";
  expect_finding(device, device.synchronize(0), "mix reads buffer 2, which its call does not name");
}

// Runs the kernel mix, which reads buffers 1 and 2 and writes buffer 3. The call declares too few uses: only the first
// bytes_of_a bytes of the first buffer, or the last buffer as read-only. Expects a finding.
void expect_undeclared(std::size_t bytes_of_a, bool writes_out, std::string_view finding) {
  const Emulated device;
  const Address a = device.buffer(), b = device.buffer(), out = device.buffer();
  ASSERT_EQ(device->zero(0, a, Emulated::kBytes), Status::ok);
  ASSERT_EQ(device->zero(0, b, Emulated::kBytes), Status::ok);
  const device::Use uses[] = {
      {a, bytes_of_a, false}, {b, Emulated::kBytes, false}, {out, Emulated::kBytes, writes_out}};
  ASSERT_EQ(device.mix(0, out, a, b, uses), Status::ok);
  expect_finding(device, device.synchronize(0), finding);
}

TEST(EmuDriver, AStoreToMemoryThatIsDeclaredAsOnlyReadIsFound) {
  expect_undeclared(Emulated::kBytes, false, "mix writes buffer 3, which its call does not name");
}

TEST(EmuDriver, AnAccessBehindTheDeclaredPartOfABufferIsFound) {
  expect_undeclared(Emulated::kBytes - 4, true, "mix reads buffer 1, which its call does not name");
}

// Lane i reads word i, and lane i - 1 writes this word. One declared use allows the loads. Another declared use of the
// same words allows the stores.
TEST(EmuDriver, RacesOnMemoryThatOneUseReadsAndAnotherWritesAreFound) {
  const Emulated device;
  const Address a = device.buffer(Emulated::kBytes + 4);
  ASSERT_EQ(device->zero(0, a, Emulated::kBytes + 4), Status::ok);
  ASSERT_EQ(device.mix(0, a + 4, a, a), Status::ok);
  EXPECT_EQ(device.synchronize(0), Status::internal);
  EXPECT_NE(device->error().find("without order"), std::string::npos) << device->error();
}

TEST(EmuDriver, WordsThatNothingWroteAreFound) {
  Words result = filled(0);
  {
    const Emulated device;
    const Address a = device.buffer();
    ASSERT_EQ(device->zero(0, a, Emulated::kBytes - 4), Status::ok);
    ASSERT_EQ(device.copy_out(0, result, a), Status::ok);
    expect_finding(device, device.synchronize(0), "copy_out reads words of buffer 1 that nothing wrote");
  }
  const Emulated device;
  const Address a = device.buffer(), b = device.buffer();
  ASSERT_EQ(device->zero(0, a, Emulated::kBytes - 4), Status::ok);
  ASSERT_EQ(device.mix(0, b, a, a), Status::ok);
  EXPECT_EQ(device.synchronize(0), Status::internal);
  EXPECT_NE(device->error().find("never written"), std::string::npos) << device->error();
}

TEST(EmuDriver, FreshAndReleasedMemoryHoldsThePattern) {
  const Emulated device({.checked = false});
  const Address a = device.buffer();
  Words result = filled(0);
  ASSERT_EQ(device.copy_out(0, result, a), Status::ok);
  ASSERT_EQ(device.synchronize(0), Status::ok);
  EXPECT_EQ(result, filled(kPatternWord));
  ASSERT_EQ(device->zero(0, a, Emulated::kBytes), Status::ok);
  ASSERT_EQ(device.synchronize(0), Status::ok);
  ASSERT_EQ(device->release(a), Status::ok);
  // the emulator still knows the released buffer `a`
  for (std::size_t i = 0; i < Emulated::kBytes; ++i) ASSERT_EQ(a[i], std::byte{0xA5});
}

TEST(EmuDriver, MemoryHasALimit) {
  const Emulated device({.memory_bytes = 1000});
  const Address a = device.buffer(600);
  Address b = a;
  EXPECT_EQ(device->allocate(401, Privacy::open, b), Status::out_of_memory);
  EXPECT_EQ(b, nullptr);
  b = device.buffer(400);
  EXPECT_EQ(device->memory().used, 1000u);
  ASSERT_EQ(device->release(a), Status::ok);
  EXPECT_EQ(device->memory().used, 400u);
  EXPECT_EQ(device->memory().peak, 1000u);
  EXPECT_EQ(device->memory().limit, 1000u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(device.buffer(600)) % device::kAlignment, 0u);
}

TEST(EmuDriver, RepeatedQueriesOfAnEventEventuallySeeItsEnd) {
  for (u64 seed = 0; seed < 10; ++seed) {
    const Emulated device({.seed = seed});
    Words list;
    for (u32 i = 0; i < 5; ++i) ASSERT_EQ(device.log(0, list, i), Status::ok);
    device::Event event;
    ASSERT_EQ(device->record(0, event), Status::ok);
    bool has_ended = false;
    u32 questions = 0;
    while (!has_ended && questions < 1000) {
      ASSERT_EQ(device->query(event, has_ended), Status::ok);
      EXPECT_TRUE(!has_ended || list.size() == 5);
      ++questions;
    }
    EXPECT_TRUE(has_ended);
    EXPECT_GE(questions, 6u) << "a query ends at most one piece of work";
  }
}

TEST(EmuDriver, EventsMeasureTime) {
  const Emulated device;
  device::Event begin, end;
  Words list;
  ASSERT_EQ(device->record(0, begin), Status::ok);
  ASSERT_EQ(device.log(0, list, 0), Status::ok);
  ASSERT_EQ(device->record(0, end), Status::ok);
  ASSERT_EQ(device->synchronize(end), Status::ok);
  double us = -1;
  EXPECT_EQ(device->elapsed(begin, end, us), Status::ok);
  EXPECT_GT(us, 0);
  ASSERT_EQ(device->record(0, end), Status::ok);
  expect_finding(device, device->elapsed(begin, end, us), "time of an event whose end the host has not seen");
}

TEST(EmuDriver, EventsMustBeKnown) {
  const Emulated device;
  device::Event event;
  ASSERT_EQ(device->record(0, event), Status::ok);
  device->forget(event);
  expect_finding(device, device->wait(1, event), "use of an event that was not recorded, or is forgotten");
}

TEST(EmuDriver, RefusesLaunchesThatNoGpuWouldAccept) {
  const Emulated device;
  device::Kernel kernel;
  EXPECT_EQ(device->load("no such kernel", kernel), Status::unsupported);
  ASSERT_EQ(device->load("log", kernel), Status::ok);
  expect_finding(device, device->launch(0, {kernel, {1, 2048, 0}, {}, {}}), "log: impossible grid");
  const Emulated second;
  expect_finding(second, second->launch(0, {kernel, {1, 1, 1 << 20}, {}, {}}), "log: too much shared memory");
  const Emulated third;
  expect_finding(third, third->zero(device::kStreams, third.buffer(), 4), "zero: no such stream");
}

TEST(EmuDriver, ThereAreFourDevices) {
  for (u32 index = 0; index < emu::kDevices; ++index)
    EXPECT_EQ(emu::open(index, find_test_kernel, {})->facts().name, "emu:" + std::to_string(index));
  EXPECT_EQ(emu::open(emu::kDevices, find_test_kernel, {}), nullptr);
}

// Copies `words` to the device, computes, and copies the result back. Returns the first failure.
Status run_program(const Emulated& device, const Words& words, Words& result) {
  Address a = nullptr;
  Status status = device->allocate(Emulated::kBytes, Privacy::open, a);
  if (status == Status::ok) status = device.copy_in(0, a, words);
  if (status == Status::ok) status = device.mix(0, a, a, a);
  if (status == Status::ok) status = device.follow(1, 0);
  if (status == Status::ok) status = device.copy_out(1, result, a);
  if (status == Status::ok) status = device.synchronize(1);
  return status;
}

TEST(EmuDriver, ThePlannedCallFails) {
  const std::pair<Operation, u64> counts[] = {{Operation::allocate, 1},
                                              {Operation::load, 1},
                                              {Operation::launch, 1},
                                              {Operation::copy, 2},
                                              {Operation::event, 3}};
  const Words words = filled(3);
  for (const auto& [operation, calls] : counts) {
    for (u64 k = 1; k <= calls + 1; ++k) {
      const Emulated device({.checked = true, .failure = {operation, k}});
      Words result = filled(9);
      const Status status = run_program(device, words, result);
      EXPECT_EQ(status, k <= calls ? Status::out_of_memory : Status::ok) << static_cast<int>(operation) << ", " << k;
      EXPECT_TRUE(k <= calls || result == filled(12));
    }
  }
}

TEST(EmuDriver, ALateFailureLosesTheDevice_NoWordReachesTheHost) {
  struct Case {
    Operation operation;
    u64 k;
    std::string_view message;
  };
  const Words words = filled(3);
  for (const auto& [operation, k, message] : {Case{Operation::launch, 1, "mix failed when it ran"},
                                              {Operation::copy, 1, "copy_in failed when it ran"},
                                              {Operation::copy, 2, "copy_out failed when it ran"}}) {
    const Emulated device({.failure = {operation, k, true}});
    Words result = filled(9);
    EXPECT_EQ(run_program(device, words, result), Status::device_lost);
    EXPECT_EQ(result, filled(kPatternWord)) << message;
    EXPECT_EQ(device->error(), message);
    Address a = nullptr;
    EXPECT_EQ(device->allocate(4, Privacy::open, a), Status::device_lost);
  }
}

}  // namespace
}  // namespace ringfort::testing::driver_test
