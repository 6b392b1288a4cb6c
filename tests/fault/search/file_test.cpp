// SPDX-License-Identifier: Apache-2.0
// What must hold of files beyond their content: a secret never enters a file that someone else prepared, and a created folder
// is on disk when the call returns.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

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

TEST(Files, ASecretDoesNotFollowALinkThatWaitsUnderItsSideName) {
  const Folder folder;
  const std::string victim = folder / "victim", path = folder / "secret";
  write_all(victim, {1, 2, 3});
  fs::create_symlink(victim, path + ".part");
  const std::vector<u8> content = {9, 8, 7};
  ASSERT_TRUE(io::write_file(path, content, true).ok());
  EXPECT_EQ(read_all(victim), (std::vector<u8>{1, 2, 3}));
  EXPECT_EQ(read_all(path), content);
  EXPECT_FALSE(fs::is_symlink(path));
}

TEST(Files, ASecretDoesNotUseAFileThatOthersHaveOpen) {
  const Folder folder;
  const std::string path = folder / "secret";
  write_all(path + ".part", {1, 2, 3});
  ASSERT_EQ(::chmod((path + ".part").c_str(), 0644), 0);
  const auto held = io::File::open_existing(path + ".part", false).take();     // another's descriptor, from before
  const std::vector<u8> content = {9, 8, 7, 6};
  ASSERT_TRUE(io::write_file(path, content, true).ok());
  EXPECT_EQ(held.size().take(), 3U) << "the secret can be read through a descriptor that was opened before";
  struct stat facts {};
  ASSERT_EQ(::stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
}

TEST(Files, ACreatedFolderIsSyncedIntoItsParent) {
  const Folder folder;
  fail_at(Point::fsync, 1);
  const auto made = io::make_directory(folder / "inner/");
  const auto calls = ringfort::testing::calls_at(Point::fsync);
  fail_at(Point::fsync, 0);
  EXPECT_EQ(calls, 1U) << "the folder's own entry is not made durable";
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.failure().problem.find(folder.path() + ":"), std::string::npos) << made.failure().problem;
  EXPECT_TRUE(io::make_directory(folder / "inner").ok());
  EXPECT_TRUE(io::make_directory(folder / "inner/").ok());
}

}  // namespace
}  // namespace ringfort::search::testing
