// SPDX-License-Identifier: Apache-2.0
// Tests that secrets are wiped. The simulated vector memory, the registers and the scalar memory keep the operands of a
// computation. If a buffer is zeroed when it is released, its data in these memories must be zeroed too.
#include <gtest/gtest.h>

#include <cstring>

#include "differential/backend/device.h"
#include "support/memory_scan.h"

namespace ringfort::testing {
namespace {

// The search looks for kWords consecutive words. They are in the layout of the vector memory.
constexpr u32 kDegree = 1024, kWords = 8;
constexpr u64 kPrime = 12289;

u64 word_at(u32 i) { return (i * 7919ULL + 4242) % kPrime; }

std::vector<u8> complemented_words(u32 first) {
  std::vector<u8> bytes(kWords * sizeof(u128));
  for (u32 i = 0; i < kWords; ++i) {
    const u128 word = ~u128{word_at(first + i)};
    std::memcpy(bytes.data() + i * sizeof(u128), &word, sizeof(u128));
  }
  return bytes;
}

std::vector<u64> secret_words() {
  std::vector<u64> words(kDegree);
  for (u32 i = 0; i < kDegree; ++i) words[i] = word_at(i);
  return words;
}

TEST(Secrets, NoWordOfABufferIsLeftInTheMemoriesOnceItIsReleasedAndZeroed) {
  const TestDevice device("rpu");
  const SharedPlan plan = prepare(device, Word::u64, kDegree, {kPrime});
  const Batch<u64> a(device, plan.get(), kDegree, secret_words());
  const std::vector<u8> early = complemented_words(3), late = complemented_words(kDegree - kWords);
  for (u32 round = 0; round < 2; ++round) {
    DeviceBuffer* buffer = nullptr;
    ASSERT_EQ(device->allocate(kDegree * sizeof(u64), Contents::zeroed, Privacy::open, buffer), Status::ok);
    View out = a.view();
    out.buffer = buffer;
    ASSERT_EQ(device.run({}, verb::Add{out, a.view(), a.view()}), Status::ok);
    EXPECT_GT(occurrences_in_memory(early), 1u);  // in the vector memory and in a register
    device->release(buffer, true);
    EXPECT_EQ(occurrences_in_memory(early), 0u);
    EXPECT_EQ(occurrences_in_memory(late), 0u);
  }
}

}  // namespace
}  // namespace ringfort::testing
