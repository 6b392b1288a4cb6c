// SPDX-License-Identifier: Apache-2.0
// An index folder that somebody else may write: links and pipes in it are refused, nothing outside it is touched, and no key that
// its files name is sealed to unless it is the owner's.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "../../../fuzz/mend.h"
#include "io/index.h"
#include "support/refused.h"
#include "support/search.h"

namespace ringfort::search::testing {
namespace {

namespace fs = std::filesystem;
using ringfort::testing::expect_refused;
using ringfort::testing::read_all;
using ringfort::testing::write_all;

struct Scene {
  Scene() : keys((choose_seed(31), make_keys(tiny(), 8))), documents(random_documents(3, 2, 2, 9)) { make_index(path, keys, documents); }
  void append() const {
    auto index = append_to(path);
    add_documents(index, keys, documents, {});
    index.seal();
  }
  Folder folder;
  std::string path = folder / "index";
  io::Keys keys;
  std::vector<Document> documents;
};

TEST(HostileFolder, ALockThatIsALinkEmptiesNothing) {
  const Scene s;
  const std::string victim = s.folder / "victim", lock = s.path + "/lock";
  write_all(victim, {1, 2, 3});
  fs::remove(lock);
  fs::create_symlink(victim, lock);
  expect_refused(Code::io_open, [&] { s.append(); }, "");
  fs::remove(lock);
  fs::create_hard_link(victim, lock);
  expect_refused(Code::io_open, [&] { s.append(); }, "");
  EXPECT_EQ(read_all(victim), (std::vector<u8>{1, 2, 3}));
}

TEST(HostileFolder, NoFileOfAnIndexIsReadOrWrittenThroughALink) {
  const Scene s;
  for (const std::string name : {"parameters.rfp", "documents.rfd", "bodies.rfb", "segment-000001.rfs", "segment-000002.open"}) {
    const std::string moved = s.folder / ("moved-" + name), path = s.path + "/" + name;
    if (fs::exists(path)) fs::rename(path, moved);
    if (!fs::exists(moved)) write_all(moved, {1, 2, 3});
    const auto before = read_all(moved);
    fs::create_symlink(moved, path);
    expect_refused(Code::io_open, [&] { s.append(); }, "");
    EXPECT_EQ(read_all(moved), before) << name;
    fs::remove(path);
    if (name != "segment-000002.open") fs::rename(moved, path);
  }
  s.append();
}

TEST(HostileFolder, ADanglingLinkInPlaceOfTheNextSegmentCreatesNothing) {
  const Scene s;
  fs::create_symlink(s.folder / "nowhere", s.path + "/segment-000002.open");
  expect_refused(Code::io_open, [&] { s.append(); }, "");
  EXPECT_FALSE(fs::exists(s.folder / "nowhere"));
}

TEST(HostileFolder, APipeInPlaceOfASegmentIsRefusedWithoutWaiting) {
  const Scene s;
  ASSERT_EQ(::mkfifo((s.path + "/segment-000002.rfs").c_str(), 0600), 0);
  expect_refused(Code::io_open, [&] { (void)open_index(s.path); }, "");
  expect_refused(Code::io_open, [&] { s.append(); }, "");
}

TEST(HostileFolder, AnAppenderRemovesWhatKilledWritersLeft) {
  const Scene s;
  write_all(s.path + "/.ringfort-0123456789abcdef.part", {1});
  s.append();
  EXPECT_FALSE(fs::exists(s.path + "/.ringfort-0123456789abcdef.part"));
}

// Whoever can write the folder puts a sealing key of its own into the parameters: titles and bodies would be sealed to it.
TEST(HostileFolder, NothingIsSealedToAKeyThatIsNotTheOwners) {
  const Scene s;
  const auto other = make_keys(tiny(), 8);
  const std::string path = s.path + "/parameters.rfp";
  auto bytes = read_all(path);
  const auto whole = bytes;
  std::copy(other.box_public().begin(), other.box_public().end(), bytes.begin() + io::kHeaderBytes + io::kProfileBytes + 16);
  fuzz::mend_object(bytes);
  write_all(path, bytes);
  expect_refused(Code::io_digest, [&] { s.append(); }, "");
  expect_refused(Code::io_digest, [&] { (void)open_index(s.path); }, "");
  expect_refused(Code::io_digest, [&] { (void)io::Index::verify(s.path, true); }, "");
  write_all(path, whole);
  s.append();
}

}  // namespace
}  // namespace ringfort::search::testing
