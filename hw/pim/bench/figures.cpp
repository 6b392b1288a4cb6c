// SPDX-License-Identifier: Apache-2.0
// Repeats Table II and figures 3a to 3f, 4, 5, 7 and 8 of [Mwaisela24] with the kernels of hw/pim/kernels. In a
// convolution, each DPU multiplies only its own slices of the two polynomials. The paper seems to do the same, because
// its copies take as long as copies of 3 n words: a slice of each operand and of the result for each DPU. The full
// product of two polynomials has separate rows, with cycles from the table of costs. hw/pim/README.md explains the
// terms.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bench/experiments.h"
#include "bench/kernel_cases.h"
#include "kernels/convolve.h"
#include "sdk/host/profile.h"
#include "sdk/native/native.h"
#include "sim/words.h"

namespace ringfort::pim::bench {

void add_times(const Setting& setting, const std::string& name, const Times& times, Params params) {
  params.set("profile", setting.profile).set("cycles", times.estimated ? "estimated" : "simulated");
  Rows& rows = *setting.rows;
  rows.add(name + "/dpu", "ms", times.dpu_ms, params);
  rows.add(name + "/to_dpus", "ms", times.to_ms, params);
  rows.add(name + "/from_dpus", "ms", times.from_ms, params);
  rows.add(name + "/with_copies", "ms", times.all_ms(), params);
}

namespace {

constexpr u32 kFigureDpus = 1024, kLibraryDpus = 2048;
constexpr u32 kMostConvolved = 1024;  // the simulation of longer slices would take minutes

// Returns the number of words per DPU. This number is at least 2. If the arguments are powers of two, it is also even.
u32 share_of(u32 n, u32 dpus) { return std::max(2u, (n + dpus - 1) / dpus); }

void size_sweep(const Setting& setting, const std::string& name, KernelCase (*kernel_case)(u32, u32)) {
  for (u32 log_n = 10; log_n <= 20; log_n += 2) {
    const u32 n = 1u << log_n;
    add_times(
        setting, name + "/n" + std::to_string(n),
        measure_case(setting.folder, setting.profile, kFigureDpus, kernel_case(kShortPrime, share_of(n, kFigureDpus))),
        Params().set("n", n).set("dpus", kFigureDpus).set("q", kShortPrime));
  }
}

void dpu_sweep(const Setting& setting, const std::string& name, KernelCase (*kernel_case)(u32, u32)) {
  constexpr u32 kN = 1u << 20;
  for (u32 dpus = 64; dpus <= 2048; dpus *= 2)
    add_times(setting, name + "/dpus" + std::to_string(dpus),
              measure_case(setting.folder, setting.profile, dpus, kernel_case(kShortPrime, kN / dpus)),
              Params().set("n", kN).set("dpus", dpus).set("q", kShortPrime));
}

// Returns times that are computed from the table of costs and the profile, because a simulation of long slices or whole
// products would take minutes. `pushed` is the number of words of an operand that each DPU gets.
Times convolution_from_table(const std::string& profile_name, u32 dpus, const ConvolveArguments& arguments,
                             u32 pushed) {
  const auto profile = find_profile(profile_name);
  const auto cycles = cycles_from_table(find_native("convolve")->work(&arguments));
  if (!profile || !cycles) throw std::runtime_error("no profile, or no cost of a convolution");
  const u32 ranks = (dpus + 63) / 64;
  Times times;
  times.estimated = true;
  times.to_ms = 2 * (profile->push_ms(Direction::to_dpu, pushed * 4.0, ranks) + profile->prepare_ms(dpus));
  times.from_ms = profile->push_ms(Direction::from_dpu, arguments.count * 4.0, ranks) + profile->prepare_ms(dpus);
  times.dpu_ms = profile->launch_ms(ranks) + *cycles / (kV1A.clock_mhz * 1e3);
  return times;
}

Times block_local(const Setting& setting, u32 dpus, u32 words) {
  if (words <= (setting.quick ? kMostConvolved / 2 : kMostConvolved))
    return measure_case(setting.folder, setting.profile, dpus, convolve_case(words));
  return convolution_from_table(setting.profile, dpus, {kShortPrime, words, 0, words, 0, 0, 0}, words);
}

void convolution_sizes(const Setting& setting) {
  for (u32 log_n = 10; log_n <= 18; log_n += 2) {
    const u32 n = 1u << log_n, dpus = std::min(kFigureDpus, n / kConvolveChunk);
    add_times(setting, "pim/fig3c/n" + std::to_string(n), block_local(setting, dpus, n / dpus),
              Params()
                  .set("n", n)
                  .set("dpus", dpus)
                  .set("q", kShortPrime)
                  .set("product", "block-local: partial product, as in the paper"));
    add_times(setting, "pim/fig3c-full/n" + std::to_string(n),
              convolution_from_table(setting.profile, dpus, {kShortPrime, n, 0, n / dpus, 0, 0, 0}, n),
              Params().set("n", n).set("dpus", dpus).set("q", kShortPrime).set("product", "full"));
  }
}

void convolution_dpus(const Setting& setting) {
  constexpr u32 kN = 1u << 20;
  for (u32 dpus = 64; dpus <= 2048; dpus *= 2)
    add_times(setting, "pim/fig3d/dpus" + std::to_string(dpus), block_local(setting, dpus, kN / dpus),
              Params()
                  .set("n", kN)
                  .set("dpus", dpus)
                  .set("q", kShortPrime)
                  .set("product", "block-local: partial product, as in the paper"));
}

void library_figure(const Setting& setting, const std::string& name, KernelCase (*kernel_case)(u32)) {
  for (u32 log_n : {15u, 17u, 19u, 21u, 23u}) {
    if (setting.quick && log_n != 23) continue;
    const u32 n = 1u << log_n;
    add_times(setting, name + "/n" + std::to_string(n),
              measure_case(setting.folder, setting.profile, kLibraryDpus, kernel_case(n / kLibraryDpus)),
              Params().set("n", n).set("dpus", kLibraryDpus).set("bits", 60));
  }
}

void one_iteration(const Setting& setting) {
  for (u32 log_n = 14; log_n <= 18; log_n += 2) {
    const u32 n = 1u << log_n;
    add_times(setting, "pim/fig7/n" + std::to_string(n),
              measure_case(setting.folder, setting.profile, kLibraryDpus, butterfly60_case(n / 2 / kLibraryDpus)),
              Params().set("n", n).set("dpus", kLibraryDpus).set("bits", 60));
  }
}

// Adds the times of an operation on 2^20 coefficients in 20 rows, for two ways to copy: row by row, and all rows
// together. In each way, the kernel is launched once.
void rows_of_a_library(const Setting& setting) {
  constexpr u32 kN = 1u << 20, kRows = 20;
  const Times whole = measure_case(setting.folder, setting.profile, kLibraryDpus, add60_case(kN / kLibraryDpus));
  const Params params = Params().set("n", kN).set("dpus", kLibraryDpus).set("bits", 60);
  add_times(setting, "pim/fig8-coalesced/n1048576", whole, params);
  Times rows = whole;
  const auto profile = find_profile(setting.profile);
  const double bytes = 8.0 * kN / kRows / kLibraryDpus;
  rows.to_ms = kRows * 2 * (profile->push_ms(Direction::to_dpu, bytes, 32) + profile->prepare_ms(kLibraryDpus));
  rows.from_ms = kRows * (profile->push_ms(Direction::from_dpu, bytes, 32) + profile->prepare_ms(kLibraryDpus));
  add_times(setting, "pim/fig8/n1048576", rows, Params(params).set("copies", "row by row"));
}

// Adds the rows of Table II of the paper: numbers of operations per copied word.
void operations_per_copy(const Setting& setting) {
  constexpr double kN = 1u << 16;
  const auto alpha = [&](const char* name, double operations) {
    setting.rows->add(
        std::string("pim/table2/") + name, "operations/word", operations / (3 * kN),
        Params().set("n", kN).set("words_to_dpus", 2 * kN).set("words_from_dpus", kN).set("operations", operations));
  };
  alpha("add", kN);
  alpha("multiply", kN);
  alpha("convolution", kN * kN + (kN - 1) * (kN - 1));
}

}  // namespace

std::vector<Experiment> figures() {
  return {
      {"fig3a", [](const Setting& s) { size_sweep(s, "pim/fig3a", add_case); }},
      {"fig3b", [](const Setting& s) { dpu_sweep(s, "pim/fig3b", add_case); }},
      {"fig3c", convolution_sizes},
      {"fig3d", convolution_dpus},
      {"fig3e", [](const Setting& s) { size_sweep(s, "pim/fig3e", multiply_case); }},
      {"fig3f", [](const Setting& s) { dpu_sweep(s, "pim/fig3f", multiply_case); }},
      {"fig4", [](const Setting& s) { library_figure(s, "pim/fig4", add60_case); }},
      {"fig5", [](const Setting& s) { library_figure(s, "pim/fig5", multiply60_case); }},
      {"fig7", one_iteration},
      {"fig8", rows_of_a_library},
      {"table2", operations_per_copy},
  };
}

}  // namespace ringfort::pim::bench
