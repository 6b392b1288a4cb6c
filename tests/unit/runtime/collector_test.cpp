// SPDX-License-Identifier: Apache-2.0
// Tests the class Collector, which lets verbs wait and then runs them as one sequence. The tests check when collected
// verbs run, in which order, and how long their arguments and buffers exist.
#include "runtime/collector.h"

#include <gtest/gtest.h>

#include "math/prime.h"
#include "ring/ring.h"
#include "ringfort/error.h"
#include "support/fault.h"

namespace ringfort::collector_test {
namespace {

constexpr u32 kDegree = 1024;

class Collected : public ::testing::Test {
 protected:
  Collected() : device_(Device::open("rpu")), ring_(device_, {kDegree, Word::u64, ntt_primes(50, kDegree, 2).take()}) {
    device_->profile(profiler_);
  }
  Poly<Eval> filled(u64 value) {
    Poly<Eval> poly = ring_.make<Eval>(1);
    ring_.upload({}, poly.all(), std::span<const u64>(std::vector<u64>(std::size_t{2} * kDegree, value)), staging_);
    return poly;
  }
  u64 first_word(const Poly<Eval>& poly) {
    std::vector<u64> words(std::size_t{2} * kDegree);
    ring_.download({}, poly.all(), std::span<u64>(words), staging_);
    return words[0];
  }
  [[nodiscard]] std::size_t count(std::string_view verb) const {
    std::size_t found = 0;
    for (const VerbEvent& event : profiler_->events()) found += event.verb == verb ? 1 : 0;
    return found;
  }

  std::shared_ptr<const Device> device_;
  Ring ring_;
  Staging staging_{kDegree};
  std::shared_ptr<Profiler> profiler_ = std::make_shared<Profiler>();
};

TEST_F(Collected, VerbsWaitUntilTheEndAndKeepTheirFactors) {
  const Poly<Eval> a = filled(5);
  {
    Collector collector(*device_, {});
    std::vector<u64> factors = {3, 3};
    ring_.multiply_scalar({}, a.all(), a.all(), std::span<const u64>(factors));
    factors = {0, 0};
    ring_.add({}, a.all(), a.all(), a.all());
    EXPECT_EQ(count("add"), 0u);
    collector.end();
    EXPECT_EQ(count("add"), 1u);
  }
  EXPECT_EQ(first_word(a), 30u);
}

TEST_F(Collected, ADownloadASynchronizeAndAnotherStreamRunTheWaitingVerbs) {
  const Poly<Eval> a = filled(5);
  Collector collector(*device_, {});
  ring_.add({}, a.all(), a.all(), a.all());
  EXPECT_EQ(first_word(a), 10u);
  ring_.add({}, a.all(), a.all(), a.all());
  device_->synchronize({});
  EXPECT_EQ(count("add"), 2u);
  ring_.add({}, a.all(), a.all(), a.all());
  ring_.negate(Stream{3}, a.all(), a.all());
  EXPECT_EQ(count("add"), 3u);
  collector.end();
  EXPECT_EQ(first_word(a), ring_.basis()[0].value() - 40);
}

TEST_F(Collected, ABufferThatEndsStaysUntilTheWaitingVerbsHaveRun) {
  const Poly<Eval> sum = filled(1);
  Collector collector(*device_, {});
  const std::size_t before = device_->backend().memory().used;
  {
    const Poly<Eval> short_lived = filled(6);
    ring_.add({}, sum.all(), sum.all(), short_lived.all());
  }
  EXPECT_EQ(count("add"), 0u);
  EXPECT_GT(device_->backend().memory().used, before);
  collector.end();
  EXPECT_EQ(first_word(sum), 7u);
  EXPECT_EQ(device_->backend().memory().used, before);
}

TEST_F(Collected, WordsThatNothingReadsAreNotStored) {
  const Poly<Eval> a = filled(5), scratch = filled(0);
  const auto stores = [this] {
    const auto launches = profiler_->launches();
    return std::count_if(launches.begin(), launches.end(),
                         [](const LaunchEvent& launch) { return launch.name == "store"; });
  };
  Collector collector(*device_, {});
  // Triples `a`, with `between` as intermediate result. Returns how many stores the device had made before the call.
  const auto twice = [&](const Poly<Eval>& between) {
    const auto before = stores();
    ring_.add({}, between.all(), a.all(), a.all());
    ring_.add({}, a.all(), between.all(), a.all());
    return before;
  };
  auto before = twice(ring_.make<Eval>(1));
  collector.end();
  EXPECT_EQ(stores() - before, 2);
  before = twice(scratch);
  collector.forget(scratch.all().view().buffer);
  collector.end();
  EXPECT_EQ(stores() - before, 2);
  before = twice(scratch);
  collector.forget(scratch.all().view().buffer);
  ring_.add({}, scratch.all(), scratch.all(), scratch.all());  // uses the forgotten buffer again
  collector.end();
  EXPECT_EQ(stores() - before, 4);
  EXPECT_EQ(first_word(a), 135u);
  EXPECT_EQ(first_word(scratch), 180u);
}

TEST_F(Collected, AnInnerCollectorLeavesVerbsToTheOuterOne) {
  const Poly<Eval> a = filled(2);
  Collector outer(*device_, {});
  {
    Collector inner(*device_, {});
    ring_.add({}, a.all(), a.all(), a.all());
    inner.end();
  }
  EXPECT_EQ(count("add"), 0u);
  outer.end();
  EXPECT_EQ(count("add"), 1u);
}

TEST_F(Collected, AFailureIsReportedAtTheEnd) {
  const Poly<Eval> a = filled(2);
  Collector collector(*device_, {});
  ring_.add({}, a.all(), a.all(), a.all());
  testing::fail_at(fault::Point::verb, 1);
  EXPECT_THROW(collector.end(), Error);
  testing::fail_at(fault::Point::verb, 0);
}

TEST_F(Collected, BrokenContractsAreReportedAtOnce) {
  const Poly<Eval> a = filled(2), wide = ring_.make<Eval>(2);
  Collector collector(*device_, {});
  EXPECT_THROW(ring_.add({}, a.all(), a.all(), wide.all()), Error);
  collector.end();
}

TEST(Collecting, DevicesThatDoNotGainRunVerbsAtOnce) {
  const auto device = Device::open("cpu");
  const Ring ring(device, {kDegree, Word::u64, ntt_primes(50, kDegree, 1).take()});
  const auto profiler = std::make_shared<Profiler>();
  device->profile(profiler);
  const Poly<Eval> a = ring.make<Eval>(1);
  Collector collector(*device, {});
  ring.add({}, a.all(), a.all(), a.all());
  EXPECT_EQ(profiler->events().size(), 1u);
}

}  // namespace
}  // namespace ringfort::collector_test
