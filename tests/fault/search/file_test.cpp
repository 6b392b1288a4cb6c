// SPDX-License-Identifier: Apache-2.0
// Tests the rules for files in folders that others may write to. No unwanted link is followed. Only regular files are
// opened or waited for. No file is emptied. If several writers write to one path, all of them succeed. When the call
// that creates a folder returns, the folder is on disk.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "io/file.h"
#include "support/fault.h"
#include "support/search.h"

namespace ringfort::search::testing {
namespace {

namespace fs = std::filesystem;
using fault::Point;
using ringfort::testing::fail_at;
using ringfort::testing::read_all;
using ringfort::testing::write_all;

using io::Links;

std::vector<std::string> names_in(const Folder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.path())) names.push_back(entry.path().filename());
  return names;
}

TEST(Files, AWriterReplacesALinkAndTouchesNothingBehindIt) {
  const Folder folder;
  const std::string victim = folder / "victim", path = folder / "out";
  write_all(victim, {1, 2, 3});
  for (const bool owner_only : {false, true}) {
    fs::remove(path);
    fs::create_symlink(victim, path);
    const std::vector<u8> content = {9, 8, 7};
    ASSERT_TRUE(io::write_file(path, content, owner_only).ok());
    EXPECT_EQ(read_all(victim), (std::vector<u8>{1, 2, 3}));
    EXPECT_EQ(read_all(path), content);
    EXPECT_FALSE(fs::is_symlink(path));
    struct stat facts{};
    ASSERT_EQ(::stat(path.c_str(), &facts), 0);
    EXPECT_TRUE(!owner_only || (facts.st_mode & 0777) == 0600U);
  }
}

TEST(Files, ASecretDoesNotUseAFileThatOthersHaveOpen) {
  const Folder folder;
  const std::string path = folder / "secret";
  write_all(path, {1, 2, 3});
  // this descriptor was opened before the write, as another process could open it
  const auto earlier = io::File::open_existing(path, false).take();
  ASSERT_TRUE(io::write_file(path, std::vector<u8>{9, 8, 7, 6}, true).ok());
  EXPECT_EQ(earlier.size().take(), 3U) << "the secret can be read through a descriptor that was opened before";
}

TEST(Files, CreationRefusesAnExistingPathAlsoALink) {
  const Folder folder;
  write_all(folder / "there", {1});
  fs::create_symlink(folder / "nowhere", folder / "dangling");
  for (const char* name : {"there", "dangling"})
    EXPECT_EQ(io::File::create(folder / name).failure().code, Code::io_open) << name;
  EXPECT_EQ(read_all(folder / "there"), std::vector<u8>{1});
  EXPECT_FALSE(fs::exists(folder / "nowhere"));
}

// No call may wait for a pipe that has no writer. Such a wait would last until the test program ends.
TEST(Files, PipesSocketsDevicesAndFoldersAreRefusedWithoutWaiting) {
  const Folder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  fs::create_symlink(folder / "pipe", folder / "link");
  fs::create_directory(folder / "folder");
  for (const std::string& path :
       {folder / "pipe", folder / "link", folder / "folder", std::string("/dev/zero"), std::string("/dev/null")}) {
    for (const Links links : {Links::refuse, Links::follow}) {
      EXPECT_EQ(io::read_file(path, 100, links).failure().code, Code::io_open) << path;
      EXPECT_EQ(io::Mapping::open(path, links).failure().code, Code::io_open) << path;
      EXPECT_EQ(io::File::open_existing(path, true, links).failure().code, Code::io_open) << path;
    }
    const auto refused = io::read_file(path, 100, Links::follow);
    EXPECT_NE(refused.failure().problem.find("not a regular file"), std::string::npos) << refused.failure().problem;
    EXPECT_EQ(io::File::open_lock(path).failure().code, Code::io_open) << path;
    EXPECT_EQ(io::write_file(path, std::vector<u8>{1}).failure().code, Code::io_open) << path;
  }
  EXPECT_TRUE(fs::is_fifo(folder / "pipe") && fs::is_symlink(folder / "link"));
  // a link of the system that leads to a regular file; no file can be made beside it, so that a fault here harms
  // nothing
  const auto system = io::write_file("/proc/self/exe", std::vector<u8>{1});
  EXPECT_NE(system.failure().problem.find("not a regular file"), std::string::npos) << system.failure().problem;
}

TEST(Files, ALinkIsReadWhereItsUserNamedItAndNowhereElse) {
  const Folder folder;
  write_all(folder / "file", {1, 2});
  fs::create_symlink(folder / "file", folder / "link");
  EXPECT_EQ(io::read_file(folder / "link", 100, Links::follow).take(), (std::vector<u8>{1, 2}));
  const auto refused = io::read_file(folder / "link", 100);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.failure().problem.find("a link"), std::string::npos) << refused.failure().problem;
}

TEST(Files, ALockIsNeverEmptiedAndIsNoLink) {
  const Folder folder;
  const std::string victim = folder / "victim";
  write_all(victim, {1, 2, 3});
  EXPECT_TRUE(io::File::open_lock(victim).take().lock().ok());
  EXPECT_EQ(read_all(victim), (std::vector<u8>{1, 2, 3}));
  fs::create_symlink(victim, folder / "soft");
  EXPECT_EQ(io::File::open_lock(folder / "soft").failure().code, Code::io_open);
  fs::create_hard_link(victim, folder / "hard");
  for (const bool wait : {false, true}) {
    auto lock = io::File::open_lock(folder / "hard").take();
    EXPECT_EQ((wait ? lock.wait_for_lock() : lock.lock()).failure().code, Code::io_open);
  }
  EXPECT_EQ(read_all(victim), (std::vector<u8>{1, 2, 3}));
}

TEST(Files, SeveralWritersOfOnePathAllSucceedAndOneWinsWhole) {
  const Folder folder;
  const std::string path = folder / "shared";
  std::atomic<int> failures = 0, torn = 0;
  const auto write = [&](u8 value) {
    const std::vector<u8> content(std::size_t{1} << 16, value);
    for (int i = 0; i < 40; ++i) failures += io::write_file(path, content, value % 2 == 0).ok() ? 0 : 1;
  };
  std::thread a(write, u8{1}), b(write, u8{2}), c(write, u8{3});
  for (int i = 0; i < 200; ++i) {
    const auto seen = io::read_file(path, u64{1} << 20);
    if (!seen.ok()) continue;
    const auto& bytes = seen.value();
    torn += bytes.size() == std::size_t{1} << 16 &&
                    std::all_of(bytes.begin(), bytes.end(), [&](u8 byte) { return byte == bytes[0]; })
                ? 0
                : 1;
  }
  for (std::thread* thread : {&a, &b, &c}) thread->join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(names_in(folder), std::vector<std::string>{"shared"});
}

TEST(Files, AFailedWriterLeavesNothingBesideAndWhatWasThereAsItWas) {
  const Folder folder;
  const std::string path = folder / "out";
  write_all(path, {1});
  for (const Point point : {Point::open, Point::write, Point::fsync, Point::rename}) {
    fail_at(point, 1);
    EXPECT_FALSE(io::write_file(path, std::vector<u8>{2}).ok());
    fail_at(point, 0);
    EXPECT_EQ(read_all(path), std::vector<u8>{1});
    EXPECT_EQ(names_in(folder), std::vector<std::string>{"out"});
  }
}

TEST(Files, LeftoversOfKilledWritersAreRemovedAndOtherFilesAreNot) {
  const Folder folder;
  write_all(folder / ".ringfort-0123456789abcdef.part", {1});
  write_all(folder / ".ringfort-living.part", {1});
  write_all(folder / "mine.part", {1});
  fs::create_symlink(folder / "mine.part", folder / ".ringfort-link.part");
  {
    auto living = io::File::open_existing(folder / ".ringfort-living.part", true).take();
    ASSERT_TRUE(living.lock().ok());
    ASSERT_TRUE(io::remove_leftovers(folder.path()).ok());
  }
  auto left = names_in(folder);
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, (std::vector<std::string>{".ringfort-link.part", ".ringfort-living.part", "mine.part"}));
}

TEST(Files, NoLivingWriterLosesItsFileToWhoRemovesLeftovers) {
  const Folder folder;
  std::atomic<bool> ended = false;
  std::atomic<int> failures = 0;
  std::thread remover([&] {
    while (!ended) static_cast<void>(io::remove_leftovers(folder.path()));
  });
  for (int i = 0; i < 2000; ++i) failures += io::write_file(folder / "out", std::vector<u8>{1}).ok() ? 0 : 1;
  ended = true;
  remover.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(names_in(folder), std::vector<std::string>{"out"});
}

// A call may wait for the lock of a file while the file is replaced. The call then gets the lock of the new file, and
// no other call has this lock.
TEST(Files, ALockIsOfTheFileThatItsPathNamesOnceItIsHeld) {
  const Folder folder;
  const std::string path = folder / "lock";
  auto first = io::File::hold_lock(path, io::LockMode::now).take();
  const auto locked = io::File::hold_lock(path, io::LockMode::now).failure();
  EXPECT_EQ(locked.code, Code::io_locked);
  EXPECT_EQ(locked.problem, path + " is locked by another writer");  // an index, a ledger or any other file
  std::thread waiting([&] {
    const auto second = io::File::hold_lock(path, io::LockMode::wait);
    EXPECT_TRUE(second.ok() && second.value().is_at_its_path());
    EXPECT_EQ(io::File::hold(path, io::LockMode::now).failure().code, Code::io_locked);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ASSERT_TRUE(io::write_file(path, std::vector<u8>{1}).ok());
  EXPECT_FALSE(first.is_at_its_path());
  first = io::File();
  waiting.join();
  EXPECT_EQ(read_all(path), std::vector<u8>{1});
}

TEST(Files, ACopyIsForItsOwnerOnly) {
  const Folder folder;
  write_all(folder / "file", {1, 2});
  ASSERT_TRUE(io::copy_file(folder / "file", folder / "copy").ok());
  EXPECT_EQ(read_all(folder / "copy"), (std::vector<u8>{1, 2}));
  struct stat facts{};
  ASSERT_EQ(::stat((folder / "copy").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
}

TEST(Files, ACopyKeepsHoles) {
  const Folder folder;
  constexpr u64 kBytes = u64{1} << 40;
  auto file = io::File::create(folder / "file").take();
  const std::vector<u8> start{1, 2, 3}, middle(5000, 7);
  ASSERT_TRUE(file.write_at(0, start).ok());
  ASSERT_TRUE(file.write_at(kBytes / 2 + 1, middle).ok());
  ASSERT_TRUE(file.truncate(kBytes).ok());
  ASSERT_TRUE(io::copy_file(folder / "file", folder / "copy").ok());
  struct stat facts{};
  ASSERT_EQ(::stat((folder / "copy").c_str(), &facts), 0);
  EXPECT_EQ(static_cast<u64>(facts.st_size), kBytes);
  EXPECT_LT(facts.st_blocks * 512, 1 << 20);
  const auto copy = io::File::open_existing(folder / "copy", false).take();
  std::vector<u8> found(start.size()), inner(middle.size());
  ASSERT_TRUE(copy.read_at(0, found).ok() && copy.read_at(kBytes / 2 + 1, inner).ok());
  EXPECT_EQ(found, start);
  EXPECT_EQ(inner, middle);
}

TEST(Files, ACreatedFolderIsSyncedIntoItsParent) {
  const Folder folder;
  fail_at(Point::fsync, 1);
  const auto created = io::make_directory(folder / "inner/");
  const auto calls = ringfort::testing::calls_at(Point::fsync);
  fail_at(Point::fsync, 0);
  EXPECT_EQ(calls, 1U) << "the folder's own entry is not made durable";
  ASSERT_FALSE(created.ok());
  EXPECT_NE(created.failure().problem.find(folder.path() + ":"), std::string::npos) << created.failure().problem;
  EXPECT_TRUE(io::make_directory(folder / "inner").ok());
  EXPECT_TRUE(io::make_directory(folder / "inner/").ok());
}

}  // namespace
}  // namespace ringfort::search::testing
