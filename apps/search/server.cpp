// SPDX-License-Identifier: Apache-2.0
// The server of the word search (ringfort/search.h): opens an index, plans a search, and makes one answer for each
// range of documents.
#include <algorithm>
#include <array>
#include <chrono>

#include "server.h"

namespace ringfort::search {

namespace {

// Returns the shape of the largest answer. A plan for this shape fits all answers.
IndexShape shape_of(const Server::State& state, const SearchOptions& options) {
  IndexShape shape;
  const auto& index = state.index;
  shape.mode = index.mode();
  shape.most_words = index.most_words_of_a_document();
  shape.most_repeats = index.most_repeats();
  for (const AnswerRange& range : answer_ranges(state, options.total))
    shape.words = std::max(shape.words, range.end - range.begin);
  shape.documents = options.total ? index.documents() : std::min(index.documents(), index.profile().parameters.n);
  return shape;
}

void keep_prepared(Server::State& state, std::uint64_t memory_bytes) {
  const std::uint64_t words =
      std::min<std::uint64_t>(memory_bytes / prepared_bytes(state.index.profile()), state.document_of.size());
  state.prepared.resize(words);
}

}  // namespace

Server::Server(Server&&) noexcept = default;
Server& Server::operator=(Server&&) noexcept = default;
Server::~Server() = default;

Server::Server(const std::string& folder, std::string_view device, bool allow_insecure)
    : Server(std::array{std::string(device)}, folder, allow_insecure) {}

Server Server::on_devices(std::span<const std::string> devices, const std::string& folder, bool allow_insecure) {
  return {devices, folder, allow_insecure};
}

Server::Server(std::span<const std::string> devices, const std::string& folder, bool allow_insecure)
    : state_(std::make_unique<State>(io::Index(folder, {.allow_insecure = allow_insecure}), devices)) {
  if (devices.empty()) throw Error(Code::invalid_argument, "the server was given no device", "name at least one");
  const auto& index = state_->index;
  state_->document_of.reserve(index.words());
  std::uint32_t run = 0, longest = 0;
  for (std::uint64_t w = 0; w < index.words(); ++w) {
    const std::uint32_t document = index.document_of(w);
    if (w > 0 && document < state_->document_of.back()) {
      throw Error(Code::io_range, "document numbers decrease within a segment", "run ringfort search verify");
    }
    run = w > 0 && document == state_->document_of.back() ? run + 1 : 1;
    longest = std::max(longest, run);
    state_->document_of.push_back(document);
  }
  if (const auto copied = index.copied_words()) {
    throw Error(
        Code::noise_bound_exceeded,
        "word " + std::to_string(copied->second) + " of the index, of document " +
            std::to_string(state_->document_of[copied->second]) + ", is a copy of word " +
            std::to_string(copied->first) + ", of document " + std::to_string(state_->document_of[copied->first]) +
            ": the errors of copies add up",
        "make the index again without the copy: the noise bound covers only words that are encrypted one by one");
  }
  // The range of counts follows from the numbers in the segments' footers. If a footer states less than the true
  // number, counts could wrap around.
  if (longest > index.most_words_of_a_document()) {
    throw Error(Code::io_range,
                "a document has " + std::to_string(longest) + " words, more than the " +
                    std::to_string(index.most_words_of_a_document()) + " in its segment's footer",
                "run ringfort search verify");
  }
}

const io::Index& Server::index() const noexcept { return state_->index; }
const SearchReport& Server::report() const noexcept { return state_->report; }
rgsw::SearchPlan Server::plan(const SearchOptions& options) const {
  return plan_for(state_->index.profile(), shape_of(*state_, options), options);
}

io::AnswerFile Server::search(const io::Query& query, const SearchOptions& options, const Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  const auto& profile = state_->index.profile();
  if (io::digest(query.profile) != io::digest(profile)) {
    throw Error(Code::parameters_mismatch, "the query belongs to another index", "make it with the keys of this index");
  }
  state_->report = {};
  const auto plan = this->plan(options);  // throws before any computation
  keep_prepared(*state_, options.memory_bytes);
  const unsigned threads = thread_count(options.threads);
  std::vector<io::Index::Scratch> scratch(std::max<std::size_t>(threads, state_->contexts.size()));
  ProgressCounter counter(progress, state_->document_of.size());
  SearchJob job{*state_, pattern_bits(profile, query.pattern), options, scratch, counter, threads};
  io::AnswerFile answer;
  answer.profile = profile;
  answer.index_id = state_->index.id();
  answer.total = options.total;
  answer.documents = state_->index.documents();
  for (const AnswerRange& range : answer_ranges(*state_, options.total))
    answer.answers.push_back(search_range(job, range, plan));
  state_->report.words = state_->document_of.size();
  state_->report.plan = plan;
  state_->report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return answer;
}

}  // namespace ringfort::search
