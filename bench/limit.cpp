// SPDX-License-Identifier: Apache-2.0
#include "bench/limit.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

#include "base/buffer.h"
#include "bench/kernels/measure.h"

namespace ringfort::bench {
namespace {

double measured_cycles() {
  constexpr u32 kSteps = 1 << 16, kAtOnce = 16;          // so that the loop itself costs nothing beside them
  u64 chain = 1;
  const Spread spread = measure(51, [&] {
    for (u32 i = 0; i < kSteps; i += kAtOnce) {
      for (u32 j = 0; j < kAtOnce; ++j) {
        chain += i;                                      // each addition waits for the one before
        __asm__ volatile("" : "+r"(chain));
      }
    }
  });
  return kSteps / spread.min;
}

}  // namespace

double cycles_per_microsecond() {
  static const double cycles = measured_cycles();        // once a process: the shares of one run have one limit
  return cycles;
}

double bytes_per_microsecond(unsigned threads) {
  constexpr std::size_t kWords = std::size_t{1} << 25;   // 256 MiB
  constexpr int kPasses = 5;
  const AlignedBuffer<u64> memory(kWords);
  const std::size_t part = kWords / threads;
  const auto read = [&](unsigned thread) {
    const auto words = memory.span().subspan(thread * part, part);
    u64 sum = std::accumulate(words.begin(), words.end(), u64{0});
    __asm__ volatile("" : : "r"(sum));
  };
  double best = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::thread> readers;
    for (unsigned t = 1; t < threads; ++t) readers.emplace_back(read, t);
    read(0);
    for (auto& reader : readers) reader.join();
    best = std::max(best, static_cast<double>(part * threads * sizeof(u64)) / microseconds_since(begin));
  }
  return best;
}

}  // namespace ringfort::bench
