// SPDX-License-Identifier: Apache-2.0
// Tests that a process may exit while another of its threads opens devices and computes on them, as daemon threads of
// Python do. The destructors of static objects run during the exit.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "math/prime.h"
#include "ring/ring.h"
#include "support/devices.h"

namespace ringfort::exit_test {
namespace {

constexpr u32 kDegree = 64;
std::atomic<int> transforms{0};

void wait_for_more(int count) {
  for (const int until = transforms + count; transforms < until;)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

[[noreturn]] void compute(std::string_view device) {
  const u128 q = ntt_primes(30, kDegree, 1).take()[0];
  for (;; ++transforms) {
    const Ring ring(Device::open(device), Plan{kDegree, Word::u64, {q}});
    (void)ring.forward(Stream{}, ring.make<Coeff>(1));
  }
}

// Overwrites freed memory, so that its use is noticed.
void spoil_freed_memory() {
  for (std::size_t bytes = 16; bytes <= std::size_t{2} << 20; bytes *= 2)
    for (int i = 0; i < 2; ++i) std::fill_n(new u8[bytes], bytes, u8{0xFF});
}

// Registered first, and therefore called after the destructors of the static objects of the library.
[[maybe_unused]] const int registered = std::atexit([] {
  if (transforms == 0) return;
  spoil_freed_memory();
  wait_for_more(4);
});

[[noreturn]] void exit_while_a_thread_computes(std::string_view device) {
  alarm(60);
  std::thread(compute, device).detach();
  wait_for_more(4);
  std::exit(0);
}

TEST(ExitDeathTest, AllDevicesComputeWhileTheProcessExits) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the function runs in a new process
  for (const std::string_view device : testing::all_devices())
    EXPECT_EXIT(exit_while_a_thread_computes(device), ::testing::ExitedWithCode(0), "") << device;
}

}  // namespace
}  // namespace ringfort::exit_test
