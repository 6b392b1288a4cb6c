// SPDX-License-Identifier: Apache-2.0
// Tests that a search server on several devices gives the same answers as a server on one device. This must also be
// true if a device fails.
#include <gtest/gtest.h>

#include <cstdlib>

#include "ringfort/error.h"
#include "support/devices.h"
#include "support/fault.h"
#include "support/search.h"

namespace ringfort::search::testing {
namespace {

using ringfort::testing::fail_at;

std::vector<std::string> four_devices() {
  if (ringfort::testing::tested_gpus().empty()) return {"cpu", "ref", "cpu", "ref"};
  return {"emu:0,checks=off", "emu:1,checks=off", "emu:2,checks=off", "emu:3,checks=off"};
}

bool same_words(const io::AnswerFile& a, const io::AnswerFile& b) {
  if (a.answers.size() != b.answers.size()) return false;
  for (std::size_t i = 0; i < a.answers.size(); ++i) {
    if (a.answers[i].c0 != b.answers[i].c0 || a.answers[i].c1 != b.answers[i].c1 ||
        a.answers[i].words != b.answers[i].words)
      return false;
  }
  return true;
}

struct Corpus {
  Folder folder;
  io::Keys keys;
  std::vector<Document> documents;
  std::string path = folder / "index";
  explicit Corpus(const rgsw::Parameters& parameters, std::uint32_t count = 12)
      : keys(make_keys(parameters, 8)),
        documents(random_documents(3, count, 6, 9)) {
    make_index(path, keys, documents, {}, 1 << 16);
  }
  [[nodiscard]] io::Query query() const { return make_query(keys, "word4"); }
};

TEST(SearchOnSeveralDevices, AnswersAreTheSameBits) {
  choose_seed(11);
  for (const Engine engine : {Engine::row, Engine::literal}) {
    const bool is_row = engine == Engine::row;  // on the emulator, whole matrix products would take too long
    const Corpus corpus(is_row ? tiny() : tiny_literal(), is_row ? 12 : 4);
    const std::vector<std::string> devices = is_row ? four_devices() : std::vector<std::string>{"cpu", "ref", "cpu"};
    SearchOptions options;
    options.engine = engine;
    options.words_at_once = 3;
    for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{1} << 20}) {
      options.memory_bytes = memory;
      Server one(corpus.path, "ref", true), four = Server::on_devices(devices, corpus.path, true);
      const io::AnswerFile expected = one.search(corpus.query(), options);
      for (int again = 0; again < 2; ++again) EXPECT_TRUE(same_words(four.search(corpus.query(), options), expected));
      EXPECT_EQ(decrypt(corpus.keys, expected), pattern_counts(corpus.keys, corpus.documents, "word4"));
      EXPECT_TRUE(four.report().lost_devices.empty());
      EXPECT_EQ(four.report().words, one.report().words);
    }
  }
}

// About 24 verbs of the search fail, one in each run, on the device that runs it. If the first device fails, the search
// fails, because the first device has the sum.
TEST(SearchOnSeveralDevices, OtherDevicesRepeatTheWorkOfOneThatFails) {
  choose_seed(12);
  const Corpus corpus(tiny());
  const std::vector<std::string> devices = {"ref", "cpu", "cpu"};
  Server one(corpus.path, "ref", true);
  const io::AnswerFile expected = one.search(corpus.query(), {});
  std::uint64_t calls = 0;
  {
    Server all = Server::on_devices(devices, corpus.path, true);
    fail_at(fault::Point::verb, 0);
    (void)all.search(corpus.query(), {});
    calls = ringfort::testing::calls_at(fault::Point::verb);
  }
  int repeated = 0, failed = 0;
  const auto fail_verb = [&](std::uint64_t k) {
    Server server = Server::on_devices(devices, corpus.path, true);
    std::uint64_t last = 0, total = 0;
    fail_at(fault::Point::verb, k);
    try {
      const io::AnswerFile answer = server.search(corpus.query(), {}, [&](std::uint64_t done, std::uint64_t of) {
        last = done, total = of;
        return true;
      });
      EXPECT_TRUE(same_words(answer, expected)) << k;
      EXPECT_LE(last, total);
      repeated += server.report().lost_devices == std::vector<std::string>{"cpu"} ? 1 : 0;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::device_lost) << error.what();
      ++failed;
    }
    fail_at(fault::Point::verb, 0);
    // this search runs without the lost device
    EXPECT_TRUE(same_words(server.search(corpus.query(), {}), expected)) << k;
  };
  for (std::uint64_t k = 1; k <= calls; k += 1 + calls / 24) fail_verb(k);
  // The first device makes the answer. Therefore one of the last verbs runs on the first device, for any division of
  // the words among the threads.
  for (std::uint64_t k = calls; failed == 0 && k > 0; --k) fail_verb(k);
  EXPECT_GT(repeated, 0);
  EXPECT_GT(failed, 0);
}

TEST(SearchOnSeveralDevices, RefusesNoDeviceAndUnknownOnes) {
  choose_seed(13);
  const Corpus corpus(tiny());
  const auto code_of = [&](const std::vector<std::string>& devices) {
    try {
      (void)Server::on_devices(devices, corpus.path, true);
    } catch (const Error& error) { return error.code(); }
    return Code::internal;
  };
  EXPECT_EQ(code_of({}), Code::invalid_argument);
  EXPECT_EQ(code_of({"ref", "no such device"}), Code::device_unknown);
}

}  // namespace
}  // namespace ringfort::search::testing
