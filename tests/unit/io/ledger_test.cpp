// SPDX-License-Identifier: Apache-2.0
// Tests the release ledger. It is a file that counts the releases of a secret key: the results that the owner has
// decrypted for others. It must count a result before the result is released. It counts for all processes together. Its
// count must never decrease. A mark is a copy of the count that is stored with the key.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "../../../fuzz/mend.h"
#include "ringfort/release_ledger.h"
#include "support/fault.h"
#include "support/leveled_files.h"
#include "support/refused.h"

namespace ringfort::testing {
namespace {

using io::ReleaseLedger;

ckks::Parameters planned(u64 queries) {
  ckks::Parameters p = small_ckks();
  p.release = {20, queries};
  return p;
}

// Each owner has a key of its own, because a process remembers the counts of a key's ledger.
struct Owner {
  explicit Owner(u64 queries) : context(planned(queries), "ref"), generator((choose_seed(21 + ++owners), context)) {}
  static inline u32 owners = 0;
  [[nodiscard]] const SecretKey& key() const { return generator.secret_key(); }
  ckks::Context context;
  KeyGenerator generator;
};

TEST(ReleaseLedgers, CountUpToWhatWasPlannedAcrossOpenings) {
  const Folder folder;
  const Owner owner(5);
  const std::string path = folder / "ledger";
  EXPECT_EQ(code_of([&] { (void)ReleaseLedger::open(path, owner.context, owner.key()); }), Code::release_refused);
  auto first = ReleaseLedger::create(path, owner.context, owner.key());
  struct stat facts{};
  ASSERT_EQ(::stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
  first.spend(2);
  auto second = ReleaseLedger::open(path, owner.context, owner.key());
  EXPECT_EQ(second.taken(), 2U);
  second.spend(2);
  EXPECT_EQ(code_of([&] { first.spend(2); }), Code::release_refused);  // this call sees the count of `second`
  EXPECT_EQ(first.taken(), 4U);
  first.spend(1);
  EXPECT_EQ(code_of([&] { second.spend(1); }), Code::release_refused);
  EXPECT_EQ(code_of([&] { second.spend(~u64{0}); }), Code::release_refused);
  EXPECT_EQ(code_of([&] { second.spend(0); }), Code::invalid_argument);
  EXPECT_EQ(code_of([&] { (void)ReleaseLedger::create(path, owner.context, owner.key()); }), Code::io_write);
}

TEST(ReleaseLedgers, BelongToOneKeyAndNeverCountBackwards) {
  const Folder folder;
  const Owner owner(100);
  const KeyGenerator other(owner.context);
  const std::string path = folder / "ledger";
  auto ledger = ReleaseLedger::create(path, owner.context, owner.key());
  EXPECT_EQ(code_of([&] { (void)ReleaseLedger::open(path, owner.context, other.secret_key()); }), Code::io_digest);
  const auto older = read_all(path);
  ledger.spend(3);
  write_all(path, older);
  EXPECT_EQ(code_of([&] { ledger.spend(1); }), Code::release_refused);
  std::filesystem::remove(path);
  EXPECT_EQ(code_of([&] { ledger.spend(1); }), Code::io_open);
}

TEST(ReleaseLedgers, AHardLinkIsNotASecondLedger) {
  const Folder folder;
  const Owner owner(3);
  const std::string path = folder / "ledger";
  auto ledger = ReleaseLedger::create(path, owner.context, owner.key());
  std::filesystem::create_hard_link(path, folder / "alias");
  expect_refused(
      Code::release_refused, [&] { (void)ReleaseLedger::open(folder / "alias", owner.context, owner.key()); },
      "remove the other names");
  expect_refused(Code::release_refused, [&] { ledger.spend(1); }, "remove the other names");
  std::filesystem::remove(folder / "alias");
  ledger.spend(1);
}

TEST(ReleaseLedgers, AKeyThatIsLoadedAgainRemembersWhatItHasReleased) {
  const Folder folder;
  const Owner owner(3);
  const std::string path = folder / "ledger";
  ReleaseLedger::create(path, owner.context, owner.key()).spend(1);
  const auto older = read_all(path);
  ReleaseLedger::open(path, owner.context, owner.key()).spend(2);
  const io::Scope scope(owner.context);
  const ckks::Context context(owner.context.parameters(), "ref");
  const SecretKey again = io::decode_secret_key(context, io::encode_secret_key(scope, owner.key(), ""));
  write_all(path, older);
  expect_refused(Code::release_refused, [&] { (void)ReleaseLedger::open(path, context, again); }, "older copy");
  write_all(folder / "copy", older);
  expect_refused(
      Code::release_refused, [&] { (void)ReleaseLedger::open(folder / "copy", context, again); }, "older copy");
}

TEST(ReleaseLedgers, WhatAProcessOnlyReadIsRememberedToo) {
  const Folder folder;
  const Owner owner(3);
  const std::string path = folder / "ledger";
  const auto write_count = [&](u64 taken) {
    write_all(path, io::encode_ledger(io::Scope(owner.context), {owner.key().state()->id, 3, taken}));
  };
  write_count(2);
  EXPECT_EQ(ReleaseLedger::open(path, owner.context, owner.key()).taken(), 2U);
  write_count(1);
  expect_refused(
      Code::release_refused, [&] { (void)ReleaseLedger::open(path, owner.context, owner.key()); }, "older copy");
}

TEST(ReleaseLedgers, WhatAForkedProcessReleasedIsRememberedByItsParentAndItsSiblings) {
  const Folder folder;
  const Owner owner(6);
  const std::string path = folder / "ledger";
  auto ledger = ReleaseLedger::create(path, owner.context, owner.key());
  const auto older = read_all(path);
  const auto taken_by_child = [&](u64 count) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(static_cast<int>(code_of([&] { ledger.spend(count); })));
    int status = 0;
    ::waitpid(child, &status, 0);
    return static_cast<Code>(WEXITSTATUS(status));
  };
  EXPECT_EQ(taken_by_child(4), Code::internal);  // this code means that no error occurred
  write_all(path, older);
  EXPECT_EQ(code_of([&] { ledger.spend(1); }), Code::release_refused);
  EXPECT_EQ(taken_by_child(1), Code::release_refused);
  EXPECT_EQ(code_of([&] { (void)ReleaseLedger::open(path, owner.context, owner.key()); }), Code::release_refused);
}

std::atomic<bool> is_locked{false}, is_forked{false}, is_done{false};

// Runs in the thread that has locked the table of known ledgers. Keeps the lock until the fork, but at most for 500 ms.
// If the fork does not wait for the lock, it happens in this time.
void hold_until_the_fork() {
  is_locked = true;
  const auto last = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  while (!is_forked && std::chrono::steady_clock::now() < last) {}
}

TEST(ReleaseLedgers, AProcessThatIsForkedWhileAThreadRemembersALedgerDoesNotWaitForThatThread) {
  const Owner first(3), measured(3), owner(3);
  const auto remember = [](const Owner& of) {
    ReleaseLedger::remember(of.context, of.key(), io::encode_ledger(of.context, {of.key().state()->id, 3, 1}));
  };
  remember(first);  // also creates the table
  fail_at(fault::Point::alloc, 0);
  remember(measured);
  const u64 last = calls_at(fault::Point::alloc);  // the number of the allocation of the table's entry
  std::thread other([&] {
    run_at(fault::Point::alloc, last, hold_until_the_fork);
    remember(owner);
    is_done = true;
  });
  while (!is_locked && !is_done) {}
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);  // ends an endless wait
    ::_exit(ReleaseLedger::mark(owner.context, owner.key()).empty() ? 1 : 0);
  }
  is_forked = true;
  other.join();
  EXPECT_TRUE(is_locked) << "no allocation happened while the thread locked the table";
  fail_at(fault::Point::alloc, 0);
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status)) << "the child waited for a thread that it does not have";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(ReleaseLedgers, AProgramMakesOneForAKey) {
  const Folder folder;
  const Owner owner(3);
  (void)ReleaseLedger::create(folder / "ledger", owner.context, owner.key());
  expect_refused(
      Code::release_refused, [&] { (void)ReleaseLedger::create(folder / "second", owner.context, owner.key()); },
      "open that one");
  std::filesystem::remove(folder / "ledger");
  expect_refused(
      Code::release_refused, [&] { (void)ReleaseLedger::create(folder / "ledger", owner.context, owner.key()); },
      "open that one");
}

// Simulates a ledger that another program wrote. To do this, it encodes a ledger for a key id that this process has not
// seen yet.
TEST(ReleaseLedgers, AKeyThatIsStoredWithItsMarkMakesNoSecondAndTakesNoOlderOne) {
  const Folder folder;
  const Owner owner(5), stranger(5);
  const std::string path = folder / "ledger";
  EXPECT_TRUE(ReleaseLedger::mark(owner.context, owner.key()).empty());
  const auto fresh = io::encode_ledger(owner.context, {owner.key().state()->id, 5, 0}),
             later = io::encode_ledger(owner.context, {owner.key().state()->id, 5, 3});
  expect_refused(Code::io_digest, [&] { ReleaseLedger::remember(stranger.context, stranger.key(), later); }, "changed");
  ReleaseLedger::remember(owner.context, owner.key(), later);
  expect_refused(
      Code::release_refused, [&] { (void)ReleaseLedger::create(path, owner.context, owner.key()); }, "stored with it");
  write_all(path, fresh);
  expect_refused(
      Code::release_refused, [&] { (void)ReleaseLedger::open(path, owner.context, owner.key()); }, "older copy");
  write_all(path, later);
  ReleaseLedger::open(path, owner.context, owner.key()).spend(1);
  EXPECT_EQ(ReleaseLedger::mark(owner.context, owner.key()),
            io::encode_ledger(owner.context, {owner.key().state()->id, 5, 4}));
}

TEST(ReleaseLedgers, APipeOrALinkInPlaceOfTheLockIsRefusedWithoutWaiting) {
  const Folder folder;
  const Owner owner(3);
  const std::string path = folder / "ledger";
  (void)ReleaseLedger::create(path, owner.context, owner.key());
  write_all(folder / "victim", {1, 2, 3});
  std::filesystem::remove(path + ".lock");
  std::filesystem::create_symlink(folder / "victim", path + ".lock");
  EXPECT_EQ(code_of([&] { (void)ReleaseLedger::open(path, owner.context, owner.key()); }), Code::io_open);
  EXPECT_EQ(read_all(folder / "victim"), (std::vector<u8>{1, 2, 3}));
  std::filesystem::remove(path + ".lock");
  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(code_of([&] { (void)ReleaseLedger::open(path, owner.context, owner.key()); }), Code::io_open);
}

TEST(ReleaseLedgers, CountNoMoreThanTheParametersPlan) {
  const Folder folder;
  const Owner owner(3), more(4);
  const std::string path = folder / "ledger";
  EXPECT_EQ(ReleaseLedger::create(path, owner.context, owner.key()).planned(), 3U);
  EXPECT_EQ(code_of([&] { (void)ReleaseLedger::open(path, more.context, more.key()); }), Code::io_digest);
  auto bytes = read_all(path);
  io::store_u64(bytes.data() + io::kHeaderBytes + 8, 1000);
  fuzz::mend_leveled(bytes);
  write_all(path, bytes);
  EXPECT_EQ(code_of([&] { (void)ReleaseLedger::open(path, owner.context, owner.key()); }), Code::io_range);
  const ckks::Context none(small_ckks(), "ref");
  const KeyGenerator other(none);
  EXPECT_EQ(code_of([&] { (void)ReleaseLedger::create(folder / "another", none, other.secret_key()); }),
            Code::invalid_argument);
}

TEST(ReleaseLedgers, ALinkIsRefusedAndLeavesNothingBesideWhatItNames) {
  const Folder folder;
  const Owner owner(3);
  const std::string path = folder / "ledger", link = folder / "link", home = folder / "home",
                    stranger = folder / "another";
  auto ledger = ReleaseLedger::create(path, owner.context, owner.key());
  std::filesystem::create_symlink(path, link);
  EXPECT_EQ(code_of([&] { (void)ReleaseLedger::open(link, owner.context, owner.key()); }), Code::io_open);
  std::filesystem::create_directory(home);
  write_all(home + "/passwd", std::vector<u8>(10, 7));
  std::filesystem::create_symlink(home + "/passwd", stranger);
  EXPECT_EQ(code_of([&] { (void)ReleaseLedger::open(stranger, owner.context, owner.key()); }), Code::io_open);
  EXPECT_FALSE(std::filesystem::exists(home + "/passwd.lock"));
  ledger.spend(2);
  EXPECT_EQ(ReleaseLedger::open(path, owner.context, owner.key()).taken(), 2U);
  struct stat facts{};
  ASSERT_EQ(::stat((path + ".lock").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
  EXPECT_EQ(code_of([&] { (void)ReleaseLedger::create(link, owner.context, owner.key()); }), Code::io_write);
}

// The lock file may be removed while a process that holds the lock writes. The next process must still wait for its
// turn.
TEST(ReleaseLedgers, TakeTheirTurnAlsoWhereTheLockWasRemoved) {
  const Folder folder;
  const Owner owner(5);
  const std::string path = folder / "ledger";
  auto ledger = ReleaseLedger::create(path, owner.context, owner.key());
  auto other = io::File::hold(path, io::LockMode::now).take();
  std::filesystem::remove(path + ".lock");
  std::thread taking([&] { ledger.spend(1); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  ASSERT_TRUE(io::write_file(path, io::encode_ledger(owner.context, {owner.key().state()->id, 5, 1}), true).ok());
  other = io::File();
  taking.join();
  EXPECT_EQ(ReleaseLedger::open(path, owner.context, owner.key()).taken(), 2U);
}

TEST(ReleaseLedgers, EveryChangedBitIsNoticed) {
  const Folder folder;
  const Owner owner(100);
  const std::string path = folder / "ledger";
  (void)ReleaseLedger::create(path, owner.context, owner.key());
  const auto whole = read_all(path);
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    auto bytes = whole;
    bytes[bit / 8] = static_cast<u8>(bytes[bit / 8] ^ (1U << (bit % 8)));
    write_all(path, bytes);
    EXPECT_NE(code_of([&] { (void)ReleaseLedger::open(path, owner.context, owner.key()); }), Code::internal)
        << "bit " << bit;
  }
}

TEST(ReleaseLedgers, ADamagedOneIsNotToBeReplacedByAnOlderCopy) {
  const Folder folder;
  const Owner owner(100);
  const std::string path = folder / "ledger";
  (void)ReleaseLedger::create(path, owner.context, owner.key());
  auto bytes = read_all(path);
  bytes.back() = static_cast<u8>(bytes.back() ^ 1U);
  write_all(path, bytes);
  expect_refused(
      Code::io_checksum, [&] { (void)ReleaseLedger::open(path, owner.context, owner.key()); }, "make another");
  bytes.pop_back();
  write_all(path, bytes);
  expect_refused(Code::io_length, [&] { (void)ReleaseLedger::open(path, owner.context, owner.key()); }, "make another");
  bytes.resize(10);
  write_all(path, bytes);
  expect_refused(
      Code::io_truncated, [&] { (void)ReleaseLedger::open(path, owner.context, owner.key()); }, "make another");
}

TEST(ReleaseLedgers, ThreadsNeverTakeMoreThanWasPlanned) {
  const Folder folder;
  const Owner owner(50);
  const std::string path = folder / "ledger";
  (void)ReleaseLedger::create(path, owner.context, owner.key());
  std::atomic<int> granted = 0;
  const auto work = [&] {
    auto ledger = ReleaseLedger::open(path, owner.context, owner.key());
    for (int i = 0; i < 20; ++i) granted += code_of([&] { ledger.spend(1); }) == Code::internal ? 1 : 0;
  };
  std::thread a(work), b(work), c(work), d(work);
  for (std::thread* thread : {&a, &b, &c, &d}) thread->join();
  EXPECT_EQ(granted, 50);
  EXPECT_EQ(ReleaseLedger::open(path, owner.context, owner.key()).taken(), 50U);
}

// If a ledger could not be locked, a release might be counted twice, or not at all.
TEST(ReleaseLedgers, SpendNothingWhereAFileCannotBeOpened) {
  const Folder folder;
  const Owner owner(100);
  const std::string path = folder / "ledger";
  auto ledger = ReleaseLedger::create(path, owner.context, owner.key());
  for (u64 k = 1; k <= 3; ++k) {  // opens the lock file, then the ledger to lock it, then the ledger to read it
    fail_at(fault::Point::open, k);
    EXPECT_NE(code_of([&] { ledger.spend(1); }), Code::internal) << "opening " << k;
    EXPECT_GE(calls_at(fault::Point::open), k);
    fail_at(fault::Point::open, 0);
    EXPECT_EQ(ReleaseLedger::open(path, owner.context, owner.key()).taken(), 0U) << "opening " << k;
  }
}

TEST(ReleaseLedgers, ACreationThatFailsCanBeRepeated) {
  const Folder folder;
  const Owner owner(3);
  const std::string path = folder / "ledger";
  fail_at(fault::Point::write, 1);
  EXPECT_EQ(code_of([&] { (void)ReleaseLedger::create(path, owner.context, owner.key()); }), Code::io_write);
  fail_at(fault::Point::write, 0);
  EXPECT_EQ(ReleaseLedger::create(path, owner.context, owner.key()).taken(), 0U);
}

// If a write, a flush or a rename fails, the count on the disk is the old count or the new count. It is never less.
TEST(ReleaseLedgers, AFailingDiskNeverForgetsARelease) {
  const Folder folder;
  const Owner owner(1000);
  const std::string path = folder / "ledger";
  auto ledger = ReleaseLedger::create(path, owner.context, owner.key());
  u64 before = 0;
  for (const auto point :
       {fault::Point::open, fault::Point::read, fault::Point::write, fault::Point::fsync, fault::Point::rename}) {
    for (u64 k = 1; k < 5; ++k) {
      fail_at(point, k);
      (void)code_of([&] { ledger.spend(1); });
      fail_at(point, 0);
      const u64 now = ReleaseLedger::open(path, owner.context, owner.key()).taken();
      EXPECT_GE(now, before);
      EXPECT_LE(now, before + 1);
      before = now;
    }
  }
  EXPECT_EQ(code_of([&] { ledger.spend(1); }), Code::internal);
  EXPECT_EQ(ledger.taken(), before + 1);
}

}  // namespace
}  // namespace ringfort::testing
