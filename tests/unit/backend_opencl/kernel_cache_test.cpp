// SPDX-License-Identifier: Apache-2.0
// Tests the folder of compiled kernels. Whatever the folder contains, a read must return the bytes that were written,
// or nothing.
#include "backend/opencl/kernel_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "support/fault.h"
#include "support/folder.h"

namespace ringfort::testing {
namespace {

using opencl::KernelCache;

const std::string kBinary(100, 'b');

std::vector<std::string> names_in(const Folder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    names.push_back(entry.path().filename().string());
  return names;
}
// Returns the name of the only file in the folder.
std::string file_in(const Folder& folder) {
  const std::vector<std::string> names = names_in(folder);
  EXPECT_EQ(names.size(), 1u);
  return names.empty() ? "" : folder / names[0];
}

TEST(KernelCache, ReturnsTheLastBinaryOfAKey) {
  const Folder folder;
  const KernelCache cache(folder / "made");
  EXPECT_EQ(cache.read("key"), "");
  for (const std::string& binary : {std::string("first\0binary", 12), kBinary}) {
    cache.write("key", binary);
    EXPECT_EQ(KernelCache(folder / "made").read("key"), binary);
  }
  EXPECT_EQ(cache.read("another key"), "");
  cache.write("another key", "");
  EXPECT_EQ(cache.read("another key"), "");
}

TEST(KernelCache, KeepsNothingWithoutAFolder) {
  ::unsetenv("RINGFORT_KERNEL_CACHE");
  EXPECT_FALSE(KernelCache::of_environment().keeps());
  ::setenv("RINGFORT_KERNEL_CACHE", "", 1);
  KernelCache::of_environment().write("key", kBinary);
  EXPECT_EQ(KernelCache::of_environment().read("key"), "");
  const Folder folder;
  ::setenv("RINGFORT_KERNEL_CACHE", folder.path().c_str(), 1);
  KernelCache::of_environment().write("key", kBinary);
  EXPECT_EQ(KernelCache(folder.path()).read("key"), kBinary);
  ::unsetenv("RINGFORT_KERNEL_CACHE");
}

TEST(KernelCache, AChangedFileIsMissing) {
  const Folder folder;
  const KernelCache cache(folder.path());
  cache.write("key", kBinary);
  const std::string file = file_in(folder);
  const std::vector<u8> whole = read_all(file);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::vector<u8> changed = whole;
    changed[at] ^= 1;
    write_all(file, changed);
    EXPECT_EQ(cache.read("key"), "") << at;
    changed = whole;
    changed.resize(at);
    write_all(file, changed);
    EXPECT_EQ(cache.read("key"), "") << "the first " << at << " bytes";
  }
  std::vector<u8> longer = whole;
  longer.push_back(0);
  write_all(file, longer);
  EXPECT_EQ(cache.read("key"), "");
  write_all(file, whole);
  EXPECT_EQ(cache.read("key"), kBinary);
}

TEST(KernelCache, AFileUnderTheNameOfAnotherKeyIsMissing) {
  const Folder folder, of_other;
  KernelCache(folder.path()).write("key", kBinary);
  KernelCache(of_other.path()).write("another key", kBinary);
  std::filesystem::copy_file(file_in(folder), file_in(of_other), std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(KernelCache(of_other.path()).read("another key"), "");
}

TEST(KernelCache, OnlyFilesThatNobodyElseMayWriteAreRead) {
  const Folder folder, elsewhere;
  const KernelCache cache(folder.path());
  cache.write("key", kBinary);
  const std::string file = file_in(folder), target = elsewhere / "target";
  for (const ::mode_t mode : {0620, 0602}) {
    ASSERT_EQ(::chmod(file.c_str(), mode), 0);
    EXPECT_EQ(cache.read("key"), "");
  }
  ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  for (const ::mode_t mode : {0770, 0707}) {
    ASSERT_EQ(::chmod(folder.path().c_str(), mode), 0);
    EXPECT_EQ(cache.read("key"), "");
    cache.write("another key", kBinary);
  }
  ASSERT_EQ(::chmod(folder.path().c_str(), 0700), 0);
  EXPECT_EQ(cache.read("key"), kBinary);
  EXPECT_EQ(cache.read("another key"), "");

  std::filesystem::rename(file, target);
  std::filesystem::create_symlink(target, file);
  EXPECT_EQ(cache.read("key"), "") << "through a link";
  std::filesystem::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(cache.read("key"), "") << "from a pipe, which nobody writes";
  EXPECT_EQ(KernelCache(target).read("key"), "") << "a file in the place of the folder";
  EXPECT_EQ(KernelCache(elsewhere / "no/folder").read("key"), "");
}

TEST(KernelCache, RemovesTheFilesThatWereUnusedForTheLongestTime) {
  const Folder folder;
  const KernelCache cache(folder.path(), 4 * (kBinary.size() + 32));
  const auto set_time = [&](const std::string& file, int hours) {
    std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  write_all(folder / "foreign", std::vector<u8>(10'000));
  for (int i = 0; i < 4; ++i) {
    const std::vector<std::string> before = names_in(folder);
    cache.write("key " + std::to_string(i), kBinary);
    for (const std::string& name : names_in(folder)) {
      if (std::find(before.begin(), before.end(), name) == before.end()) set_time(folder / name, 10 - i);
    }
  }
  EXPECT_EQ(cache.read("key 0"), kBinary);  // this read makes "key 0" the last one used
  cache.write("key 4", kBinary);
  EXPECT_EQ(cache.read("key 1"), "");
  for (const char* key : {"key 0", "key 2", "key 3", "key 4"}) EXPECT_EQ(cache.read(key), kBinary) << key;
  cache.write("key 0", kBinary);
  EXPECT_EQ(cache.read("key 3"), kBinary) << "a file that is written again takes no additional space";
  cache.write("key 5", std::string(4 * (kBinary.size() + 32), 'b'));
  EXPECT_EQ(cache.read("key 5"), "") << "larger than the limit";
  EXPECT_EQ(names_in(folder).size(), 5u);
  cache.write("key 6", std::string(4 * kBinary.size(), 'b'));
  EXPECT_EQ(names_in(folder).size(), 2u);
  EXPECT_EQ(read_all(folder / "foreign").size(), 10'000u);
}

TEST(KernelCache, FailuresOfFilesLeaveNoPart) {
  for (const fault::Point point : {fault::Point::open, fault::Point::read, fault::Point::write, fault::Point::rename}) {
    for (u64 k = 1; k <= 8; ++k) {
      const Folder folder;
      const KernelCache cache(folder.path());
      fail_at(point, k);
      cache.write("key", kBinary);
      const std::string read = cache.read("key");
      const bool failed = calls_at(point) >= k;
      fail_at(point, 0);
      EXPECT_EQ(read, failed ? "" : kBinary) << static_cast<int>(point) << ", call " << k;
      for (const std::string& name : names_in(folder)) EXPECT_EQ(name.find(".part"), name.npos);
      if (!failed) break;
      EXPECT_LT(k, 8u);
    }
  }
}

TEST(KernelCache, ThreadsThatWriteTheSameKeyLeaveAWholeFile) {
  const Folder folder;
  std::vector<std::thread> threads;
  for (const char letter : {'a', 'b', 'c', 'd'}) {
    threads.emplace_back([&folder, letter] {
      const KernelCache cache(folder.path());
      for (u32 i = 0; i < 50; ++i) {
        cache.write("key", std::string(5000, letter));
        const std::string read = cache.read("key");
        EXPECT_EQ(read, std::string(5000, read.empty() ? letter : read[0]));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(names_in(folder).size(), 1u);
}

}  // namespace
}  // namespace ringfort::testing
