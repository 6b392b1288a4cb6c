// SPDX-License-Identifier: Apache-2.0
// The sections of a run of gpu-bench on a GPU. A section ends if the report says that its time is over (is_cut).
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
  std::filesystem::path digests;  // file of the known answers of `ref`; empty: this run computes them
  double seconds = 540;           // for all sections together
  bool quick = false;             // small sizes and few repetitions only
  bool pretends = false;          // treats a device without times as one that measures times
  u32 largest_log = 17;           // log2 of the largest transform in the section of answers

  // Returns the device's name with one more option, such as "emu:ntt=naive" for "emu" and "emu:0,ntt=naive" for
  // "emu:0". Without an option, returns the device's name.
  [[nodiscard]] std::string device_with(const std::string& option) const {
    return option.empty() ? device : device + (device.find(':') == std::string::npos ? ':' : ',') + option;
  }
};

// 1. Compares results of verbs with those of `ref`, for words of 32 and 64 bits and for every size (answers.cpp). Rows:
//    answers/{right,wrong,kernels,kernels_never_launched}. Notes: answers.txt.
void check_answers(Opened& gpu, const Options& options, Report& report);
// Computes the answers of `ref` into a file, one line "DIGEST NAME" for each.
void write_digests(const Options& options);

// 2. Runs this program with the smallest sizes under compute-sanitizer, a tool for GPUs of NVIDIA.
//    Rows: sanitizer/{racecheck,memcheck}. Notes: sanitizer.txt.
void run_sanitizer(const Options& options, Report& report);

// 3. Measures the rates of the device. Rows: rate/.., memory/.., exchange/.., launch/.., event/.., allocate/.., copy/..
void measure_rates(Opened& gpu, const Options& options, Report& report);

// 4. Measures transforms of several sizes, lengths of primes and batches. Rows: ntt/{forward,inverse}/n../q../b..
void measure_transforms(Opened& gpu, const Options& options, Report& report);

// 5. to 7. Measure the variants of transforms, reductions and products of polynomials that publications compare. Rows:
//    variant/.., reduction/.., product/.. (notes in variants.txt).
void measure_variants(Opened& gpu, const Options& options, Report& report);
void measure_reductions(Opened& gpu, const Options& options, Report& report);
void measure_products(Opened& gpu, const Options& options, Report& report);

// 8. Measures five routines of CKKS with several kinds of transforms and with several callers. Rows: routine/STEP/..
void measure_routines(const Opened& gpu, const Options& options, Report& report);

// 9. Measures encrypted products of matrices. Rows: matmul/STEP/..
void measure_matmul(const Opened& gpu, const Options& options, Report& report);

// 10. Measures operations of CKKS, copies, the memory cache, and several callers. Rows: ckks/n../D+S/..
void measure_operations(const Opened& gpu, const Options& options, Report& report);

// Returns the name of the row of the largest copies. The arrays of these copies exceed the caches. Therefore the row
// gives the bandwidth of the device's memory.
[[nodiscard]] inline std::string largest_copy(const Options& options) {
  return options.quick ? "memory/copy/1MiB" : "memory/copy/1024MiB";
}

// Returns samples of the device's time for one call, in microseconds. A sample has so many calls that it takes about
// 2 ms or more, but at most 65,536 calls.
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
