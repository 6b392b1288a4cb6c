// SPDX-License-Identifier: Apache-2.0
// Tests an index folder that others may write to. Symbolic links and pipes in the folder are refused. A hard link is
// refused if the library would write or copy the file. No file outside the folder changes. The library seals data only
// to the owner's key, even if the folder's files contain another key.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "../../../fuzz/mend.h"
#include "io/index.h"
#include "support/refused.h"
#include "support/search.h"

namespace ringfort::search::testing::folder_test {
namespace {

namespace fs = std::filesystem;
using ringfort::testing::expect_refused;
using ringfort::testing::read_all;
using ringfort::testing::write_all;

struct Scene {
  Scene() : keys((choose_seed(31), make_keys(tiny(), 8))), documents(random_documents(3, 2, 2, 9)) {
    make_index(path, keys, documents);
  }
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
  for (const std::string name :
       {"parameters.rfp", "documents.rfd", "bodies.rfb", "segment-000001.rfs", "segment-000002.open"}) {
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

// A file with a second name (a hard link) may also belong to another index. Therefore the library does not write,
// truncate or copy it.
TEST(HostileFolder, NoFileOfAnIndexIsWrittenWhileItHasAnotherName) {
  const Scene s;
  {
    auto index = append_to(s.path);  // its last documents stay in an open segment
    add_documents(index, s.keys, s.documents, {});
  }
  for (const std::string name :
       {"documents.rfd", "bodies.rfb", "segment-000002.open", "parameters.rfp", "segment-000001.rfs", "lock"}) {
    const std::string other = s.folder / ("other-" + name), path = s.path + "/" + name;
    const auto whole = read_all(path);
    fs::create_hard_link(path, other);
    const bool is_written = name != "parameters.rfp" && name != "segment-000001.rfs";
    if (is_written) {
      expect_refused(Code::io_open, [&] { (void)append_to(s.path); }, "only one name");
      expect_refused(Code::io_open, [&] { (void)io::Index::verify(s.path, true); }, "only one name");
    } else {
      EXPECT_EQ(append_to(s.path).documents(), 4U) << name;
    }
    EXPECT_EQ(read_all(other), whole) << name;
    fs::remove(other);
  }
  s.append();
}

TEST(HostileFolder, ARepairCopiesNoFileThatHasAnotherName) {
  const Scene s;
  const std::string victim = s.folder / "victim";
  write_all(victim, std::vector<u8>(1000, 7));
  auto map = read_all(s.path + "/documents.rfd");
  // a damaged document; a repair would keep its file
  map.resize(map.size() + io::kDocumentRecordBytes, 1);
  write_all(s.path + "/documents.rfd", map);
  fs::create_hard_link(victim, s.path + "/segment-000002.open");
  expect_refused(Code::io_open, [&] { (void)io::Index::verify(s.path, true); }, "only one name");
  EXPECT_FALSE(fs::exists(s.path + "/segment-000002.open.damaged"));
  EXPECT_EQ(read_all(victim).size(), 1000U);
  EXPECT_EQ(io::copy_file(victim, s.folder / "copy").failure().code, Code::io_open);
}

TEST(HostileFolder, NoSecondProcessAppendsWhereTheLockWasRemoved) {
  const Scene s;
  auto first = append_to(s.path);
  fs::remove(s.path + "/lock");
  expect_refused(Code::io_locked, [&] { (void)append_to(s.path); }, "wait");
  add_documents(first, s.keys, s.documents, {});
  first.seal();
  EXPECT_EQ(io::Index::verify(s.path, false).problems, std::vector<std::string>());
}

TEST(HostileFolder, NoIndexIsCreatedOverWhatAnotherLeft) {
  const Scene s;
  const std::string kept = s.folder / "kept";
  fs::remove(s.path + "/parameters.rfp");
  fs::create_directory(kept);
  for (const std::string name : {"documents.rfd", "bodies.rfb", "segment-000001.rfs"}) {
    const std::string path = s.path + "/" + name;
    if (name == "bodies.rfb") write_all(path, std::vector<u8>(400, 1));
    const auto whole = read_all(path);
    expect_refused(Code::io_write, [&] { io::Index::create(s.path, s.keys); }, "another folder");
    EXPECT_EQ(read_all(path), whole) << name;
    EXPECT_FALSE(fs::exists(s.path + "/parameters.rfp"));
    fs::rename(path, kept + "/" + name);
  }
  // the folder's state after a creation that was interrupted
  write_all(s.path + "/documents.rfd", std::vector<u8>(io::kLogStart, 1));
  io::Index::create(s.path, s.keys);
  EXPECT_EQ(append_to(s.path).documents(), 0U);
}

TEST(HostileFolder, NoIndexIsCreatedWhileAnotherProcessCreatesOneThere) {
  const Folder folder;
  const auto keys = make_keys(tiny(), 8);
  {
    const auto lock = io::File::hold_lock(folder / "lock", io::LockMode::now).take();
    expect_refused(Code::io_locked, [&] { io::Index::create(folder.path(), keys, {}); }, "");
    EXPECT_EQ(io::list_directory(folder.path()).take(), (std::vector<std::string>{".", "..", "lock"}));
  }
  io::Index::create(folder.path(), keys, {});
}

// Adds `by` to the document numbers of the words in a segment, and corrects all checksums.
void renumber(const std::string& path, const io::Profile& profile, u32 by, bool open) {
  auto bytes = read_all(path);
  const io::SegmentShape shape(profile, rgsw::Mode::secret_key);
  io::SegmentTally tally;
  const std::size_t end = bytes.size() - (open ? 0 : io::kFooterBytes);
  for (std::size_t at = io::kRecordsAt; at < end; at += shape.record_bytes) {
    const auto record = std::span(bytes).subspan(at, shape.record_bytes);
    const auto head = io::decode_record_head(record).take();
    const auto changed = io::encode_record_head({head.document + by, head.seed});
    std::copy(changed.begin(), changed.end(), record.begin());
    tally.count(record, head.document + by);
  }
  const auto footer = io::encode_footer(tally);
  if (!open) std::copy(footer.begin(), footer.end(), bytes.end() - io::kFooterBytes);
  write_all(path, bytes);
}

// Readers refuse these indexes. A document that is appended to such an index would be lost.
TEST(HostileFolder, NothingIsAppendedBehindWordsOfDocumentsThatTheMapLacks) {
  const Scene s;
  renumber(s.path + "/segment-000001.rfs", s.keys.profile(), 1, false);
  expect_refused(Code::io_truncated, [&] { (void)open_index(s.path); }, "");
  expect_refused(Code::io_truncated, [&] { s.append(); }, "");
  EXPECT_EQ(io::Index::verify(s.path, false).problems.size(), 1U);
  renumber(s.path + "/segment-000001.rfs", s.keys.profile(), ~u32{0}, false);
  EXPECT_TRUE(io::Index::verify(s.path, false).problems.empty());
  {
    auto index = append_to(s.path);  // its last documents stay in an open segment
    add_documents(index, s.keys, s.documents, {});
  }
  for (const u32 by : {u32{1}, ~u32{0}}) {
    const std::string open = s.path + "/segment-000002.open";
    renumber(open, s.keys.profile(), by, true);
    const auto before = read_all(open);
    expect_refused(Code::io_range, [&] { s.append(); }, "");
    expect_refused(Code::io_range, [&] { (void)io::Index::verify(s.path, true); }, "");
    EXPECT_EQ(read_all(open), before);
    renumber(open, s.keys.profile(), ~by + 1, true);
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

// An attacker who can write to the folder puts their own sealing key into the parameters. Titles and bodies would then
// be sealed to this key.
TEST(HostileFolder, NothingIsSealedToAKeyThatIsNotTheOwners) {
  const Scene s;
  const auto other = make_keys(tiny(), 8);
  const std::string path = s.path + "/parameters.rfp";
  auto bytes = read_all(path);
  const auto whole = bytes;
  std::copy(other.box_public().begin(), other.box_public().end(),
            bytes.begin() + io::kHeaderBytes + io::kProfileBytes + 16);
  fuzz::mend_object(bytes);
  write_all(path, bytes);
  expect_refused(Code::io_digest, [&] { s.append(); }, "");
  expect_refused(Code::io_digest, [&] { (void)open_index(s.path); }, "");
  expect_refused(Code::io_digest, [&] { (void)io::Index::verify(s.path, true); }, "");
  write_all(path, whole);
  s.append();
}

}  // namespace
}  // namespace ringfort::search::testing::folder_test
