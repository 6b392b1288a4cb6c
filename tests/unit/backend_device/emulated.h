// SPDX-License-Identifier: Apache-2.0
// Code that the tests of device kernels share: memory on the emulator, launches of kernels, primes at the limits of
// kernels, and patterns of residues.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "backend/device/emu/catalog.h"
#include "backend/device/emu/launch.h"
#include "backend/device/ntt_plan.h"
#include "math/prime.h"

namespace ringfort::testing {

// Device memory on the emulator, filled with words of the host. The destructor frees the memory.
template <class T>
class DeviceWords {
 public:
  DeviceWords(emu::Regions& regions, const std::vector<T>& words) : DeviceWords(regions, words.size()) {
    std::copy(words.begin(), words.end(), words_);
    regions_.mark_written(bytes(), count_ * sizeof(T));
  }
  // Allocates memory with undefined contents.
  DeviceWords(emu::Regions& regions, std::size_t count)
      : regions_(regions),
        count_(count),
        words_(static_cast<T*>(::operator new(count * sizeof(T), kAlignment))) {
    regions_.add(bytes(), count * sizeof(T));
  }
  ~DeviceWords() {
    regions_.remove(bytes());
    ::operator delete(words_, kAlignment);
  }
  DeviceWords(const DeviceWords&) = delete;
  DeviceWords& operator=(const DeviceWords&) = delete;
  [[nodiscard]] T* data() { return words_; }
  [[nodiscard]] std::vector<T> words() const { return {words_, words_ + count_}; }

 private:
  static constexpr std::align_val_t kAlignment{256};  // the alignment of memory that a driver allocates
  [[nodiscard]] std::byte* bytes() { return reinterpret_cast<std::byte*>(words_); }
  emu::Regions& regions_;
  std::size_t count_;
  T* words_;
};

// Runs a kernel from the list of the emulator's kernels. Fails the test if the emulator finds a fault.
template <class Args>
emu::Counters launch(emu::Regions& regions, const std::string& name, const device::Grid& grid, const Args& args,
                     const emu::LaunchOptions& options = {}) {
  const emu::EmuKernel* const kernel = emu::find_kernel(name);
  if (kernel == nullptr) {
    ADD_FAILURE() << "no kernel " << name;
    return {};
  }
  emu::Launch launch(kernel->name, regions, options);
  kernel->run(launch, grid, &args);
  EXPECT_TRUE(launch.is_clean()) << (launch.reports().empty() ? "" : launch.reports()[0]);
  return launch.counters();
}

// Returns the `count` largest primes below 2^bits that allow a transform of degree n.
template <class W>
std::vector<W> largest_primes(u32 bits, u32 n, std::size_t count) {
  std::vector<W> primes;
  for (const u128 q : ntt_primes(bits, n, count).value()) primes.push_back(static_cast<W>(q));
  return primes;
}

// Returns a batch of polynomials. The first polynomial is random. All residues of the second are q - 1, of the third 0,
// and of the fourth 1. Then the pattern repeats.
template <class W>
std::vector<W> patterns(u32 polynomials, const std::vector<W>& primes, u32 n, u64 seed) {
  std::mt19937_64 random(seed);
  std::vector<W> words;
  for (u32 p = 0; p < polynomials; ++p) {
    for (const W q : primes) {
      for (u32 i = 0; i < n; ++i) {
        const W some = static_cast<W>(random() % q);
        words.push_back(p % 4 == 0 ? some : p % 4 == 1 ? static_cast<W>(q - 1) : static_cast<W>(p % 4 - 2));
      }
    }
  }
  return words;
}

template <class W>
std::string word_name() {
  return sizeof(W) == 4 ? "u32" : "u64";
}

}  // namespace ringfort::testing
