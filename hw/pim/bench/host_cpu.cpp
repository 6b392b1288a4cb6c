// SPDX-License-Identifier: Apache-2.0
// Measures the processor time of operations on the CPU (host_cpu.h). The operations modulo a 60-bit prime, in 64-bit
// words, are sums, products, butterflies (a + w b and a - w b) and sums of rows. Products use Barrett's reduction with
// 128-bit words [Barrett86]. The operations modulo 2^16 + 1 are sums, products and schoolbook convolutions. A row has
// the least, median and largest time of several repetitions.
#include "host_cpu.h"

#include <algorithm>
#include <ctime>
#include <thread>

#include "dv/reference.h"
#include "sim/words.h"

namespace ringfort::pim::bench {
namespace {

using u128 = unsigned __int128;

// check-magic: 1152921504606683137 == ntt_prime(60, 2**12, 2)
constexpr u64 kQ = 1152921504606683137;
constexpr u64 kMu = static_cast<u64>((u128{1} << 120) / kQ);

u64 sum_mod(u64 a, u64 b) {
  const u64 sum = a + b;
  return sum >= kQ ? sum - kQ : sum;
}

u64 product_mod(u64 a, u64 b) {
  const u128 product = static_cast<u128>(a) * b;
  const u64 quotient = static_cast<u64>((static_cast<u128>(static_cast<u64>(product >> 59)) * kMu) >> 61);
  u64 r = static_cast<u64>(product) - quotient * kQ;
  r -= r >= kQ ? kQ : 0;
  return r - (r >= kQ ? kQ : 0);
}

// Divides the numbers 0 .. count - 1 into `threads` ranges, and runs body(first, end) for each range on its own thread.
template <class Body>
void in_ranges(u32 threads, std::size_t count, Body body) {
  std::vector<std::thread> others;
  for (u32 t = 1; t < threads; ++t) others.emplace_back([=] { body(count * t / threads, count * (t + 1) / threads); });
  body(std::size_t{0}, count / threads);
  for (auto& other : others) other.join();
}

struct Measured {
  double least, median, most;
};

// Returns the processor time of this process in milliseconds.
double processor_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

// Returns the smallest, median and largest time of a run on `threads` threads in milliseconds. A time is the processor
// time divided by the number of threads. Wall time would include the time of other programs on the machine.
template <class Run>
Measured measure(int repetitions, u32 threads, Run run) {
  std::vector<double> ms;
  run();
  for (int i = 0; i < repetitions; ++i) {
    const double start = processor_ms();
    run();
    ms.push_back((processor_ms() - start) / threads);
  }
  std::sort(ms.begin(), ms.end());
  return {ms.front(), ms[ms.size() / 2], ms.back()};
}

void add_row(const Setting& setting, const std::string& name, const Measured& ms, double units, const char* unit,
             u32 threads) {
  const Params params = Params().set("time", "measured here").set("threads", threads).set("count", units);
  const double scale = 1e6 / units;
  setting.rows->add_spread("pim/host-cpu/" + name + "/threads" + std::to_string(threads), unit,
                           {ms.least * scale, ms.median * scale, ms.most * scale}, params);
}

// Measures out[i] = combine(a[i], b[i]).
template <class Word, class Combine>
void vector(const Setting& setting, const char* name, u32 threads, u64 q, Combine combine) {
  const std::size_t count = (setting.quick ? 1u << 24 : 1u << 26) / sizeof(Word);
  std::vector<Word> a(count), b(count), out(count);
  for (std::size_t i = 0; i < count; ++i)
    a[i] = static_cast<Word>(i * 0x9e3779b97f4a7c15 % q), b[i] = static_cast<Word>(i * 0xd6e8feb86659fd93 % q);
  const auto ms = measure(setting.quick ? 5 : 15, threads, [&] {
    in_ranges(threads, count, [&](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) out[i] = static_cast<Word>(combine(a[i], b[i]));
    });
  });
  add_row(setting, name, ms, static_cast<double>(count), "ns/coefficient", threads);
}

void vectors(const Setting& setting, u32 threads) {
  constexpr u64 kShort = 65537;
  vector<u32>(setting, "add17", threads, kShort, [](u32 a, u32 b) { return (a + b) % kShort; });
  vector<u32>(setting, "multiply17", threads, kShort, [](u32 a, u32 b) { return u64{a} * b % kShort; });
  vector<u64>(setting, "add60", threads, kQ, sum_mod);
  vector<u64>(setting, "multiply60", threads, kQ, product_mod);
  vector<u64>(setting, "butterfly60", threads, kQ, [](u64 a, u64 b) {
    const u64 product = product_mod(b, kMu % kQ);
    return sum_mod(a, product) ^ sum_mod(a, kQ - product);  // combines both results, so that one vector is enough
  });
}

void check_products() {
  for (u64 i = 1; i < 1000; ++i) {
    const u64 a = i * 0x9e3779b97f4a7c15 % kQ, b = kQ - i;
    if (product_mod(a, b) != testing::product_mod(a, b, kQ)) throw std::runtime_error("a product of this CPU is wrong");
  }
}

// Measures the sum of the rows of a matrix.
void row_sums(const Setting& setting, u32 threads) {
  constexpr std::size_t kRows = 256;
  const std::size_t words = setting.quick ? 8192 : 32768;
  std::vector<u64> rows(kRows * words, 12345), out(words);
  const auto ms = measure(setting.quick ? 5 : 15, threads, [&] {
    in_ranges(threads, words, [&](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) out[i] = 0;
      for (std::size_t r = 0; r < kRows; ++r) {
        for (std::size_t i = first; i < end; ++i) out[i] = sum_mod(out[i], rows[r * words + i]);
      }
    });
  });
  add_row(setting, "accumulate60", ms, static_cast<double>(kRows * words), "ns/word", threads);
}

void convolution(const Setting& setting, u32 threads) {
  const std::size_t n = setting.quick ? 2048 : 8192;
  constexpr u64 kShort = 65537;
  std::vector<u32> a(n), b(2 * n), out(n);
  for (std::size_t i = 0; i < n; ++i)
    a[i] = static_cast<u32>(i * 40503 % kShort), b[n + i] = static_cast<u32>(i * 60493 % kShort),
    b[i] = static_cast<u32>((kShort - b[n + i]) % kShort);
  const auto ms = measure(setting.quick ? 3 : 7, threads, [&] {
    in_ranges(threads, n, [&](std::size_t first, std::size_t end) {
      for (std::size_t k = first; k < end; ++k) {
        u64 sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += u64{a[i]} * b[n + k - i];
        out[k] = static_cast<u32>(sum % kShort);
      }
    });
  });
  add_row(setting, "convolution17", ms, static_cast<double>(n) * static_cast<double>(n), "ns/product", threads);
}

void all(const Setting& setting) {
  check_products();
  const u32 cores = std::max(1u, std::thread::hardware_concurrency());
  for (u32 threads : {1u, cores}) {
    vectors(setting, threads);
    row_sums(setting, threads);
    convolution(setting, threads);
    if (cores == 1) break;
  }
}

}  // namespace

std::vector<Experiment> host_measurements() { return {{"host-cpu", all}}; }

}  // namespace ringfort::pim::bench
