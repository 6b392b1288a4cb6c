// SPDX-License-Identifier: Apache-2.0
// Lets the k-th allocation, open, read, write, rename, fsync or random draw fail, in indexing and in searching. k grows
// until no call fails. If the caller gets an exception, it is an error with a code, or std::bad_alloc of a failed
// allocation. After indexing, Index::verify drops the uncommitted tail of the open segment (the file to which words are
// written), and then finds no problem. The index has all committed documents, and at most one more. Searching leaves
// the index as it was. The address sanitizer also runs these tests and reports leaks.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <optional>

#include "support/allocation.h"
#include "ringfort/error.h"
#include "support/search.h"

namespace ringfort::search::testing {
namespace {

using fault::Point;
namespace fs = std::filesystem;

struct Scene {
  Scene() : keys((choose_seed(5), make_keys(tiny(), 8))), documents(random_documents(3, 3, 2, 6)) {
    documents[1].body = "a body";
  }
  io::Keys keys;
  std::vector<Document> documents;
};

// Makes an index as a user does, from start to end. `committed` counts the documents that add_documents finished.
void index_all(const Scene& scene, const std::string& folder, std::uint32_t& committed) {
  io::Index::create(folder, scene.keys, {std::uint64_t{1} << 16, 1});
  auto index = append_to(folder);
  for (const auto& document : scene.documents) {
    add_documents(index, scene.keys, std::span(&document, 1), {});
    ++committed;
  }
  index.seal();
}

void expect_sound(const Scene& scene, const std::string& folder, std::uint32_t committed,
                  const std::string& reproduce) {
  if (!fs::exists(folder + "/parameters.rfp")) {
    EXPECT_EQ(committed, 0U) << reproduce;
    return;
  }
  const auto report = io::Index::verify(folder, true);
  EXPECT_TRUE(report.repaired) << reproduce << ": " << (report.problems.empty() ? "" : report.problems[0]);
  EXPECT_EQ(io::Index::verify(folder, false).problems, std::vector<std::string>()) << reproduce;
  EXPECT_GE(report.documents, committed) << reproduce << ": a committed document is lost";
  EXPECT_LE(report.documents, committed + 1) << reproduce;
  // The index is usable after the failure: the test adds the other documents, and a search finds all documents.
  {
    auto index = append_to(folder);
    add_documents(index, scene.keys, std::span(scene.documents).subspan(report.documents), {});
    index.seal();
  }
  auto server = serve(folder);
  const std::string word = scene.documents[0].words[0];
  EXPECT_EQ(decrypt(scene.keys, server.search(make_query(scene.keys, word), {})),
            pattern_counts(scene.keys, scene.documents, word))
      << reproduce;
}

// Makes the k-th call at `point` fail. In tests, a seeded generator replaces the entropy of the system. fail_at does
// not make this generator fail. fail_entropy_at makes it fail.
void arm(Point point, std::uint64_t k) {
  if (point == Point::rng) return ringfort::testing::fail_entropy_at(k);
  ringfort::testing::fail_at(point, k);
}

// Calls `job` once for each k = 1, 2, .. and lets the k-th call at `point` fail. After each call of `job`, calls
// `check` with a text that names k. Returns how many calls failed.
std::uint64_t fail_every(Point point, const std::function<void()>& job,
                         const std::function<void(const std::string&)>& check) {
  constexpr std::uint64_t kMost = 20000;
  std::uint64_t unreported = 0;  // runs in which the job did not report the failure; the memory cache causes some
  for (std::uint64_t k = 1; k <= kMost; ++k) {
    const std::string reproduce = "point " + std::to_string(static_cast<int>(point)) + " k " + std::to_string(k);
    bool failed = false;
    arm(point, k);
    try {
      job();
    } catch (const Error& error) {
      failed = true;
      EXPECT_NE(error.code(), Code::internal) << reproduce << ": " << error.what();
      EXPECT_FALSE(error.problem().empty()) << reproduce;
    } catch (const std::bad_alloc&) {
      failed = true;
      EXPECT_EQ(point, Point::alloc) << reproduce;
    }
    const bool met = point == Point::rng ? failed : ringfort::testing::calls_at(point) >= k;
    arm(point, 0);
    check(reproduce);
    if (!met) {
      EXPECT_LE(4 * unreported, point == Point::alloc ? k - 1 : 0);
      return k - 1;
    }
    if (!failed) ++unreported;
  }
  ADD_FAILURE() << "every run met a failure";
  return kMost;
}

class EveryPoint : public ::testing::TestWithParam<Point> {};

TEST_P(EveryPoint, IndexingFailsWithACodeAndLosesNoCommittedDocument) {
  const Scene scene;
  std::optional<Folder> folder;
  std::uint32_t committed = 0;
  const auto met = fail_every(
      GetParam(),
      [&] {
        folder.emplace();
        committed = 0;
        index_all(scene, *folder / "index", committed);
      },
      [&](const std::string& reproduce) { expect_sound(scene, *folder / "index", committed, reproduce); });
  EXPECT_GE(met, 3U) << "the job has no such calls, nothing was tested";
}

TEST_P(EveryPoint, SearchingFailsWithACodeAndLeavesTheIndexAsItWas) {
  const Scene scene;
  const Folder folder;
  make_index(folder / "index", scene.keys, scene.documents);
  const std::string word = scene.documents[0].words[0];
  io::save_query(folder / "query", make_query(scene.keys, word));
  const auto before = io::Index::verify(folder / "index", false);
  const auto met = fail_every(
      GetParam(),
      [&] {
        auto server = serve(folder / "index");
        fs::remove(folder / "answer");
        io::save_answer(folder / "answer", server.search(io::load_query(folder / "query"), {}));
      },
      [&](const std::string& reproduce) {
        if (fs::exists(folder / "answer")) {  // an existing answer is complete
          const auto counts = decrypt(scene.keys, io::load_answer(folder / "answer"));
          EXPECT_EQ(counts, pattern_counts(scene.keys, scene.documents, word)) << reproduce;
        }
        EXPECT_FALSE(fs::exists(folder / "answer.part")) << reproduce;
      });
  const auto after = io::Index::verify(folder / "index", false);
  EXPECT_EQ(after.problems, before.problems);
  EXPECT_EQ(after.words, before.words);
  EXPECT_GE(met, GetParam() == Point::rng ? 0U : 1U) << "the job has no such calls, nothing was tested";
}

std::string point_name(const ::testing::TestParamInfo<Point>& info) {
  constexpr std::array<const char*, 7> kNames = {"Allocation", "Open", "Read", "Write", "Rename", "Sync", "Random"};
  return kNames[static_cast<std::size_t>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Faults, EveryPoint,
                         ::testing::Values(Point::alloc, Point::open, Point::read, Point::write, Point::rename,
                                           Point::fsync, Point::rng),
                         point_name);

}  // namespace
}  // namespace ringfort::search::testing
