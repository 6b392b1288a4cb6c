// SPDX-License-Identifier: Apache-2.0
// The sections of a run on a GPU. Each reads the clock of the report, and ends when it is over.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/gpu/opened.h"
#include "bench/gpu/report.h"

namespace ringfort::bench::gpu {

struct Options {
  std::string device = "cuda:0";
  std::filesystem::path out;      // folder of the results
  std::filesystem::path digests;  // known answers of `ref`; empty: computed here
  double seconds = 540;           // of all sections
  bool quick = false;             // small sizes and few repetitions only
  bool pretends = false;          // takes the paths of a device with times on one that has none
  u32 largest_log = 17;           // of transforms in the section of answers
};

// 1. Every verb on every kernel, word and size against the results of `ref`: rows answers/{right,wrong,refused}, notes
// in answers.txt.
void check_answers(Opened& gpu, const Options& options, Report& report);
// Computes the answers of `ref` into a file, one line "DIGEST NAME" for each.
void write_digests(const Options& options);

// 2. compute-sanitizer on this program with the smallest sizes: rows sanitizer/{racecheck,memcheck}, notes in
// sanitizer.txt. Devices of other makers have no such tool.
void run_sanitizer(const Options& options, Report& report);

// 3. The device's own rates: rows rate/.., memory/.., exchange/.., launch/.., copy/...
void measure_rates(Opened& gpu, const Options& options, Report& report);

// 4. Transforms by size, word and batch: rows ntt/{forward,inverse}/n../q../b...
void measure_transforms(Opened& gpu, const Options& options, Report& report);

// 5. Operations of CKKS, copies, the memory cache, and several callers: rows ckks/n../D+S/...
void measure_operations(const Opened& gpu, const Options& options, Report& report);

// The row of the largest footprint, at which copies have the bandwidth of the device's memory.
[[nodiscard]] inline std::string largest_copy(const Options& options) {
  return options.quick ? "memory/copy/1MiB" : "memory/copy/1024MiB";
}

// Returns microseconds of the device for one call, several samples. Repeats the call until a sample takes 2 ms.
template <class Call>
[[nodiscard]] std::vector<double> device_us(const Device& device, bool quick, Call call) {
  constexpr double kLeast = 2e3;
  const unsigned samples = quick ? 3 : 11;
  Backend& backend = device.backend();
  const auto sample = [&](u64 calls) {
    Ticket begin = backend.mark({});
    for (u64 i = 0; i < calls; ++i) call();
    Ticket end = backend.mark({});
    device.synchronize({});
    backend.resolve(begin);
    backend.resolve(end);
    return end.us - begin.us;
  };
  u64 calls = 1;
  for (double us = sample(1); us < kLeast && calls < 1u << 16; us = sample(calls)) calls *= 2;  // also warms up
  std::vector<double> found;
  for (unsigned i = 0; i < samples; ++i) found.push_back(sample(calls) / static_cast<double>(calls));
  return found;
}

}  // namespace ringfort::bench::gpu
