// SPDX-License-Identifier: Apache-2.0
// Tests DeviceBatch, a batch of polynomials that can be sent to other devices. Sending is only a promise: words move
// when they are read there. One test tries every sequence of five uses on three devices, and compares the transfers
// with a model that knows which devices have which words. Other tests run sixteen threads at once, and try every
// failure during a transfer.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <bitset>
#include <cstring>
#include <optional>
#include <thread>

#include "math/prime.h"
#include "ringfort/error.h"
#include "runtime/device_batch.h"
#include "support/allocation.h"

namespace ringfort::device_batch_test {
namespace {

constexpr u32 kDegree = 8, kBatch = 2;
constexpr std::size_t kDevices = 3;
using Words = std::array<u64, kDegree * kBatch>;
using Shared = std::shared_ptr<DeviceBatch>;

Words some_words() {
  Words words;
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = 3 * i + 1;
  return words;
}

class World {
 public:
  World() {
    const Plan plan{kDegree, Word::u64, {ntt_primes(30, kDegree, 1).take()[0]}};
    constexpr std::array kNames = {"cpu", "ref", "cpu:generic"};
    for (std::size_t i = 0; i < kDevices; ++i) {
      device_plans_[i].device = Device::open(kNames[i]);
      device_plans_[i].plan = device_plans_[i].device->prepare(plan);
      device_plans_[i].device->profile(profilers_[i]);
    }
  }

  // Returns a batch. The first two polynomials of the batch have the words of some_words(), and the others are zero.
  [[nodiscard]] Shared make(u32 batch = kBatch) const {
    auto result = std::make_shared<DeviceBatch>(device_plans_[0], BatchShape{batch, {0, 1}, kDegree, sizeof(u64)});
    const Words words = some_words();
    View first = result->view();
    first.batch = kBatch;
    device_plans_[0].device->run({}, verb::Upload{first, Domain::evaluation, words.data()});
    return result;
  }
  [[nodiscard]] Shared send(const Shared& words, std::size_t to) const {
    return DeviceBatch::on_device(words, device_plans_[to], Domain::evaluation);
  }
  [[nodiscard]] Words read(DeviceBatch& batch) const {
    Words words{};
    const View& view = batch.view();  // only this call may transfer words
    const std::size_t at = view.plan == device_plans_[0].plan.get()   ? 0
                           : view.plan == device_plans_[1].plan.get() ? 1
                                                                      : 2;
    device_plans_[at].device->profile(nullptr);
    device_plans_[at].device->run({}, verb::Download{view, Domain::evaluation, words.data()});
    device_plans_[at].device->synchronize({});
    device_plans_[at].device->profile(profilers_[at]);
    return words;
  }
  // Returns how many uploads and downloads a device has had since the last forget().
  [[nodiscard]] std::array<std::size_t, 2> moves(std::size_t device) const {
    std::array<std::size_t, 2> count{};
    for (const VerbEvent& event : profilers_[device]->events()) ++count[event.verb == "download" ? 1 : 0];
    return count;
  }
  [[nodiscard]] const Device& device(std::size_t device) const { return *device_plans_[device].device; }
  void forget() {
    for (std::size_t i = 0; i < kDevices; ++i) {
      profilers_[i] = std::make_shared<Profiler>();
      device_plans_[i].device->profile(profilers_[i]);
    }
  }

 private:
  std::array<DevicePlan, kDevices> device_plans_;
  std::array<std::shared_ptr<Profiler>, kDevices> profilers_;
};

// The expected state. It has the devices that hold an object, the device from which each object still awaits its words,
// and the transfers.
class Model {
 public:
  [[nodiscard]] bool holds(std::size_t device) const { return has_object_[device]; }
  [[nodiscard]] bool lives(std::size_t device) const { return has_object_[device] || is_awaited(device); }
  [[nodiscard]] std::size_t uploads(std::size_t device) const { return uploads_[device]; }
  [[nodiscard]] std::size_t downloads(std::size_t device) const { return downloads_[device]; }

  void send(std::size_t from, std::size_t to) {
    if (!lives(to)) source_[to] = source_[from].value_or(from);
    has_object_[to] = true;
  }
  void read(std::size_t device) {
    if (!source_[device]) return;
    ++downloads_[*source_[device]];
    ++uploads_[device];
    source_[device].reset();
  }
  void drop(std::size_t device) {
    has_object_[device] = false;
    source_[device].reset();
  }

 private:
  [[nodiscard]] bool is_awaited(std::size_t device) const {
    for (std::size_t i = 0; i < kDevices; ++i) {
      if (has_object_[i] && source_[i] == device) return true;
    }
    return false;
  }
  std::bitset<kDevices> has_object_{1};
  std::array<std::optional<std::size_t>, kDevices> source_;
  std::array<std::size_t, kDevices> uploads_{}, downloads_{};
};

// Uses 0 .. 8 send words from a device to a device. Uses 9 .. 11 read. Uses 12 .. 14 drop an object.
constexpr std::size_t kUses = kDevices * kDevices + 2 * kDevices;

class Trial {
 public:
  explicit Trial(World& world) : world_(world) {
    objects_[0] = world.make();
    seen_[0] = objects_[0];
    world.forget();
  }
  // Applies a use. Returns false if the device of the use holds no object.
  bool use(std::size_t what) {
    const std::size_t from = what < 9 ? what / 3 : what % 3, to = what % 3;
    if (!model_.holds(from)) return false;
    if (what < 9) {
      model_.send(from, to);
      objects_[to] = world_.send(objects_[from], to);
      seen_[to] = objects_[to];
    } else if (what < 12) {
      model_.read(from);
      EXPECT_EQ(world_.read(*objects_[from]), some_words());
    } else {
      model_.drop(from);
      objects_[from].reset();
    }
    return true;
  }
  [[nodiscard]] bool is_as_the_model_says() const {
    bool right = true;
    for (std::size_t i = 0; i < kDevices; ++i) {
      right &= world_.moves(i) == std::array{model_.uploads(i), model_.downloads(i)} &&
               seen_[i].expired() != model_.lives(i);
    }
    return right;
  }

 private:
  World& world_;
  Model model_;
  std::array<Shared, kDevices> objects_;
  std::array<std::weak_ptr<DeviceBatch>, kDevices> seen_;
};

TEST(DeviceBatch, EverySequenceOfFiveUsesMovesAndKeepsExactlyTheNecessaryWords) {
  World world;
  constexpr std::size_t kLength = 5;
  std::size_t sequences = 1, whole = 0;
  for (std::size_t i = 0; i < kLength; ++i) sequences *= kUses;
  for (std::size_t code = 0; code < sequences; ++code) {
    Trial trial(world);
    std::size_t rest = code, used = 0;
    for (; used < kLength && trial.use(rest % kUses); ++used) rest /= kUses;
    ASSERT_TRUE(trial.is_as_the_model_says()) << "sequence " << code;
    whole += used == kLength;
  }
  EXPECT_GT(whole, 10000u);
}

TEST(DeviceBatch, WordsComeBackUnchanged) {
  World world;
  const Shared home = world.make(), there = world.send(home, 1), further = world.send(there, 2);
  EXPECT_FALSE(there->is_here());
  EXPECT_EQ(world.send(further, 0), home);
  EXPECT_EQ(world.read(*further), some_words());
  EXPECT_FALSE(there->is_here()) << "the words passed through a device that did not use them";
  EXPECT_TRUE(home->is_shared() && there->is_shared() && further->is_shared());
}

// The batch has one megabyte, so that the first transfer lasts until the other threads arrive.
TEST(DeviceBatch, SixteenThreadsBringWordsOnce) {
  World world;
  for (int round = 0; round < 20; ++round) {
    const Shared home = world.make(u32{1} << 14), there = world.send(home, 1);
    world.forget();
    std::barrier start(16);
    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 16; ++i) {
      threads.emplace_back([&] {
        start.arrive_and_wait();
        const Shared mine = world.send(home, 1);  // every thread sends the words for itself
        (void)mine->view();
        right += mine == there && mine->is_here() && DeviceBatch::readable(mine) == mine;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, 16);
    EXPECT_EQ(world.moves(0), (std::array<std::size_t, 2>{0, 1}));
    EXPECT_EQ(world.moves(1), (std::array<std::size_t, 2>{1, 0}));
  }
}

TEST(DeviceBatch, ThreadsSendReadAndDropWithoutLosingWords) {
  World world;
  Shared home = world.make();
  std::array<Shared, 4> mine;
  for (Shared& words : mine) words = world.send(home, 1);
  home.reset();
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (std::size_t t = 0; t < mine.size(); ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 200; ++i) {
        mine[t] = world.send(mine[t], (i + t) % kDevices);
        if (i % 3 == t % 3) (void)mine[t]->view();
        wrong += DeviceBatch::readable(mine[t]) == nullptr;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Shared& words : mine) EXPECT_EQ(world.read(*words), some_words());
  EXPECT_EQ(wrong, 0);
}

// Sends three batches to the second device, reads them and drops them. Does this twice. Returns the number of uploads.
std::size_t uploads_of_two_rounds(std::size_t budget_bytes, bool is_public, bool home_ends) {
  World world;
  world.device(1).copies().keep_at_most(budget_bytes);
  std::array<Shared, 3> homes = {world.make(), world.make(), world.make()};
  if (is_public) {
    for (const Shared& home : homes) home->keep_contents();
  }
  world.forget();
  for (int round = 0; round < 2; ++round) {
    for (const Shared& home : homes) EXPECT_EQ(world.read(*world.send(home, 1)), some_words());
  }
  EXPECT_LE(world.device(1).copies().bytes(), budget_bytes);
  EXPECT_LE(world.device(1).memory().use().used, budget_bytes);
  if (home_ends) homes = {};
  EXPECT_EQ(home_ends ? world.device(1).memory().use().used : 0, 0u) << "copies must end with their originals";
  return world.moves(1)[0];
}

TEST(DeviceBatch, CopiesStayWithinTheirBudget_TheOldestGoFirst) {
  constexpr std::size_t kBytes = sizeof(Words);
  EXPECT_EQ(uploads_of_two_rounds(0, true, false), 6u);
  EXPECT_EQ(uploads_of_two_rounds(3 * kBytes, true, true), 3u);
  EXPECT_EQ(uploads_of_two_rounds(2 * kBytes, true, true), 6u) << "each copy was the oldest when the next arrived";
  EXPECT_EQ(uploads_of_two_rounds(kBytes - 1, true, false), 6u);
  EXPECT_EQ(uploads_of_two_rounds(3 * kBytes, false, false), 6u) << "a possible secret is not kept";
}

TEST(DeviceBatch, AUsedCopyIsDroppedLast) {
  World world;
  world.device(1).copies().keep_at_most(2 * sizeof(Words));
  const std::array<Shared, 3> homes = {world.make(), world.make(), world.make()};
  for (const Shared& home : homes) home->keep_contents();
  world.forget();
  for (const std::size_t which : {0u, 1u, 0u, 2u, 0u}) (void)world.read(*world.send(homes[which], 1));
  EXPECT_EQ(world.moves(1)[0], 3u);
  EXPECT_TRUE(world.device(1).copies().drop());
  EXPECT_EQ(world.device(1).memory().use().used, 0u);
  EXPECT_FALSE(world.device(1).copies().drop());
}

template <class F>
bool fails(F operation) {
  try {
    operation();
  } catch (const Error& e) {
    EXPECT_TRUE(e.code() == Code::device_lost || e.code() == Code::out_of_memory) << e.what();
    return true;
  } catch (const std::bad_alloc&) { return true; }
  return false;
}

TEST(DeviceBatch, AFailedMoveLeavesTheWordsWhereTheyWere) {
  for (const auto point : {fault::Point::verb, fault::Point::alloc}) {
    World world;
    const Shared home = world.make();
    u64 k = 1;
    for (bool met = true; met; ++k) {
      const Shared there = world.send(home, 1);
      testing::fail_at(point, k);
      const bool failed = fails([&] { (void)there->view(); });
      met = testing::calls_at(point) >= k;
      testing::fail_at(point, 0);
      EXPECT_EQ(there->is_here(), !failed);
      EXPECT_EQ(world.read(*home), some_words());
      EXPECT_EQ(world.read(*there), some_words()) << "second attempt";
    }
    // a transfer has four verbs, and allocations on the device and on the host
    EXPECT_GE(k, 4u);
  }
}

TEST(DeviceBatch, AFailedPromiseChangesNothing) {
  ASSERT_TRUE(testing::allocations_are_fault_points());
  World world;
  u64 k = 1;
  for (bool failed = true; failed; ++k) {
    const Shared home = world.make();
    Shared there;
    testing::fail_at(fault::Point::alloc, k);
    failed = fails([&] { there = world.send(home, 1); });
    testing::fail_at(fault::Point::alloc, 0);
    EXPECT_EQ(failed, there == nullptr);
    EXPECT_EQ(world.read(*home), some_words());
    EXPECT_EQ(world.read(*world.send(home, 1)), some_words());
  }
  // allocations for the list of copies, for its first entry, and for the promise
  EXPECT_GE(k, 4u);
}

}  // namespace
}  // namespace ringfort::device_batch_test
