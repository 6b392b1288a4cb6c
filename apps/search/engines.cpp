// SPDX-License-Identifier: Apache-2.0
// The two engines that compute an answer of the word search. An encrypted bit is a matrix, and a word's match is a
// product of such matrices. Engine::row computes only one row of this product, by a chain of external products (a row
// times a matrix). Engine::literal computes whole products for a batch of words, and divides them among the threads.
// The list of words is divided into shares. There is at least one worker for each device. A worker takes shares, and
// has a sum of its own. At the end the sums are added. Additions are exact mod q. Therefore the result does not depend
// on the assignment of words to workers. If a device fails, its sums are dropped, and the other devices add its words
// again. If device 0 fails, the search fails. A worker takes a word from memory if its device has read and kept the
// word before (`prepared`), otherwise from the files. It reads all bits of a word that its device will keep, and only
// the compared bits of other words.
#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>

#include "server.h"

namespace ringfort::search {

namespace {

constexpr std::uint32_t kMostWordsAtOnce = 256;  // each word needs scratch memory

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Reads words from memory or disk for one worker, and puts them on the worker's device.
class WordReader {
 public:
  WordReader(SearchJob& job, unsigned device, io::Index::Scratch& scratch)
      : job_(job),
        device_(device),
        scratch_(scratch) {
    for (std::uint32_t i = 0; i < job.pattern.size(); ++i) {
      compared_.push_back(job.pattern[i].index);
      selected_.push_back({i, job.pattern[i].wanted});
    }
    for (std::uint32_t i = 0; i < job.state.index.profile().hash_bits; ++i) all_.push_back(i);
  }
  // Tells whether this device keeps the word in its memory, now or after the first read. A word that another device
  // keeps is read from disk every time.
  [[nodiscard]] bool keeps(std::uint64_t word) const {
    const auto& prepared = job_.state.prepared;
    return word < prepared.size() && (prepared[word].bits == nullptr || prepared[word].device == device_);
  }
  // Returns the word's bits, valid until the next call, and sets `pattern` to the bits to compare.
  const rgsw::EncryptedBits& read(std::uint64_t word, std::span<const rgsw::PatternBit>& pattern) {
    const bool keep = keeps(word);
    pattern = keep ? std::span<const rgsw::PatternBit>(job_.pattern) : std::span<const rgsw::PatternBit>(selected_);
    if (keep && job_.state.prepared[word].bits) {
      ++found_;
      return *job_.state.prepared[word].bits;
    }
    const auto start = Clock::now();
    auto fresh = keep ? std::make_unique<rgsw::EncryptedBits>() : nullptr;
    rgsw::EncryptedBits& into = keep ? *fresh : streamed_;
    job_.state.index.read_word(word, keep ? all_ : compared_, job_.state.contexts[device_], into, scratch_);
    seconds_ += seconds_since(start);
    if (keep) job_.state.prepared[word] = {std::move(fresh), device_};
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
  unsigned device_;
  io::Index::Scratch& scratch_;
  rgsw::EncryptedBits streamed_;
  std::vector<std::uint32_t> compared_, all_;
  std::vector<rgsw::PatternBit> selected_;
  std::uint64_t found_ = 0;
  double seconds_ = 0;
};

// One running sum on one device. All workers take shares of the range from one queue.
class Worker {
 public:
  Worker(SearchJob& job, const AnswerRange& range, const rgsw::SearchPlan& plan, unsigned device, unsigned number)
      : job_(job),
        range_(range),
        device_(device),
        evaluator_(job.state.contexts[device], threads_of_call(job)),
        sum_(job.state.contexts[device], plan, engine_of(job)) {
    for (std::uint64_t i = 0; i < words_at_once(job); ++i) readers_.emplace_back(job, device, job.scratch[number]);
  }
  static rgsw::Engine engine_of(const SearchJob& job) {
    return job.options.engine == Engine::row ? rgsw::Engine::row : rgsw::Engine::literal;
  }
  static std::uint64_t words_at_once(const SearchJob& job) {
    return job.options.engine == Engine::row ? 1 : std::clamp(job.options.words_at_once, 1U, kMostWordsAtOnce);
  }
  [[nodiscard]] unsigned device() const { return device_; }
  [[nodiscard]] std::span<const Range> shares() const { return shares_; }
  [[nodiscard]] rgsw::MatchSum& sum() { return sum_; }

  // Adds the words of a share. The share belongs to this worker even if add() fails.
  void add(const Range& share) {
    shares_.push_back(share);
    if (job_.options.engine == Engine::row) add_rows(share);
    else add_literally(share);
  }
  [[nodiscard]] std::uint64_t counted() const { return counted_; }  // words that this worker has reported as progress
  void report() const {
    for (const auto& reader : readers_) reader.report();
  }

 private:
  // The row engine has a worker for each thread. The literal engine has one worker for each device, and divides the
  // job's threads evenly among its workers.
  static unsigned threads_of_call(const SearchJob& job) {
    if (job.options.engine == Engine::row) return 1;
    return std::max(1U, job.threads / static_cast<unsigned>(job.state.contexts.size()));
  }
  void add_rows(const Range& share) {
    for (std::uint64_t w = share.begin; w < share.end; ++w) {
      std::span<const rgsw::PatternBit> pattern;
      const auto& bits = readers_[0].read(w, pattern);
      evaluator_.add_match(sum_, {&bits, 0, readers_[0].coefficient(w, range_)}, pattern);
      count(1);
    }
  }
  void count(std::uint64_t words) {
    counted_ += words;
    job_.counter.add(words);
  }
  void add_literally(const Range& share) {
    for (std::uint64_t at = share.begin; at < share.end;) {
      std::vector<rgsw::EncryptedWord> words;
      std::span<const rgsw::PatternBit> pattern;
      // A word that is kept in memory has all its bits. A word that is read from disk has only the compared bits. A
      // call must not mix the two kinds of words.
      const bool kept = readers_[0].keeps(at);
      const std::uint64_t end = std::min<std::uint64_t>(share.end, at + readers_.size());
      for (std::uint64_t w = at; w < end && readers_[0].keeps(w) == kept; ++w) {
        const auto& bits = readers_[w - at].read(w, pattern);
        words.push_back({&bits, 0, readers_[0].coefficient(w, range_)});
      }
      evaluator_.add_matches_literal(sum_, words, pattern);
      count(words.size());
      at += words.size();
    }
  }

  SearchJob& job_;
  const AnswerRange& range_;
  unsigned device_;
  rgsw::SearchEvaluator evaluator_;
  rgsw::MatchSum sum_;
  std::vector<WordReader> readers_;  // one for each word of a call
  std::vector<Range> shares_;
  std::uint64_t counted_ = 0;
};

// Shares the words of an answer among workers on all devices, and repeats the work of devices that fail.
class Distribution {
 public:
  Distribution(SearchJob& job, const AnswerRange& range, const rgsw::SearchPlan& plan)
      : job_(job),
        range_(range),
        plan_(plan) {
    const bool is_shared = job.state.contexts.size() > 1;
    // With one device, each worker gets one contiguous share, because it costs least to add neighbouring words of one
    // document. With several devices, shares are smaller. Then a fast device can take more shares than a slow device.
    const std::uint64_t words = range.end - range.begin;
    const std::uint64_t wanted = workers() * (is_shared ? kSharesOfWorker : 1);
    const unsigned count =
        static_cast<unsigned>(std::clamp<std::uint64_t>(wanted, 1, std::max<std::uint64_t>(words, 1)));
    for (unsigned p = 0; p < count; ++p) {
      const Range each = share(words, p, count);
      waiting_.push_back({range.begin + each.begin, range.begin + each.end});
    }
  }

  rgsw::Answer answer() {
    while (!waiting_.empty()) run_round();
    return rgsw::SearchEvaluator(job_.state.contexts[0]).make_answer(*total_);
  }

 private:
  // The number of shares for each worker. At the end, the other devices wait for at most one share of a slow device.
  static constexpr std::uint64_t kSharesOfWorker = 8;

  [[nodiscard]] unsigned workers() const {
    const auto devices = static_cast<unsigned>(job_.state.contexts.size());
    return job_.options.engine == Engine::row ? std::max(job_.threads, devices) : devices;
  }
  [[nodiscard]] std::vector<unsigned> live_devices() const {
    std::vector<unsigned> live;
    for (unsigned d = 0; d < job_.state.lost.size(); ++d) {
      if (job_.state.lost[d] == 0) live.push_back(d);
    }
    return live;
  }

  struct DeviceWorker {
    unsigned device;
    std::optional<Worker> worker;
  };

  void run_round() {
    const std::vector<unsigned> live = live_devices();
    std::vector<DeviceWorker> all;
    for (unsigned w = 0; w < workers(); ++w) all.push_back({live[w % live.size()], {}});
    on_threads(workers(), [&](unsigned w) {
      DeviceWorker& each = all[w];
      guarded(each.device, [&] {
        each.worker.emplace(job_, range_, plan_, each.device, w);
        for (Range next; take(each.device, next);) each.worker->add(next);
      });
    });
    for (DeviceWorker& each : all) {
      if (each.worker) merge(each.device, *each.worker);
    }
  }
  // The sum of device 0's worker is the first one. Therefore the total is on device 0.
  void merge(unsigned device, Worker& worker) {
    if (!total_) total_.emplace(std::move(worker.sum()));
    else if (!is_lost(device) && !worker.shares().empty())
      guarded(device, [&] { rgsw::SearchEvaluator(job_.state.contexts[0]).merge(*total_, worker.sum()); });
    if (is_lost(device)) repeat(device, worker);
    else worker.report();
  }
  [[nodiscard]] bool is_lost(unsigned device) const { return job_.state.lost[device] != 0; }
  // Runs f(). If f() reports the loss of its device, records the loss. The loss of device 0 is thrown again, because
  // that device has the total.
  template <class F>
  void guarded(unsigned device, F f) {
    try {
      f();
    } catch (const Error& error) {
      if (error.code() != Code::device_lost || device == 0) throw;
      const std::lock_guard lock(mutex_);
      if (is_lost(device)) return;
      job_.state.lost[device] = 1;
      job_.state.report.lost_devices.push_back(job_.state.contexts[device].device());
    }
  }
  bool take(unsigned device, Range& out) {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty() || is_lost(device)) return false;
    out = waiting_.back();
    waiting_.pop_back();
    return true;
  }
  // Gives the words of a lost device to the other devices.
  void repeat(unsigned device, const Worker& worker) {
    waiting_.insert(waiting_.end(), worker.shares().begin(), worker.shares().end());
    job_.counter.take_back(worker.counted());
    for (auto& prepared : job_.state.prepared) {
      if (prepared.device == device) prepared.bits.reset();
    }
  }

  SearchJob& job_;
  const AnswerRange& range_;
  const rgsw::SearchPlan& plan_;
  std::optional<rgsw::MatchSum> total_;
  std::mutex mutex_;  // guards the queue and the list of lost devices
  std::vector<Range> waiting_;
};

}  // namespace

rgsw::Answer search_range(SearchJob& job, const AnswerRange& range, const rgsw::SearchPlan& plan) {
  return Distribution(job, range, plan).answer();
}

}  // namespace ringfort::search
