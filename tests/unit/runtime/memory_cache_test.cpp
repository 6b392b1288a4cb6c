// SPDX-License-Identifier: Apache-2.0
// Tests the cache of device memory. The tests check which request gets a buffer, how many bytes stay in the cache,
// which memory is zeroed, and what happens if the device has no memory left. A frame (ringfort/device.h) is a time in
// which the cache keeps freed memory without a limit. A modelled device is one that simulates its time.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "backend/devices.h"
#include "backend/host.h"
#include "math/prime.h"
#include "ring/ring.h"
#include "ringfort/error.h"
#include "support/refused.h"

namespace ringfort {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 16;

// A device with `most` bytes of memory.
class Short final : public Backend {
 public:
  std::string_view name() const noexcept override { return "short"; }
  Capabilities capabilities() const noexcept override {
    return {.simulated_time = is_modelled, .instruction_set = {}, .plans = {}, .roofs = {}};
  }
  Status prepare(const Plan& plan, std::shared_ptr<const PreparedPlan>& out) noexcept override {
    return inner->prepare(plan, out);
  }
  Status allocate(std::size_t bytes, Contents contents, Privacy privacy, DeviceBuffer*& out) noexcept override {
    ++asked;
    if (inner->memory().used + bytes > most) return Status::out_of_memory;
    return inner->allocate(bytes, contents, privacy, out);
  }
  void release(DeviceBuffer* buffer, bool wipe) noexcept override {
    wiped += wipe ? 1 : 0;
    inner->release(buffer, wipe);
  }
  MemoryUse memory() const noexcept override { return inner->memory(); }
  bool fuses(const Verb&) const noexcept override { return false; }
  Status run(Stream s, std::span<const Verb> verbs, std::span<Ticket> ends) noexcept override {
    return inner->run(s, verbs, ends);
  }
  Status synchronize(Stream s) noexcept override { return inner->synchronize(s); }
  Ticket mark(Stream s) noexcept override { return inner->mark(s); }

  std::shared_ptr<Backend> inner = open_backend("ref");
  std::size_t most = ~std::size_t{0};
  bool is_modelled = false;
  int asked = 0, wiped = 0;
};

struct Opened {
  explicit Opened(bool is_modelled = false) {
    backend->is_modelled = is_modelled;
    device = std::make_shared<const Device>(backend);
  }
  std::shared_ptr<Short> backend = std::make_shared<Short>();
  std::shared_ptr<const Device> device;
  [[nodiscard]] DeviceMemory use() const { return device->memory().use(); }
  // Returns a buffer of public words. When it is released, the cache keeps its memory.
  [[nodiscard]] Buffer open(std::size_t bytes, MemoryUser user = MemoryUser::value) const {
    Buffer buffer(device, {bytes, Contents::undefined, Privacy::open, user});
    buffer.keep_contents();
    return buffer;
  }
  DeviceBuffer* open_and_end(std::size_t bytes) const { return open(bytes).handle(); }
  // Raises the peak of used bytes. This peak limits how many bytes the cache keeps.
  void once_had(std::size_t bytes) const {
    (void)open_and_end(bytes);
    device->memory().trim();
  }
};

TEST(MemoryCache, ABufferServesTheNextRequestOfItsSizeOrAnEighthLess) {
  const Opened on;
  on.once_had(4 * kBytes);
  const DeviceBuffer* const buffer = on.open_and_end(kBytes);
  EXPECT_EQ(on.open_and_end(kBytes), buffer);
  EXPECT_EQ(on.open_and_end(kBytes - kBytes / 10), buffer);
  EXPECT_NE(on.open(kBytes / 2).handle(), buffer) << "the buffer would waste half";
  EXPECT_NE(on.open(kBytes + 1).handle(), buffer) << "the buffer is too small";
  const DeviceMemory use = on.use();
  EXPECT_EQ(use.hits, 2u);
  EXPECT_EQ(use.misses, 4u);
  EXPECT_EQ(use.used, 0u);
  EXPECT_EQ(use.most_used, 4 * kBytes);
  EXPECT_EQ(use.cached, on.backend->memory().used);
}

TEST(MemoryCache, ZeroedMemoryHasNoWordsOfItsPreviousOwner) {
  const Opened on;
  on.once_had(2 * kBytes);
  const DeviceBuffer* const buffer = on.open_and_end(kBytes);
  const Buffer zeroed(on.device, {kBytes, Contents::zeroed});
  EXPECT_NE(zeroed.handle(), buffer);
}

TEST(MemoryCache, OnDeviceDeferredANextOwnerFindsAPatternAndThePreviousOneKeepsItsWords) {
  for (const std::string seed : {"1", "2", "7"}) {
    const Ring ring(Device::open("deferred:" + seed), {64, Word::u64, {786433}});  // 12 * 2^16 + 1
    const std::vector<u64> words(64, 5);
    Staging staging(64);
    const Poly<Coeff> copy = ring.make<Coeff>(1);
    const DeviceBuffer* buffer = nullptr;
    {
      Buffer first = ring.borrow(1, Privacy::open);
      const Slice<Coeff> slice(ring.rows_in(first, ring.limbs(), 1));
      ring.upload(Stream{0, 1}, slice, std::span<const u64>(words), staging);
      ring.copy(Stream{0, 1}, copy.all(), slice);  // the device runs it later
      buffer = first.handle();
      first.keep_contents();
    }
    const Buffer next = ring.borrow(1, Privacy::open);
    EXPECT_EQ(next.handle(), buffer) << "seed " << seed;
    std::vector<u64> of_next(64), of_first(64);
    ring.download(Stream{1, 1}, Slice<Coeff>(ring.rows_in(next, ring.limbs(), 1)), std::span<u64>(of_next), staging);
    ring.download(Stream{2, 1}, copy.all(), std::span<u64>(of_first), staging);
    EXPECT_EQ(of_next, std::vector<u64>(64, 0xA5A5A5A5A5A5A5A5)) << "seed " << seed;
    EXPECT_EQ(of_first, words) << "seed " << seed;
  }
}

TEST(MemoryCache, MemoryThatMayHoldSecretsIsWipedAndNotCached) {
  const Opened on;
  { const Buffer buffer(on.device, {kBytes}); }
  EXPECT_EQ(on.backend->wiped, 1);
  EXPECT_EQ(on.use().cached, 0u);
}

TEST(MemoryCache, SecretMemoryIsKeptApart) {
  const Opened on;
  on.once_had(2 * kBytes);
  const MemoryRequest request{kBytes, Contents::undefined, Privacy::secret, MemoryUser::scratch};
  DeviceBuffer* buffer = nullptr;
  {
    Buffer secret(on.device, request);
    buffer = secret.handle();
    secret.keep_contents();
  }
  EXPECT_NE(on.open(kBytes).handle(), buffer);
  EXPECT_EQ(Buffer(on.device, request).handle(), buffer);
}

TEST(MemoryCache, KeepsAtMostItsLimit_TheOldestBuffersAreReleasedFirst) {
  const Opened on;
  on.device->memory().keep_at_most(2 * kBytes);
  const DeviceBuffer* last = nullptr;
  {
    std::vector<Buffer> buffers;
    for (int i = 0; i < 5; ++i) buffers.push_back(on.open(kBytes));
    last = buffers.back().handle();
    for (Buffer& buffer : buffers) Buffer(std::move(buffer));
  }
  EXPECT_EQ(on.use().cached, 2 * kBytes);
  EXPECT_EQ(on.use().most, 5 * kBytes);
  EXPECT_EQ(on.open_and_end(kBytes), last);
  on.device->memory().keep_at_most(kBytes);
  EXPECT_EQ(on.use().cached, kBytes);
  on.device->memory().keep_at_most(0);
  EXPECT_EQ(on.use().cached, 0u);
  (void)on.open_and_end(kBytes);
  EXPECT_EQ(on.backend->memory().used, 0u);
}

TEST(MemoryCache, AGpuKeepsAnEighthOfItsMemoryAndOtherDevices64MiB) {
  const Device cpu(open_backend("cpu"));
  EXPECT_EQ(cpu.memory().use().most_cached, std::size_t{64} << 20);
  const auto backend = open_backend("emu:0");
  if (backend == nullptr) GTEST_SKIP() << "built without emulated GPUs (RINGFORT_SIMULATORS=OFF)";
  const DeviceMemory gpu = Device(backend).memory().use();
  EXPECT_EQ(gpu.most_cached, gpu.limit / 8);
}

TEST(MemoryCache, HoldsAtMostThePeakOfMemoryInUse) {
  const Opened on;
  constexpr std::size_t kLarge = std::size_t{8} << 20;
  for (std::size_t i = 0; i < 5; ++i)
    (void)on.open_and_end(kLarge + i * (kLarge / 4));  // no released buffer is large enough for the next request
  EXPECT_EQ(on.use().most_used, 2 * kLarge);
  EXPECT_EQ(on.use().most, 2 * kLarge);
}

TEST(MemoryCache, IfTheDeviceHasNoMemoryTheCacheIsReleasedBeforeASecondTry) {
  const Opened on;
  on.once_had(8 * kBytes);
  on.backend->most = 3 * kBytes;
  (void)on.open_and_end(kBytes);
  EXPECT_NO_THROW((void)on.open_and_end(3 * kBytes));
  EXPECT_EQ(on.use().cached, 3 * kBytes);
  const int asked = on.backend->asked;
  EXPECT_EQ(testing::refusal([&] { (void)on.open_and_end(4 * kBytes); }).code(), Code::out_of_memory);
  EXPECT_EQ(on.backend->asked, asked + 2);
  EXPECT_EQ(testing::refusal([&] { (void)on.open_and_end(4 * kBytes); }).code(), Code::out_of_memory);
  EXPECT_EQ(on.backend->asked, asked + 3) << "no cached buffer to release";
  EXPECT_EQ(on.use().cached, 0u);
  EXPECT_NO_THROW((void)on.open_and_end(kBytes)) << "the device still works";
}

// Each of three kinds of users can own most of the memory.
TEST(MemoryCache, TheErrorNamesTheUsersOfTheMemoryTheLargestFirst) {
  const Opened on;
  on.backend->most = 12 << 20;
  const Buffer values = on.open(2 << 20), keys = on.open(5 << 20, MemoryUser::key);
  const Buffer scratch = on.open(4 << 20, MemoryUser::scratch);
  EXPECT_EQ(on.use().keys, std::size_t{5} << 20);
  EXPECT_EQ(on.use().scratch, std::size_t{4} << 20);
  const Error refused = testing::refusal([&] { (void)on.open(2 << 20); });
  EXPECT_EQ(refused.code(), Code::out_of_memory);
  EXPECT_NE(refused.problem().find("allocate 2097152 bytes on device short ran out of memory: 5.0 MiB are in keys, 4.0 "
                                   "MiB are in running operations, 2.0 MiB are in ciphertexts"),
            std::string::npos)
      << refused.problem();
}

TEST(MemoryCache, AModelledDeviceCachesOnlyScratchMemory) {
  const Opened on(true);
  (void)on.open_and_end(kBytes);
  EXPECT_EQ(on.use().cached, 0u);
  { const Buffer buffer = on.open(kBytes, MemoryUser::scratch); }
  EXPECT_EQ(on.use().cached, kBytes);
}

TEST(Frames, MayOutliveTheirDevices) {
  const Frame frame;
  const Opened on;
  (void)on.open_and_end(kBytes);
}

TEST(Frames, KeepFreedMemoryOfAllThreadsUntilTheOutermostFrameEnds) {
  const Opened on(true);
  on.device->memory().keep_at_most(kBytes);
  Frame outer;
  {
    const Frame inner;
    std::vector<Buffer> buffers;
    for (int i = 0; i < 4; ++i) buffers.push_back(on.open(kBytes));
    std::thread([leaving = std::move(buffers)] {}).join();
  }
  EXPECT_EQ(on.use().cached, 4 * kBytes)
      << "in a frame the limit does not apply, and the memory of a modelled device's objects is kept";
  const u64 misses = on.use().misses;
  std::thread([&] {
    for (int i = 0; i < 4; ++i) (void)on.open_and_end(kBytes);
  }).join();
  EXPECT_EQ(on.use().misses, misses);
  outer.end();
  EXPECT_EQ(on.use().cached, kBytes);
  EXPECT_EQ(testing::refusal([&] { outer.end(); }).code(), Code::invalid_argument);
}

TEST(WaitingMemory, IsNotReusedByOtherThreadsBeforeItsVerbsHaveRun) {
  const Opened on;
  const DeviceBuffer* buffer = nullptr;
  {
    const WaitingMemory waiting;
    buffer = on.open(kBytes, MemoryUser::scratch).handle();
    std::thread([&] { EXPECT_NE(on.open(kBytes, MemoryUser::scratch).handle(), buffer); }).join();
    on.device->memory().trim();
    EXPECT_EQ(on.open(kBytes, MemoryUser::scratch).handle(), buffer);
  }
  on.device->memory().keep_at_most(kBytes);
  EXPECT_EQ(on.open(kBytes, MemoryUser::scratch).handle(), buffer) << "the buffer released last";
}

TEST(Frames, MustEndInTheirThread) {
  Frame frame;
  std::thread([&] { EXPECT_EQ(testing::refusal([&] { frame.end(); }).code(), Code::invalid_argument); }).join();
  frame.end();
}

// Each thread sums its own words in a buffer from the shared cache. If two threads owned the same buffer, sums would be
// wrong.
TEST(MemoryCache, EightThreadsNeverShareABuffer) {
  const Ring ring(Device::open(""), Plan{64, Word::u64, {ntt_primes(30, 64, 1).take()[0]}});
  // raises the peak of used memory, so that buffers of all sizes stay in the cache
  (void)ring.borrow(256, Privacy::open);
  std::vector<std::thread> threads;
  std::vector<int> wrong(8);
  for (u32 t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      Staging staging(64);
      const std::vector<u64> mine(4 * 64, t + 1), twice(4 * 64, 2 * t + 2);
      std::vector<u64> found(4 * 64);
      const Stream s{t, 1};
      for (int i = 0; i < 200; ++i) {
        const u32 batch = 1 + static_cast<u32>(i) % 4;
        Buffer a = ring.borrow(batch, Privacy::open), b = ring.borrow(batch, Privacy::open);
        a.keep_contents();
        b.keep_contents();
        const Slice<Coeff> x(ring.rows_in(a, {0, 1}, batch)), y(ring.rows_in(b, {0, 1}, batch));
        ring.upload(s, x, std::span(mine).first(batch * 64), staging);
        ring.add(s, y, x, x);
        ring.download(s, y, std::span(found).first(batch * 64), staging);
        wrong[t] += std::equal(found.begin(), found.begin() + batch * 64, twice.begin()) ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(8));
  const DeviceMemory use = ring.device().memory().use();
  EXPECT_EQ(use.used, 0u);
  EXPECT_GT(use.hits, 8 * 200u);
  EXPECT_EQ(use.most, use.most_used);
}

}  // namespace
}  // namespace ringfort
