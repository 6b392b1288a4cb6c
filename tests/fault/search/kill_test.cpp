// SPDX-License-Identifier: Apache-2.0
// Tests kill -9 during indexing. A child process writes to an index, and is killed at a moment that a fixed seed
// chooses. The parent process verifies, repairs and continues the index. Only documents that the child had not
// committed (completely written) are lost.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <thread>

#include "ringfort/error.h"
#include "support/search.h"

namespace ringfort::search::testing {
namespace {

constexpr int kRounds = 8;

// Writes documents until it is killed. Reports each committed document by one byte through a pipe.
[[noreturn]] void index_for_ever(const std::string& folder, const io::Keys& keys, int told) {
  auto index = append_to(folder);
  for (std::uint32_t d = index.documents();; ++d) {
    const auto one = random_documents(d, 1, 3, 50);
    add_documents(index, keys, one, {});
    const char byte = 1;
    if (::write(told, &byte, 1) != 1) ::_exit(1);
  }
}

std::uint64_t bytes_in(int pipe) {
  std::uint64_t count = 0;
  char buffer[256];
  for (ssize_t got = ::read(pipe, buffer, sizeof buffer); got > 0; got = ::read(pipe, buffer, sizeof buffer))
    count += static_cast<std::uint64_t>(got);
  return count;
}

TEST(Kill, NothingCommittedIsLostAndIndexingContinues) {
  choose_seed(17);
  const Folder folder;
  const auto keys = make_keys(tiny(), 8);
  const std::string path = folder / "index";
  io::Index::create(path, keys, {std::uint64_t{1} << 16, 1});
  std::mt19937_64 generator(4);
  std::uint64_t documents = 0;
  for (int round = 0; round < kRounds; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(ends[0]);
      choose_seed(20 + round);  // each round has its own words
      index_for_ever(path, keys, ends[1]);
    }
    ::close(ends[1]);
    std::this_thread::sleep_for(std::chrono::microseconds(5000 + generator() % 60000));
    ::kill(child, SIGKILL);
    const std::uint64_t committed = bytes_in(ends[0]);
    ::close(ends[0]);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "no signal ended the child";

    const auto report = io::Index::verify(path, true);
    ASSERT_TRUE(report.repaired) << "round " << round << ": " << (report.problems.empty() ? "" : report.problems[0]);
    EXPECT_EQ(io::Index::verify(path, false).problems, std::vector<std::string>()) << "round " << round;
    EXPECT_GE(report.documents, documents + committed) << "round " << round;
    EXPECT_LE(report.documents, documents + committed + 1)
        << "round " << round << ": at most one committed document is unreported";
    documents = report.documents;
  }
  ASSERT_GT(documents, 0U);
  std::vector<Document> written;
  for (std::uint32_t d = 0; d < documents; ++d) written.push_back(random_documents(d, 1, 3, 50)[0]);
  auto server = serve(path);
  const std::string word = written[0].words[0];
  EXPECT_EQ(decrypt(keys, server.search(make_query(keys, word), {})), pattern_counts(keys, written, word));
}

TEST(Kill, ASecondWriterIsRefusedWhileTheFirstLives) {
  choose_seed(18);
  const Folder folder;
  const auto keys = make_keys(tiny(), 8);
  io::Index::create(folder / "index", keys);
  const auto first = append_to(folder / "index");
  try {
    const auto second = append_to(folder / "index");
    FAIL() << "two writers";
  } catch (const Error& error) { EXPECT_EQ(error.code(), Code::io_locked); }
}

}  // namespace
}  // namespace ringfort::search::testing
