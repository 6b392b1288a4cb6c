// SPDX-License-Identifier: Apache-2.0
// Row: a chain of external products a word, words divided over threads, one running sum a thread, merged in thread order
// (sums mod q: the same for any number of threads). Literal: words side by side, threads divide the matrix products. Words
// come from memory when they are prepared there, else from the mapped segments, only the encrypted bits that are compared.
#include <algorithm>
#include <chrono>

#include "server.h"

namespace ringfort::search {

namespace {

constexpr std::uint32_t kMostWordsAtOnce = 256;       // each takes scratch memory

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// One thread's way to the words.
class Source {
 public:
  Source(Task& task, unsigned thread) : task_(task), lane_(task.lanes[thread]), streamed_(task.state.context) {
    for (std::uint32_t i = 0; i < task.pattern.size(); ++i) {
      compared_.push_back(task.pattern[i].index);
      selected_.push_back({i, task.pattern[i].wanted});
    }
    for (std::uint32_t i = 0; i < task.state.index.profile().hash_bits; ++i) all_.push_back(i);
  }
  // Valid until the next call. `pattern` is what to compare it with.
  const rgsw::Bits& fetch(std::uint64_t word, std::span<const rgsw::PatternBit>& pattern) {
    auto& prepared = task_.state.prepared;
    const bool keep = word < prepared.size();
    pattern = keep ? std::span<const rgsw::PatternBit>(task_.pattern) : std::span<const rgsw::PatternBit>(selected_);
    if (keep && prepared[word]) {
      ++found_;
      return *prepared[word];
    }
    const auto start = Clock::now();
    auto fresh = keep ? std::make_unique<rgsw::Bits>(task_.state.context) : nullptr;
    rgsw::Bits& into = keep ? *fresh : streamed_;
    task_.state.index.read_word(word, keep ? all_ : compared_, task_.state.context, into, lane_);
    seconds_ += seconds_since(start);
    if (keep) prepared[word] = std::move(fresh);
    return into;
  }
  [[nodiscard]] std::uint32_t coefficient(std::uint64_t word, const Block& block) const {
    return task_.options.total ? 0 : task_.state.document_of[word] - block.first_document;
  }
  void report() const {
    task_.state.report.prepared_words += found_;
    task_.state.report.read_seconds += seconds_;
  }

 private:
  Task& task_;
  io::Index::Lane& lane_;
  rgsw::Bits streamed_;
  std::vector<std::uint32_t> compared_, all_;
  std::vector<rgsw::PatternBit> selected_;
  std::uint64_t found_ = 0;
  double seconds_ = 0;
};

rgsw::Total sum_rows(Task& task, const Block& block, const rgsw::SearchPlan& plan) {
  const auto threads = static_cast<unsigned>(task.lanes.size());
  std::vector<rgsw::Total> totals;
  std::vector<Source> sources;
  for (unsigned t = 0; t < threads; ++t) {
    totals.emplace_back(task.state.context, plan);
    sources.emplace_back(task, t);
  }
  on_threads(threads, [&](unsigned t) {
    const Range range = part(block.end - block.begin, t, threads);
    for (std::uint64_t w = block.begin + range.begin; w < block.begin + range.end; ++w) {
      std::span<const rgsw::PatternBit> pattern;
      const auto& bits = sources[t].fetch(w, pattern);
      rgsw::add_match(totals[t], {&bits, 0, sources[t].coefficient(w, block)}, pattern, task.lanes[t].worker);
      task.meter.step();
    }
  });
  for (unsigned t = 0; t < threads; ++t) {
    sources[t].report();
    if (t > 0) rgsw::merge(totals[0], totals[t], task.lanes[0].worker);
  }
  return std::move(totals[0]);
}

rgsw::Total sum_literally(Task& task, const Block& block, const rgsw::SearchPlan& plan) {
  const bool sequential = task.options.engine == Engine::sequential;
  const std::uint64_t batch = sequential ? 1 : std::clamp(task.options.words_at_once, 1U, kMostWordsAtOnce);
  rgsw::Total total(task.state.context, plan, rgsw::Engine::literal);
  auto& worker = task.lanes[0].worker;
  std::vector<Source> sources;
  for (std::uint64_t i = 0; i < batch; ++i) sources.emplace_back(task, 0);
  rgsw::Grid grid;
  grid.threads = static_cast<unsigned>(task.lanes.size());
  for (std::uint64_t at = block.begin; at < block.end;) {
    std::vector<rgsw::EncryptedWord> words;
    std::span<const rgsw::PatternBit> pattern;
    // Prepared words hold all bits, streamed ones only the compared: one call takes one kind.
    const bool kept = at < task.state.prepared.size();
    for (std::uint64_t w = at; w < std::min(block.end, at + batch) && (w < task.state.prepared.size()) == kept; ++w) {
      const auto& bits = sources[w - at].fetch(w, pattern);
      words.push_back({&bits, 0, sources[0].coefficient(w, block)});
    }
    if (sequential) {
      rgsw::add_match_sequential(total, words[0], pattern, static_cast<std::uint32_t>(pattern.size()), worker);
    } else {
      rgsw::add_matches_literal(total, words, pattern, grid, worker);
    }
    task.meter.step(words.size());
    at += words.size();
  }
  for (const auto& source : sources) source.report();
  return total;
}

}  // namespace

rgsw::Answer answer_block(Task& task, const Block& block, const rgsw::SearchPlan& plan) {
  auto total = task.options.engine == Engine::row ? sum_rows(task, block, plan) : sum_literally(task, block, plan);
  return rgsw::finish(total, task.lanes[0].worker);
}

}  // namespace ringfort::search
