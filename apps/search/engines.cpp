// SPDX-License-Identifier: Apache-2.0
// The two engines. Engine::row computes one chain of external products for each word. The words are divided among the
// threads, and each thread has a sum of its own. At the end the sums are added; this is exact mod q, so the result does
// not depend on the number of threads. Engine::literal divides the matrix products of a batch of words among the
// threads. Prepared words are in memory. Of other words, the engines read only the encrypted bits that the query
// compares, from the mapped segments.
#include <algorithm>
#include <chrono>

#include "server.h"

namespace ringfort::search {

namespace {

constexpr std::uint32_t kMostWordsAtOnce = 256;  // each word needs scratch memory

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Reads words for one thread, from memory or disk.
class WordReader {
 public:
  WordReader(SearchJob& job, unsigned thread) : job_(job), scratch_(job.scratch[thread]) {
    for (std::uint32_t i = 0; i < job.pattern.size(); ++i) {
      compared_.push_back(job.pattern[i].index);
      selected_.push_back({i, job.pattern[i].wanted});
    }
    for (std::uint32_t i = 0; i < job.state.index.profile().hash_bits; ++i) all_.push_back(i);
  }
  // Returns the word's bits, valid until the next call, and sets `pattern` to the bits to compare.
  const rgsw::EncryptedBits& read(std::uint64_t word, std::span<const rgsw::PatternBit>& pattern) {
    auto& prepared = job_.state.prepared;
    const bool keep = word < prepared.size();
    pattern = keep ? std::span<const rgsw::PatternBit>(job_.pattern) : std::span<const rgsw::PatternBit>(selected_);
    if (keep && prepared[word]) {
      ++found_;
      return *prepared[word];
    }
    const auto start = Clock::now();
    auto fresh = keep ? std::make_unique<rgsw::EncryptedBits>() : nullptr;
    rgsw::EncryptedBits& into = keep ? *fresh : streamed_;
    job_.state.index.read_word(word, keep ? all_ : compared_, job_.state.context, into, scratch_);
    seconds_ += seconds_since(start);
    if (keep) prepared[word] = std::move(fresh);
    return into;
  }
  [[nodiscard]] std::uint32_t coefficient(std::uint64_t word, const AnswerRange& range) const {
    return job_.options.total ? 0 : job_.state.document_of[word] - range.first_document;
  }
  void report() const {
    job_.state.report.prepared_words += found_;
    job_.state.report.read_seconds += seconds_;
  }

 private:
  SearchJob& job_;
  io::Index::Scratch& scratch_;
  rgsw::EncryptedBits streamed_;
  std::vector<std::uint32_t> compared_, all_;
  std::vector<rgsw::PatternBit> selected_;
  std::uint64_t found_ = 0;
  double seconds_ = 0;
};

rgsw::MatchSum sum_rows(SearchJob& job, const AnswerRange& range, const rgsw::SearchPlan& plan) {
  const unsigned threads = job.threads();
  const rgsw::SearchEvaluator evaluator(job.state.context);
  std::vector<rgsw::MatchSum> sums;
  std::vector<WordReader> readers;
  for (unsigned t = 0; t < threads; ++t) {
    sums.emplace_back(job.state.context, plan);
    readers.emplace_back(job, t);
  }
  on_threads(threads, [&](unsigned t) {
    const Range mine = part(range.end - range.begin, t, threads);
    for (std::uint64_t w = range.begin + mine.begin; w < range.begin + mine.end; ++w) {
      std::span<const rgsw::PatternBit> pattern;
      const auto& bits = readers[t].read(w, pattern);
      evaluator.add_match(sums[t], {&bits, 0, readers[t].coefficient(w, range)}, pattern);
      job.counter.add();
    }
  });
  for (unsigned t = 0; t < threads; ++t) {
    readers[t].report();
    if (t > 0) evaluator.merge(sums[0], sums[t]);
  }
  return std::move(sums[0]);
}

rgsw::MatchSum sum_literally(SearchJob& job, const AnswerRange& range, const rgsw::SearchPlan& plan) {
  const std::uint64_t batch = std::clamp(job.options.words_at_once, 1U, kMostWordsAtOnce);
  const rgsw::SearchEvaluator evaluator(job.state.context, job.threads());
  rgsw::MatchSum sum(job.state.context, plan, rgsw::Engine::literal);
  std::vector<WordReader> readers;
  for (std::uint64_t i = 0; i < batch; ++i) readers.emplace_back(job, 0);
  for (std::uint64_t at = range.begin; at < range.end;) {
    std::vector<rgsw::EncryptedWord> words;
    std::span<const rgsw::PatternBit> pattern;
    // A prepared word has all its bits, a streamed word only the compared bits, so a call must not mix both kinds.
    const bool kept = at < job.state.prepared.size();
    for (std::uint64_t w = at; w < std::min(range.end, at + batch) && (w < job.state.prepared.size()) == kept; ++w) {
      const auto& bits = readers[w - at].read(w, pattern);
      words.push_back({&bits, 0, readers[0].coefficient(w, range)});
    }
    evaluator.add_matches_literal(sum, words, pattern);
    job.counter.add(words.size());
    at += words.size();
  }
  for (const auto& reader : readers) reader.report();
  return sum;
}

}  // namespace

rgsw::Answer search_range(SearchJob& job, const AnswerRange& range, const rgsw::SearchPlan& plan) {
  auto sum = job.options.engine == Engine::row ? sum_rows(job, range, plan) : sum_literally(job, range, plan);
  return rgsw::SearchEvaluator(job.state.context).make_answer(sum);
}

}  // namespace ringfort::search
