// SPDX-License-Identifier: Apache-2.0
// Tests the use of parts of batches of polynomials on another device. In random sequences, each part must have the
// residues of the first device, and nothing may move twice. Small parts must take little memory. A failure must change
// nothing.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <thread>

#include "math/prime.h"
#include "ringfort/error.h"
#include "runtime/device_batch.h"
#include "support/allocation.h"

namespace ringfort {
namespace {

constexpr u32 kDegree = 8, kBatch = 6, kLimbs = 5;
constexpr std::size_t kPolynomialBytes = std::size_t{kLimbs} * kDegree * sizeof(u64);

class MovedBatch {
 public:
  explicit MovedBatch(const char* device = "ref") : words_(std::size_t{kBatch} * kLimbs * kDegree) {
    const std::vector<u128> primes = ntt_primes(30, kDegree, kLimbs).take();
    const Plan plan{kDegree, Word::u64, primes};
    const std::array names = {"cpu", device};
    for (std::size_t i = 0; i < device_plans_.size(); ++i) {
      device_plans_[i].device = Device::open(names[i]);
      device_plans_[i].plan = device_plans_[i].device->prepare(plan);
    }
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = 7 * i + 1;
    home_ = std::make_shared<DeviceBatch>(device_plans_[0],
                                          BatchShape{kBatch, {0, kLimbs}, std::size_t{kLimbs} * kDegree, sizeof(u64)});
    device_plans_[0].device->run({}, verb::Upload{home_->view(), Domain::evaluation, words_.data()});
    away_ = DeviceBatch::on_device(home_, device_plans_[1], Domain::evaluation);
    before_ = there().memory().use().used;
    device_plans_[1].device->profile(profiler_);
  }
  [[nodiscard]] DeviceBatch& away() { return *away_; }
  [[nodiscard]] const Device& there() const { return *device_plans_[1].device; }
  [[nodiscard]] std::size_t bytes_used() const { return there().memory().use().used - before_; }
  void end_home() { home_.reset(); }

  // Tells whether a view has the right words for the part.
  [[nodiscard]] bool is_right(const View& view, const BatchPart& part) const {
    std::vector<u64> found(std::size_t{part.batch} * part.limbs.count * kDegree), expected;
    there().profile(nullptr);
    there().run({}, verb::Download{view, Domain::evaluation, found.data()});
    there().synchronize({});
    there().profile(profiler_);
    for (u32 p = 0; p < part.batch; ++p) {
      const auto from = words_.begin() + (std::size_t{p} * kLimbs + part.limbs.first) * kDegree;
      expected.insert(expected.end(), from, from + std::ptrdiff_t{part.limbs.count} * kDegree);
    }
    return found == expected;
  }
  [[nodiscard]] std::size_t bytes_uploaded() const {
    std::size_t bytes = 0;
    for (const VerbEvent& event : profiler_->events()) bytes += event.verb == "upload" ? event.bytes : 0;
    return bytes;
  }

 private:
  std::array<DevicePlan, 2> device_plans_;
  std::vector<u64> words_;
  std::shared_ptr<DeviceBatch> home_, away_;
  std::size_t before_ = 0;
  std::shared_ptr<Profiler> profiler_ = std::make_shared<Profiler>();
};

TEST(BatchPart, RandomPartsHaveTheirWordsAndNoWordMovesTwice) {
  std::mt19937_64 random(3);
  std::size_t in_parts = 0;
  for (int trial = 0; trial < 200; ++trial) {
    MovedBatch moved(trial % 2 == 0 ? "ref" : "emu:0");
    std::vector<std::pair<View, BatchPart>> views;
    for (int i = 0; i < 4; ++i) {
      const u32 first = static_cast<u32>(random() % kLimbs);
      const BatchPart part{static_cast<u32>(1 + random() % kBatch),
                           {first, static_cast<u32>(1 + random() % (kLimbs - first))}};
      views.emplace_back(moved.away().view(part), part);
      in_parts += moved.away().is_here() ? 0 : 1;
      if (random() % 4 == 0) moved.end_home();
      for (const auto& [view, of] : views) ASSERT_TRUE(moved.is_right(view, of)) << "trial " << trial;
    }
    const BatchPart whole{kBatch, {0, kLimbs}};
    ASSERT_TRUE(moved.is_right(moved.away().view(), whole));
    EXPECT_EQ(moved.bytes_uploaded(), kBatch * kPolynomialBytes);
    for (const auto& [view, of] : views) ASSERT_TRUE(moved.is_right(view, of)) << "an older view";
  }
  EXPECT_GT(in_parts, 100u);
}

TEST(BatchPart, ASmallPartMovesAndTakesItsOwnWordsOnly) {
  MovedBatch moved;
  const BatchPart part{2, {0, 3}}, inside{1, {1, 2}};
  EXPECT_TRUE(moved.is_right(moved.away().view(part), part));
  const std::size_t bytes = std::size_t{2} * 3 * kDegree * sizeof(u64);
  EXPECT_EQ(moved.bytes_uploaded(), bytes);
  EXPECT_EQ(moved.bytes_used(), bytes);
  EXPECT_TRUE(moved.is_right(moved.away().view(inside), inside));
  EXPECT_EQ(moved.bytes_uploaded(), bytes) << "these words were there";
  EXPECT_FALSE(moved.away().is_here());

  MovedBatch others;
  const BatchPart most{4, {0, 4}};
  EXPECT_TRUE(others.is_right(others.away().view(most), most));
  EXPECT_TRUE(others.away().is_here()) << "more than half of the batch";
}

TEST(BatchPart, AFailedMoveChangesNothing) {
  for (const auto point : {fault::Point::verb, fault::Point::alloc}) {
    u64 k = 1;
    for (bool met = true; met; ++k) {
      MovedBatch moved;
      const BatchPart part{1, {0, 2}}, more{3, {0, 4}};
      testing::fail_at(point, k);
      bool failed = false;
      try {
        (void)moved.away().view(part);
        (void)moved.away().view(more);
      } catch (const Error& error) {
        failed = true;
        EXPECT_TRUE(error.code() == Code::device_lost || error.code() == Code::out_of_memory) << error.what();
      } catch (const std::bad_alloc&) { failed = true; }
      met = testing::calls_at(point) >= k;
      testing::fail_at(point, 0);
      EXPECT_EQ(moved.away().is_here(), !failed);
      EXPECT_TRUE(moved.is_right(moved.away().view(part), part)) << "second attempt";
      EXPECT_TRUE(moved.is_right(moved.away().view(more), more)) << "second attempt";
    }
    EXPECT_GE(k, 8u);
  }
}

TEST(BatchPart, ThreadsThatAskForDifferentPartsMoveEachWordOnce) {
  for (int round = 0; round < 10; ++round) {
    MovedBatch moved;
    std::array<std::pair<View, BatchPart>, 8> found;
    std::vector<std::thread> threads;
    for (u32 i = 0; i < found.size(); ++i) {
      threads.emplace_back([&, i] {
        const BatchPart part{1 + i % kBatch, {i % 2, 2 + i % 3}};
        found[i] = {moved.away().view(part), part};
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(moved.bytes_uploaded(), kBatch * kPolynomialBytes);
    for (const auto& [view, part] : found) EXPECT_TRUE(moved.is_right(view, part));
  }
}

}  // namespace
}  // namespace ringfort
