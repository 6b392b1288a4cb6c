// SPDX-License-Identifier: Apache-2.0
// Tests a DeviceBatch in a child that was forked while another thread of the parent sent or copied the batch. The tests
// stop the other thread at each verb of a copy, and at each allocation of a promise. A child that waits for the other
// thread is killed, and the test fails.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "math/prime.h"
#include "runtime/device_batch.h"
#include "support/allocation.h"

namespace ringfort::forked_batch_test {
namespace {

constexpr u32 kDegree = 8, kBatch = 4;
using Shared = std::shared_ptr<DeviceBatch>;
using Words = std::vector<u64>;

class World {
 public:
  World() {
    const Plan plan{kDegree, Word::u64, {ntt_primes(30, kDegree, 1).take()[0]}};
    constexpr std::array kNames = {"cpu", "ref", "cpu:generic"};
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      device_plans_[i].device = Device::open(kNames[i]);
      device_plans_[i].plan = device_plans_[i].device->prepare(plan);
    }
    for (u64 i = 0; i < words_.size(); ++i) words_[i] = 5 * i + 2;
  }
  [[nodiscard]] Shared make() const {
    auto batch = std::make_shared<DeviceBatch>(device_plans_[0], BatchShape{kBatch, {0, 1}, kDegree, sizeof(u64)});
    device_plans_[0].device->run({}, verb::Upload{batch->view(), Domain::evaluation, words_.data()});
    return batch;
  }
  [[nodiscard]] Shared send(const Shared& words, std::size_t to) const {
    return DeviceBatch::on_device(words, device_plans_[to], Domain::evaluation);
  }
  // Tells whether the batch has the words of make(). This call may copy them.
  [[nodiscard]] bool is_right(DeviceBatch& batch) const {
    Words words(words_.size());
    batch.device().run({}, verb::Download{batch.view(), Domain::evaluation, words.data()});
    batch.device().synchronize({});
    return words == words_;
  }

 private:
  std::array<DevicePlan, 3> device_plans_;
  Words words_ = Words(kDegree * kBatch);
};

std::atomic<bool> stopped, goes_on;

void stop_here() noexcept {
  stopped = true;
  while (!goes_on) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

// Runs `work` in a thread that stops at its k-th call at a fault point. Meanwhile runs `in_child` in a forked child.
// Returns false if the thread did not stop, because it has fewer calls.
bool fork_at(fault::Point point, u64 k, const std::function<void()>& work, const std::function<bool()>& in_child) {
  stopped = goes_on = false;
  std::atomic<bool> ended = false;
  std::thread other([&] {
    testing::run_at(point, k, stop_here);
    work();
    ended = true;
  });
  while (!stopped && !ended) std::this_thread::sleep_for(std::chrono::microseconds(100));
  int status = 0;
  if (stopped) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      testing::fail_at(point, 0);
      _exit(in_child() ? 0 : 1);
    }
    waitpid(child, &status, 0);
  }
  goes_on = true;
  other.join();
  testing::fail_at(point, 0);
  EXPECT_EQ(status, 0) << "call " << k;
  return stopped && status == 0;
}

bool uses_it(const World& world, const Shared& home, const Shared& there) {
  return DeviceBatch::readable(there) != nullptr && world.is_right(*there) && world.is_right(*home) &&
         world.is_right(*world.send(there, 2)) && world.is_right(*world.send(home, 2)) &&
         world.is_right(*world.send(there, 0)) && world.is_right(*world.send(home, 1));
}

constexpr BatchPart kPart{1, {0, 1}};

// Stops a thread that copies a batch, or a part of it, or the rest after a part.
u64 stops_during_copies(bool part_is_there, bool copies_part) {
  u64 k = 1;
  for (bool more = true; more; ++k) {
    for (const bool drops : {false, true}) {
      const World world;
      Shared home = world.make(), there = world.send(home, 1);
      if (part_is_there) (void)there->view(kPart);
      more = fork_at(
          fault::Point::verb, k,
          [&] {
            if (copies_part) (void)there->view(kPart);
            else (void)there->view();
          },
          [&] {
            if (!drops && !uses_it(world, home, there)) return false;
            home.reset();
            there.reset();
            return true;
          });
      EXPECT_TRUE(uses_it(world, home, there)) << "in the parent";
    }
  }
  return k;
}

TEST(ForkedBatch, IsCopiedAgainInAChildThatWasForkedInTheMiddleOfACopy) {
  EXPECT_GE(stops_during_copies(false, false), 3u);  // a download and an upload
  EXPECT_GE(stops_during_copies(false, true), 3u);
  EXPECT_GE(stops_during_copies(true, false), 4u);  // also a copy of the part
}

TEST(ForkedBatch, IsSentInAChildThatWasForkedWhileItWasSent) {
  ASSERT_TRUE(testing::allocations_are_fault_points());
  u64 k = 1;
  for (bool more = true; more; ++k) {
    const World world;
    const Shared home = world.make();
    Shared there;
    more = fork_at(
        fault::Point::alloc, k, [&] { there = world.send(home, 1); },
        [&] { return uses_it(world, home, world.send(home, 1)); });
    EXPECT_TRUE(uses_it(world, home, there)) << "in the parent";
  }
  EXPECT_GE(k, 4u);  // the list of copies, its entries, and the promise
}

}  // namespace
}  // namespace ringfort::forked_batch_test
