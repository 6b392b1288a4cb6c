// SPDX-License-Identifier: Apache-2.0
// Tests a wrapping device (support/counting.h). It must compute the residues of the device that it wraps, count every
// verb, and report the loss of the device at any verb.
#include <gtest/gtest.h>

#include "backend/devices.h"
#include "math/prime.h"
#include "ring/ring.h"
#include "ringfort/error.h"
#include "support/counting.h"
#include "support/devices.h"

namespace ringfort::wrapping_test {
namespace {

constexpr u32 kDegree = 64;

// Returns 2 (x + 1)^2, computed on the device.
std::vector<u64> worked(std::shared_ptr<Backend> backend) {
  const Ring ring(std::make_shared<const Device>(std::move(backend)),
                  {kDegree, Word::u64, ntt_primes(50, kDegree, 1).take()});
  Staging staging(kDegree);
  std::vector<u64> words(kDegree);
  words[0] = words[1] = 1;
  Poly<Coeff> coefficients = ring.make<Coeff>(1);
  ring.upload(Stream{}, coefficients.all(), std::span<const u64>(words), staging);
  Poly<Eval> x = ring.forward(Stream{}, std::move(coefficients));
  ring.multiply(Stream{}, x.all(), x.all(), x.all());
  ring.add(Stream{}, x.all(), x.all(), x.all());
  coefficients = ring.inverse(Stream{}, std::move(x));
  ring.download(Stream{}, coefficients.all(), std::span<u64>(words), staging);
  return words;
}

TEST(Wrapping, ADeviceThatCountsHasTheWordsOfTheWrappedDevice) {
  for (const char* name : {"ref", "cpu", "deferred:3", "deferred:4", "rpu"}) {
    if (open_backend(name) == nullptr) continue;  // this build has no simulators
    const auto counting = std::make_shared<testing::Counting>(open_backend(name));
    EXPECT_EQ(worked(counting), worked(open_backend(name))) << name;
    for (const char* verb : {"upload", "ntt", "multiply", "add", "intt", "download"})
      EXPECT_EQ(counting->count(verb), 1u) << name << " " << verb;
    EXPECT_EQ(counting->count("subtract"), 0u);
  }
}

TEST(Wrapping, ADeviceThatIsLostAtAnyVerbIsFound) {
  for (u64 lost_at = 1; lost_at <= 6; ++lost_at) {
    try {
      (void)worked(std::make_shared<testing::Counting>(open_backend("deferred:3"), lost_at));
      ADD_FAILURE() << lost_at;
    } catch (const Error& error) { EXPECT_EQ(error.code(), Code::device_lost) << lost_at; }
  }
}

}  // namespace
}  // namespace ringfort::wrapping_test
