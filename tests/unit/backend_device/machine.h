// SPDX-License-Identifier: Apache-2.0
// A device with buffers. Tests use it to run the same verbs on the emulated device and on `ref`.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "backend/device/backend.h"
#include "backend/device/emu/catalog.h"
#include "backend/device/emu/driver.h"
#include "backend/ref/ref.h"
#include "math/prime.h"

namespace ringfort::testing {

struct Setting {
  Word word;
  u32 bits;  // length of its primes
};
inline constexpr Setting kSettings[] = {{Word::u32, 30}, {Word::u32, 31}, {Word::u64, 62}};

inline std::shared_ptr<Backend> emulated(const emu::Options& options) {
  return device::make(emu::open(0, emu::find_kernel, options));
}

// One device. Its buffers have kBatch polynomials each, of a plan with three limbs.
struct Machine {
  static constexpr u32 kBuffers = 3, kBatch = 3, kLimbs = 3;

  Machine(std::shared_ptr<Backend> of, const Setting& setting, u32 n) : backend(std::move(of)) {
    EXPECT_EQ(backend->prepare({n, setting.word, ntt_primes(setting.bits, n, kLimbs).value()}, plan), Status::ok);
    bytes = std::size_t{kBatch} * kLimbs * n * word_bytes(setting.word);
    for (DeviceBuffer*& each : buffers)
      EXPECT_EQ(backend->allocate(bytes, Contents::zeroed, Privacy::open, each), Status::ok);
  }
  ~Machine() {
    for (DeviceBuffer* each : buffers) backend->release(each, false);
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  Status run(u32 stream, const Verb& verb) const { return backend->run({stream}, {&verb, 1}, {}); }
  View view(u32 buffer, Limbs limbs = {0, kLimbs}, u32 batch = kBatch) const {
    const View all{plan.get(), buffers[buffer], 0, {0, kLimbs}, batch, kLimbs};
    return all.in(limbs);
  }
  // Returns the words of all buffers.
  std::vector<std::vector<std::byte>> fetch() const {
    std::vector<std::vector<std::byte>> words(kBuffers, std::vector<std::byte>(bytes));
    for (u32 i = 0; i < kBuffers; ++i) {
      EXPECT_EQ(run(i, verb::Download{view(i), Domain::coefficient, words[i].data()}), Status::ok);
      EXPECT_EQ(backend->synchronize({i}), Status::ok);
    }
    return words;
  }

  std::shared_ptr<Backend> backend;
  std::shared_ptr<const PreparedPlan> plan;
  std::array<DeviceBuffer*, kBuffers> buffers{};
  std::size_t bytes = 0;
};

// Returns random canonical residues for the limbs of a view. They have the word type of the plan.
inline std::vector<std::byte> residues(const View& view, std::mt19937_64& random) {
  const Plan& plan = view.plan->plan;
  const std::size_t width = word_bytes(plan.word);
  std::vector<std::byte> words(view.words() * width);
  for (std::size_t i = 0; i < view.words(); ++i) {
    const u64 q = static_cast<u64>(plan.moduli[view.limbs.first + i / plan.n % view.limbs.count]);
    const u64 residue = i % 5 == 0 ? q - 1 : random() % q;
    std::memcpy(words.data() + i * width, &residue, width);
  }
  return words;
}

}  // namespace ringfort::testing
