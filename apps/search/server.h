// SPDX-License-Identifier: Apache-2.0
// Declarations that the files of the word search's server share: the state of a server, the words of each answer, the
// plan of a search, and the engines.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "parallel.h"

namespace ringfort::search {

// The words [begin, end) of one answer. The count of document d is coefficient d - first_document of the answer. In a
// total, the count of all documents is coefficient 0.
struct AnswerRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint32_t first_document = 0;
};

struct Server::State {
  State(io::Index opened, std::span<const std::string> devices) : index(std::move(opened)) {
    for (const std::string& device : devices) contexts.emplace_back(index.profile().parameters, device);
    lost.resize(contexts.size());
  }
  io::Index index;
  std::vector<rgsw::Context> contexts;     // one for each device; the first device makes the answers
  std::vector<std::uint8_t> lost;          // 1: the device has failed
  std::vector<std::uint32_t> document_of;  // document of each word
  // The first words of the index, with all their encrypted bits. There are as many words as memory_bytes allows. A word
  // is on the device that read it first.
  struct KeptWord {
    std::unique_ptr<rgsw::EncryptedBits> bits;
    unsigned device = 0;
  };
  std::vector<KeptWord> prepared;
  SearchReport report;
};

// In plan.cpp. Returns the ranges of the index's answers.
[[nodiscard]] std::vector<AnswerRange> answer_ranges(const Server::State& state, bool total);
struct IndexShape {  // facts of an index from which plan_for() plans a search
  rgsw::Mode mode = rgsw::Mode::secret_key;
  std::uint64_t words = 0;      // most words of an answer
  std::uint64_t documents = 0;  // most documents of an answer
  std::uint32_t most_words = 0;
  std::uint32_t most_repeats = 1;
};
[[nodiscard]] rgsw::SearchPlan plan_for(const io::Profile& profile, const IndexShape& shape,
                                        const SearchOptions& options);
[[nodiscard]] double false_positive_rate(const io::Profile& profile);
[[nodiscard]] std::vector<rgsw::PatternBit> pattern_bits(const io::Profile& profile, std::uint64_t pattern);
// Returns the approximate bytes of one prepared word in memory.
[[nodiscard]] std::uint64_t prepared_bytes(const io::Profile& profile);

// The data of a search that the engines (engines.cpp) need.
struct SearchJob {
  Server::State& state;
  std::vector<rgsw::PatternBit> pattern;  // its indices are numbers of encrypted bits of a word
  const SearchOptions& options;
  std::vector<io::Index::Scratch>& scratch;  // at least one for each worker
  ProgressCounter& counter;
  unsigned threads = 1;
};
// Returns the answer for the words of `range`.
[[nodiscard]] rgsw::Answer search_range(SearchJob& job, const AnswerRange& range, const rgsw::SearchPlan& plan);

}  // namespace ringfort::search
