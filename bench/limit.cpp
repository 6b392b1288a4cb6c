// SPDX-License-Identifier: Apache-2.0
// Measures the clock of a core and the bandwidth of memory (limit.h).
#include "bench/limit.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "base/buffer.h"
#include "bench/kernels/measure.h"

namespace ringfort::bench {
namespace {

double measured_cycles() {
  constexpr u32 kSteps = 1 << 16, kAtOnce = 16;  // makes the loop's own cost negligible
  u64 chain = 1;
  const Spread spread = measure(51, [&] {
    for (u32 i = 0; i < kSteps; i += kAtOnce) {
      for (u32 j = 0; j < kAtOnce; ++j) {
        chain += i;  // each addition waits for the previous one
        __asm__ volatile("" : "+r"(chain));
      }
    }
  });
  return kSteps / spread.min;
}

// Adds up an array with the widest loads of the processor, because narrow loads do not reach the bandwidth of a cache.
// The function has clones for several instruction sets (target_clones). It calls no function of the library, because
// clang 22 omits inline functions that only clones call.
#if defined(__x86_64__)
[[gnu::target_clones("avx512f", "avx2", "default")]]
#endif
u64 sum_of(const u64* words, std::size_t count) {
  u64 sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += words[i];
  return sum;
}

}  // namespace

double cycles_per_microsecond() {
  // measured once per process, so that every limit_share of a run refers to the same clock rate
  static const double cycles = measured_cycles();
  return cycles;
}

double bytes_per_microsecond(unsigned threads, std::size_t bytes) {
  constexpr int kPasses = 5;
  const std::size_t words = bytes / sizeof(u64) / threads, turns = std::max<std::size_t>(1, kBeyondCaches / bytes);
  const AlignedBuffer<u64> memory(words * threads);
  const auto read = [&](unsigned thread) {
    for (std::size_t turn = 0; turn < turns; ++turn) {
      u64 sum = sum_of(memory.data() + thread * words, words);
      __asm__ volatile("" : : "r"(sum) : "memory");
    }
  };
  double best = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::thread> readers;
    for (unsigned t = 1; t < threads; ++t) readers.emplace_back(read, t);
    read(0);
    for (auto& reader : readers) reader.join();
    best = std::max(best, static_cast<double>(words * threads * turns * sizeof(u64)) / microseconds_since(begin));
  }
  return best;
}

}  // namespace ringfort::bench
