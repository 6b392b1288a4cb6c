// SPDX-License-Identifier: Apache-2.0
// Tests the memory functions of src/base: aligned buffers, secrets and how they are wiped, checked sizes, and fault
// points.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "base/buffer.h"
#include "base/checked.h"
#include "base/secret.h"
#include "support/allocation.h"
#include "support/memory_scan.h"

namespace ringfort {
namespace {

static_assert(!std::is_copy_constructible_v<Secret<std::uint8_t>> && !std::is_copy_assignable_v<Secret<std::uint8_t>>);
static_assert(!std::is_copy_constructible_v<AlignedBuffer<std::uint64_t>>);

TEST(AlignedBuffer, IsAlignedAndZero) {
  for (std::size_t size : {1u, 7u, 64u, 1000u}) {
    AlignedBuffer<std::uint32_t> buffer(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0u) << "size " << size;
    EXPECT_EQ(buffer.size(), size);
    EXPECT_TRUE(std::all_of(buffer.span().begin(), buffer.span().end(), [](auto x) { return x == 0; }))
        << "size " << size;
  }
}

TEST(AlignedBuffer, OfNoElementsHoldsNoMemory) {
  AlignedBuffer<std::uint64_t> buffer(0);
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_TRUE(buffer.span().empty());
}

TEST(AlignedBuffer, MoveTakesTheMemoryAndLeavesNothing) {
  AlignedBuffer<std::uint64_t> from(3);
  from[1] = 42;
  const auto* memory = from.data();
  AlignedBuffer<std::uint64_t> to(std::move(from));
  EXPECT_EQ(to.data(), memory);
  EXPECT_EQ(to[1], 42u);
  EXPECT_EQ(from.data(), nullptr);  // NOLINT(bugprone-use-after-move): the moved-from state is the test
  EXPECT_EQ(from.size(), 0u);
  AlignedBuffer<std::uint64_t> third;
  third = std::move(to);
  EXPECT_EQ(third.data(), memory);
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
// Each buffer replaces the buffer before it. Small allocations between the buffers stay. The heap must not grow.
TEST(AlignedBuffer, SuccessiveBuffersReuseTheMemoryOfEarlierOnes) {
  constexpr std::size_t kBytes = 100000;
  std::vector<std::unique_ptr<char[]>> between;
  AlignedBuffer<std::uint8_t> last(kBytes);
  const std::size_t before = mallinfo2().arena;
  for (int times = 0; times < 100; ++times) {
    last = AlignedBuffer<std::uint8_t>(kBytes);
    between.push_back(std::make_unique<char[]>(48));
  }
  EXPECT_LT(mallinfo2().arena, before + 5 * kBytes);
}
#endif

TEST(AlignedBuffer, ASizeThatOverflowsIsRefused) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  EXPECT_THROW(AlignedBuffer<std::uint64_t>(kMost / 8 + 2), std::bad_alloc);  // 8 * size would wrap around to 8
  EXPECT_THROW(AlignedBuffer<std::uint64_t>{kMost}, std::bad_alloc);
}

TEST(Secret, StartsZeroAndIsWritable) {
  Secret<std::uint64_t> secret(5);
  for (std::uint64_t x : secret.span()) EXPECT_EQ(x, 0u);
  secret.data()[4] = 9;
  EXPECT_EQ(secret.span()[4], 9u);
}

TEST(Secret, MoveTakesTheMemory) {
  Secret<std::uint8_t> from(32);
  from.data()[0] = 1;
  const auto* memory = from.data();
  Secret<std::uint8_t> to(std::move(from));
  EXPECT_EQ(to.data(), memory);
  EXPECT_EQ(from.data(), nullptr);  // NOLINT(bugprone-use-after-move): the moved-from state is the test
  EXPECT_EQ(to.data()[0], 1);
}

TEST(Secret, ASizeThatOverflowsIsRefused) {
  EXPECT_THROW(Secret<std::uint64_t>(std::numeric_limits<std::size_t>::max() / 8 + 2), std::bad_alloc);
}

std::array<std::uint8_t, 24> complemented_pattern() {
  std::array<std::uint8_t, 24> pattern;
  for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i] = static_cast<std::uint8_t>(i * i * 37 + 11);
  return pattern;
}

void plant(std::uint8_t* memory, const std::array<std::uint8_t, 24>& complemented) {
  for (std::size_t i = 0; i < complemented.size(); ++i) {
    *static_cast<volatile std::uint8_t*>(memory + i) = static_cast<std::uint8_t>(~complemented[i]);
  }
}

TEST(Secret, NoMemoryOfTheProcessHoldsItsBytesAfterItsEnd) {
  const auto complemented = complemented_pattern();
  {
    Secret<std::uint8_t> secret(complemented.size());
    plant(secret.data(), complemented);
    EXPECT_EQ(testing::occurrences_in_memory(complemented), 1u) << "the search must find the secret while it exists";
    const Secret<std::uint8_t> moved(std::move(secret));
    EXPECT_EQ(testing::occurrences_in_memory(complemented), 1u) << "a move leaves no copy";
  }
  EXPECT_EQ(testing::occurrences_in_memory(complemented), 0u);
}

TEST(Wipe, ClearsMemoryThatNobodyReadsAgain) {
  const auto complemented = complemented_pattern();
  auto* memory = new std::uint8_t[64];
  plant(memory, complemented);
  EXPECT_EQ(testing::occurrences_in_memory(complemented), 1u);
  wipe(memory, 64);
  delete[] memory;  // a compiler would remove a plain memset before this statement
  EXPECT_EQ(testing::occurrences_in_memory(complemented), 0u);
}

TEST(Wipe, LeavesNoByteOfThePattern) {
  std::array<std::uint8_t, 257> memory;
  memory.fill(0xA5);
  wipe(memory.data(), memory.size());
  EXPECT_EQ(std::count(memory.begin(), memory.end(), 0), static_cast<long>(memory.size()));
}

TEST(Wipe, StopsAtItsLength) {
  std::array<std::uint8_t, 8> memory;
  memory.fill(0xA5);
  wipe(memory.data(), 5);
  EXPECT_EQ(memory[4], 0);
  EXPECT_EQ(memory[5], 0xA5);
}

TEST(Checked, KnowsEveryOverflow) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ((Checked(1000) * 8 + 64).value(), 8064u);
  EXPECT_TRUE((Checked(kMost) + 0).ok());
  EXPECT_FALSE((Checked(kMost) + 1).ok());
  EXPECT_FALSE((Checked(3) - 4).ok());
  EXPECT_TRUE((Checked(std::uint64_t(1) << 32) * ((std::uint64_t(1) << 32) - 1)).ok());
  EXPECT_FALSE((Checked(std::uint64_t(1) << 32) * (std::uint64_t(1) << 32)).ok());
  EXPECT_FALSE((Checked(kMost) * 2 * 0).ok()) << "an overflow must persist";
  EXPECT_TRUE((Checked(8) * 8).at_most(64));
  EXPECT_FALSE((Checked(8) * 8).at_most(63));
  EXPECT_FALSE((Checked(kMost) + 1).at_most(kMost));
}

TEST(Fault, TheChosenCallAndNoOtherFails) {
  testing::fail_at(fault::Point::read, 3);
  std::vector<bool> struck;
  for (int i = 0; i < 5; ++i) struck.push_back(fault::strikes(fault::Point::read));
  EXPECT_EQ(struck, (std::vector<bool>{false, false, true, false, false}));
  EXPECT_EQ(testing::calls_at(fault::Point::read), 5u);
  EXPECT_FALSE(fault::strikes(fault::Point::write)) << "points are separate";
  testing::fail_at(fault::Point::read, 0);
  EXPECT_FALSE(fault::strikes(fault::Point::read));
}

const volatile void* volatile escaped = nullptr;

TEST(Fault, EveryAllocationOfTheRoomCanFail) {
  ASSERT_TRUE(testing::allocations_are_fault_points());
  { const Secret<std::uint8_t> first(8); }  // the first secret of a process also starts the list of locked memory
  std::uint64_t thrown = 0;
  const testing::FailedRuns runs = testing::fail_every_allocation([&thrown](std::uint64_t) {
    try {
      AlignedBuffer<std::uint64_t> buffer(8);
      Secret<std::uint8_t> secret(8);
      const std::vector<int> numbers(8);
      escaped = numbers.data();  // `escaped` keeps the allocation, because a compiler may remove an unused one
      return true;
    } catch (const std::bad_alloc&) {
      ++thrown;
      return false;
    }
  });
  EXPECT_EQ(runs.count, 3u);
  EXPECT_EQ(runs.unreported, std::vector<std::uint64_t>());
  EXPECT_EQ(thrown, 3u);
}

}  // namespace
}  // namespace ringfort
