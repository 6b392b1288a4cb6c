// SPDX-License-Identifier: Apache-2.0
// The table of cycles: for each of five kernels, its cycles per coefficient, word, butterfly or transform on one DPU,
// and the limit that the design sets. Each value is computed from the difference of two runs with different lengths. In
// the difference, the costs of start and end cancel. The values are the same on every machine. hw/pim/README.md
// explains the terms.
#pragma once

#include "accumulate_run.h"
#include "barrett_run.h"
#include "ntt_run.h"
#include "tensor_run.h"
#include "sim/words.h"

namespace ringfort::pim::testing {

inline double elementwise_cycles(const std::string& path, ElementwiseVerb verb, const Timing& timing) {
  constexpr u32 kWords = 32768, kBytes = 2 * kWords * 4;
  const bool narrow = verb == kMultiply24 || verb == kMultiplyAdd24 || verb == kMultiplyScalar24;
  // check-magic: 16580609 == ntt_prime(24, 2**15)
  // check-magic: 1073479681 == ntt_prime(30, 2**15)
  const u32 q = narrow ? 16580609 : 1073479681;
  KernelRun run(path, timing);
  std::vector<u32> words(2 * kWords);
  for (u32 i = 0; i < words.size(); ++i) words[i] = (i * 2654435761u) % q;
  for (u32 operand = 0; operand < 3; ++operand) run.put(operand * kBytes, words);
  u64 cycles[2];
  for (u32 multiple : {1u, 2u}) {
    const u32 scalar = verb == kMultiplyByte ? 201 : q / 3;
    run.set_arguments(with_byte_quotient(
        {static_cast<u32>(verb), q, multiple * kWords, scalar, 0, kBytes, 2 * kBytes, 3 * kBytes, 0, 0}));
    cycles[multiple - 1] = run.launch().cycles;
  }
  return static_cast<double>(cycles[1] - cycles[0]) / kWords;
}

// Returns the cycles of a transform, computed from batches of one and two polynomials.
inline double transform_cycles(const std::string& path, const Transform& t, NttVerb verb, const Timing& timing) {
  KernelRun run(path, timing);
  u64 cycles[2];
  for (u32 multiple : {1u, 2u}) {
    std::vector<u32> words(multiple * t.n());
    for (u32 i = 0; i < words.size(); ++i) words[i] = (i * 2654435761u) % t.q;
    cycles[multiple - 1] = run_transform(run, t, verb, words).cycles;
  }
  return static_cast<double>(cycles[1] - cycles[0]);
}

// Returns the cycles per value of a tensor product, for its three components together, computed from runs with 16384
// and 32768 values.
inline double tensor_cycles(const std::string& path, unsigned prime_bits, const Timing& timing) {
  constexpr u32 kWords = 16384;
  const u32 q = prime_below(u64{1} << prime_bits, 1u << 16);
  KernelRun run(path, timing);
  std::vector<u32> out;
  u64 cycles[2];
  for (u32 multiple : {1u, 2u}) {
    const std::vector<u32> words(multiple * kWords, q / 3);
    cycles[multiple - 1] = run_tensor(run, q, {words, words, words, words}, out).cycles;
  }
  return static_cast<double>(cycles[1] - cycles[0]) / kWords;
}

// Returns the cycles of a product of 60-bit residues, computed from runs with 4096 and 8192 products.
inline double barrett_cycles(const std::string& path, const Timing& timing) {
  constexpr u32 kWords = 4096;
  const u64 q = (u64{1} << 60) - 16383;
  KernelRun run(path, timing);
  std::vector<u64> out;
  u64 cycles[2];
  for (u32 multiple : {1u, 2u}) {
    const std::vector<u64> words(multiple * kWords, q / 3);
    cycles[multiple - 1] = run_barrett(run, kProduct60, q, {words, words, {}}, out).cycles;
  }
  return static_cast<double>(cycles[1] - cycles[0]) / kWords;
}

// Returns the cycles per input word, computed from runs with 64 and 128 rows of 4096 words.
inline double accumulate_cycles(const std::string& path, const Timing& timing) {
  constexpr u32 kWords = 4096, kRows = 64;
  KernelRun run(path, timing);
  std::vector<u32> out;
  u64 cycles[2];
  for (u32 multiple : {1u, 2u})
    cycles[multiple - 1] = run_accumulate(run, prime_below(1u << 30, 1u << 16), kWords,
                                          std::vector<u32>(multiple * kRows * kWords, 12345), out)
                               .cycles;
  return static_cast<double>(cycles[1] - cycles[0]) / (kRows * kWords);
}

inline double butterflies(const Transform& t) { return t.n() / 2.0 * t.log_n; }

struct CycleRow {
  std::string name;
  std::string unit;
  double value;
  double budget;
};

struct KernelPaths {
  std::string elementwise, ntt, accumulate, tensor, barrett;
};

// Returns the rows PREFIX + "add32" and so on, with cycles counted by the model `timing`. The cycles of a butterfly are
// those of a transform, with its transfers and barriers, divided by the number of butterflies.
inline std::vector<CycleRow> cycle_rows(const KernelPaths& paths, const Timing& timing, const std::string& prefix) {
  const auto vector = [&](ElementwiseVerb verb) { return elementwise_cycles(paths.elementwise, verb, timing); };
  const auto butterfly = [&](unsigned bits) {
    const Transform t = make_transform(bits, 12);
    return transform_cycles(paths.ntt, t, kForward, timing) / butterflies(t);
  };
  return {
      {prefix + "add32", "cycles/coefficient", vector(kAdd), 9},
      {prefix + "accumulate", "cycles/word", accumulate_cycles(paths.accumulate, timing), 3.2},
      {prefix + "scalar8", "cycles/coefficient", vector(kMultiplyByte), 27},
      {prefix + "mont30", "cycles/coefficient", vector(kMultiply30), 65},
      {prefix + "mont24", "cycles/coefficient", vector(kMultiply24), 42},
      {prefix + "tensor30", "cycles/coefficient", tensor_cycles(paths.tensor, 30, timing), 255},
      {prefix + "tensor24", "cycles/coefficient", tensor_cycles(paths.tensor, 24, timing), 160},
      {prefix + "paper60", "cycles/coefficient", barrett_cycles(paths.barrett, timing), 1560},
      {prefix + "butterfly30", "cycles/butterfly", butterfly(30), 76},
      {prefix + "butterfly24", "cycles/butterfly", butterfly(24), 53},
  };
}

// Returns milliseconds per transform on one DPU at 350 MHz. The time includes the issue slots that DMA takes.
inline std::vector<CycleRow> transform_rows(const KernelPaths& paths) {
  std::vector<CycleRow> rows;
  const auto add = [&](const char* name, unsigned bits, u32 log_n, double budget) {
    const double cycles = transform_cycles(paths.ntt, make_transform(bits, log_n), kForward, {});
    rows.push_back({std::string("pim/ntt/") + name, "ms", cycles / (kV1A.clock_mhz * 1e3), budget});
  };
  add("n4096/q30", 30, 12, 5.4);
  add("n4096/q24", 24, 12, 3.8);
  add("n8192/q30", 30, 13, 11.6);
  add("n8192/q24", 24, 13, 8.0);
  return rows;
}

inline Timing without_stealing() { return {.bytes_per_stolen_slot = 0}; }

}  // namespace ringfort::pim::testing
