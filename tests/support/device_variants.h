// SPDX-License-Identifier: Apache-2.0
// Runs the variants of transforms on a driver of GPUs, and compares their results with those of backend/ref. A variant
// is a schedule (the division of a transform into launches) and a reduction modulo q (backend/device/variants.h).
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "backend/device/variant_batch.h"
#include "backend/ref/arithmetic.h"
#include "math/prime.h"

namespace ringfort::testing {

template <class W>
void expect_variant(device::Driver& driver, const device::Schedule& schedule, const device::ReductionFacts& reduction,
                    u32 log_n, u32 polynomials) {
  SCOPED_TRACE(std::string(schedule.name) + " " + std::string(reduction.name) + ", words of " +
               std::to_string(sizeof(W)) + " bytes, log n = " + std::to_string(log_n));
  const u32 n = 1u << log_n;
  const W q = static_cast<W>(ntt_primes(device::kBits<W> - reduction.spare_bits, n, 1).value()[0]);
  const W psi = static_cast<W>(minimal_root(q, n).value());
  std::mt19937_64 random(log_n);
  std::vector<W> words(std::size_t{polynomials} << log_n), found;
  for (W& each : words) each = static_cast<W>(random() % 8 == 0 ? q - 1 : random() % q);
  std::vector<W> expected = words;
  const std::vector<W> powers = ref::reversed_powers(psi, n, q);
  for (u32 p = 0; p < polynomials; ++p) ref::forward(expected.data() + (std::size_t{p} << log_n), n, powers, q);
  device::VariantBatch<W> batch(driver, schedule, reduction, log_n, polynomials);
  ASSERT_EQ(batch.prepare(q, psi), Status::ok);
  ASSERT_EQ(batch.write(words), Status::ok);
  ASSERT_EQ(batch.transform(true), Status::ok);
  ASSERT_EQ(batch.read(found), Status::ok);
  EXPECT_TRUE(found == expected) << "forward";
  ASSERT_EQ(batch.transform(false), Status::ok);
  ASSERT_EQ(batch.read(found), Status::ok);
  EXPECT_TRUE(found == words) << "inverse";
  EXPECT_EQ(driver.error(), "");
}

// Runs every schedule with every reduction that the schedule accepts. The transforms are long enough to need all of a
// schedule's kinds of launches. Some schedules need sub-groups (lanes that exchange registers), and others need
// clusters (blocks that access each other's shared memory). A driver that lacks these must refuse the schedules that
// need them.
inline void expect_all_variants(device::Driver& driver, bool has_shuffles = true) {
  const bool is_whole = std::getenv("RINGFORT_COUNTS") != nullptr;
  using Kind = device::Schedule::Kind;
  const bool has_clusters = driver.facts().cluster_blocks > 1;
  u32 tried = 0;
  for (const device::Schedule& schedule : device::schedules()) {
    const u32 log_n = std::max(13u, schedule.least_log());
    if ((schedule.kind == Kind::shuffle && !has_shuffles) || (schedule.kind == Kind::cluster && !has_clusters)) {
      device::VariantBatch<u32> batch(driver, schedule, *device::find_reduction("harvey"), log_n, 1);
      EXPECT_EQ(batch.prepare(1073692673, 2), Status::unsupported) << schedule.name;
      continue;
    }
    for (const device::ReductionFacts& reduction : device::reductions()) {
      // a normal run of the tests tries all reductions with only one schedule, and each variant with one word, because
      // the driver must compile every kernel
      const bool is_tried = is_whole || schedule.name == "naive" || reduction.reduction == device::Reduction::harvey;
      if (!is_tried || !schedule.takes(reduction)) continue;
      const bool is_even = tried++ % 2 == 0;
      if (is_whole || is_even) expect_variant<u32>(driver, schedule, reduction, log_n, 2);
      if (is_whole || !is_even) expect_variant<u64>(driver, schedule, reduction, log_n, 2);
    }
  }
}

}  // namespace ringfort::testing
