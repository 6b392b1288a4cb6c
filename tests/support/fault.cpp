// SPDX-License-Identifier: Apache-2.0
// Replaces src/base/fault.cpp in programs of tests.
#include "support/fault.h"

#include <array>
#include <atomic>

namespace ringfort {

namespace {

struct Counter {
  std::atomic<std::uint64_t> calls{0};
  std::atomic<std::uint64_t> chosen{0};
  std::atomic<void (*)()> instead{nullptr};
};

std::array<Counter, fault::kPoints> counters;

Counter& counter(fault::Point point) noexcept { return counters[static_cast<std::size_t>(point)]; }

}  // namespace

bool fault::strikes(Point point) noexcept {
  Counter& at = counter(point);
  if (at.calls.fetch_add(1) + 1 != at.chosen.load()) return false;
  const auto instead = at.instead.load();
  if (instead == nullptr) return true;
  instead();
  return false;
}

void testing::fail_at(fault::Point point, std::uint64_t k) noexcept { run_at(point, k, nullptr); }

void testing::run_at(fault::Point point, std::uint64_t k, void (*instead)()) noexcept {
  counter(point).calls = 0;
  counter(point).instead = instead;
  counter(point).chosen = k;
}

std::uint64_t testing::calls_at(fault::Point point) noexcept { return counter(point).calls.load(); }

}  // namespace ringfort
