// SPDX-License-Identifier: Apache-2.0
// The server's parts: which words go into which answer, words from disk or memory, and the two engines.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "parallel.h"

namespace ringfort::search {

// Words [begin, end) are summed in one answer; document d counts at coefficient d - first_document (0 for a total).
struct AnswerRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint32_t first_document = 0;
};

struct Server::State {
  State(io::Index opened, std::string_view device)
      : index(std::move(opened)),
        context(index.profile().parameters, device) {}
  io::Index index;
  rgsw::Context context;
  std::vector<std::uint32_t> document_of;  // of each word
  // all encrypted bits of the first words, as far as memory_bytes goes
  std::vector<std::unique_ptr<rgsw::EncryptedBits>> prepared;
  SearchReport report;
};

// plan.cpp
[[nodiscard]] std::vector<AnswerRange> answer_ranges(const Server::State& state, bool total);
struct IndexShape {  // what a plan depends on
  rgsw::Mode mode = rgsw::Mode::secret_key;
  std::uint64_t words = 0;      // of the largest answer
  std::uint64_t documents = 0;  // of the largest answer
  std::uint32_t most_words = 0;
  std::uint32_t most_repeats = 1;
};
[[nodiscard]] rgsw::SearchPlan plan_for(const io::Profile& profile, const IndexShape& shape,
                                        const SearchOptions& options);
[[nodiscard]] double false_positive_rate(const io::Profile& profile);
[[nodiscard]] std::vector<rgsw::PatternBit> pattern_bits(const io::Profile& profile, std::uint64_t pattern);
// One prepared word in memory, about.
[[nodiscard]] std::uint64_t prepared_bytes(const io::Profile& profile);

// engines.cpp
struct SearchJob {
  Server::State& state;
  std::vector<rgsw::PatternBit> pattern;  // indices are encrypted bits of the word
  const SearchOptions& options;
  std::vector<io::Index::Scratch>& scratch;  // one a thread
  ProgressCounter& counter;
  [[nodiscard]] unsigned threads() const { return static_cast<unsigned>(scratch.size()); }
};
// The answer that sums the words of `range`.
[[nodiscard]] rgsw::Answer search_range(SearchJob& job, const AnswerRange& range, const rgsw::SearchPlan& plan);

}  // namespace ringfort::search
