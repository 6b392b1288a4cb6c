// SPDX-License-Identifier: Apache-2.0
// Encrypted word search: an owner (or senders with the public keys) indexes words, a server that holds no secret counts
// the words equal to a query, the owner decrypts the counts. The server learns the hash of the query's word under the
// index's own key, sizes, and which queries are equal; not the words, not the counts, not which documents match.
// Senders must hold the key of the hash: a server that gets a public key set from one of them can try words. Words are
// normalised UTF-8 (the caller's matter), "field:word" is hashed apart from "word". Engine: Ring-GSW (rgsw_search.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ringfort/io.h"
#include "ringfort/rgsw_search.h"

namespace ringfort::search {

// BLAKE2b-128 keyed with `word_key`, of u8 length of the field | field | word; its first 8 bytes, little endian.
[[nodiscard]] std::uint64_t hash_word(std::span<const std::uint8_t> word_key, std::string_view word);
// Eight of 64 bits, the colexicographic pattern number rank mod C(64, 8).
[[nodiscard]] std::uint64_t constant_weight(std::uint64_t rank);
// The bits that are encrypted for a word, or shown to the server as its query.
[[nodiscard]] std::uint64_t pattern_of(const io::Profile& profile, std::span<const std::uint8_t> word_key,
                                       std::string_view word);
[[nodiscard]] io::Query make_query(const io::Keys& keys, std::string_view word);

struct KeyOptions {
  std::string preset = "gsw128";
  bool allow_insecure = false;
  std::uint32_t hash_bits = 32;  // 8 .. 64; 64 with the constant-weight code
  bool constant_weight = false;
};
// Errors: invalid_argument, insecure_parameters, entropy_unavailable.
[[nodiscard]] io::Keys generate_keys(const KeyOptions& options);

struct Document {
  std::string message_id;
  std::string subject;
  std::vector<std::string> words;  // normalised
  std::string body;                // empty: none is kept
  io::ContentDigest content{};     // of what it was read from: io::Index::held finds it again
};
struct IndexOptions {
  unsigned threads = 1;
  bool as_sender = false;  // with the public key, though the secret one is there
  bool pad_bodies = true;  // the server sees padme() of a body's length, not the length
  // likewise of a document's words, 16 at least: more words are written that no query asks for
  bool pad_words = false;
};
// The words that a document of so many takes with pad_words.
[[nodiscard]] std::uint64_t padded_words(std::uint64_t words) noexcept;
struct IndexReport {
  std::uint64_t documents = 0;
  std::uint64_t words = 0;  // encrypted and written, with those that pad
  std::uint64_t bytes = 0;
  double seconds = 0;
};
// Each word at most index.most_repeats() times a document. A document is committed when its last word is written; on an
// error or a stop the documents before it stay. Errors: parameters_mismatch, key_missing, mode_forbidden, the io_*
// codes.
IndexReport add_documents(io::Index& index, const io::Keys& keys, std::span<const Document> documents,
                          const IndexOptions& options, const Progress& progress = {});

enum class Engine : std::uint8_t {
  row = 1,      // one row of the product a word and bit: for daily use
  literal = 2,  // the full matrix product [MartinsSousa16, Alg. 2 and 3]
};
struct SearchOptions {
  Engine engine = Engine::row;
  unsigned threads = 1;
  bool total = false;  // one count of all documents instead of one each
  // Most words of one answer equal to the query; 0: all words where the preset has public keys, for who has them may
  // choose words that nearly match; else by the index's declaration. A number is then also the promise that none did
  // (docs/notes/0003-rgsw-noise.md).
  std::uint64_t max_matches = 0;
  std::uint32_t count_range = 0;    // a power of two above every count; 0: from the index
  std::uint64_t memory_bytes = 0;   // words kept prepared between searches
  std::uint32_t words_at_once = 8;  // literal: the paper's s, 256 at most
};
struct SearchReport {
  std::uint64_t words = 0;
  std::uint64_t prepared_words = 0;  // of them, found in memory
  double seconds = 0;
  double read_seconds = 0;  // reading, checking, unpacking and expanding, summed over threads
  rgsw::SearchPlan plan;
};

// An index as a server holds it: no secret. For one thread at a time, which uses `threads` itself (in Python threads
// use it by turns); several servers of one folder share nothing. One that was moved from may be assigned to and
// destroyed, nothing else.
class Server {
 public:
  // An empty `device` is the one that the environment variable RINGFORT_DEVICE names, or "cpu".
  explicit Server(const std::string& folder, std::string_view device = {}, bool allow_insecure = false);
  Server(Server&&) noexcept;
  Server& operator=(Server&&) noexcept;
  ~Server();
  [[nodiscard]] const io::Index& index() const noexcept;
  // What the search would promise; refuses as the search would. Errors: noise_bound_exceeded, mode_forbidden.
  [[nodiscard]] rgsw::SearchPlan plan(const SearchOptions& options) const;
  // Errors: parameters_mismatch, noise_bound_exceeded (before anything is computed), mode_forbidden, the io_* codes.
  [[nodiscard]] io::AnswerFile search(const io::Query& query, const SearchOptions& options,
                                      const Progress& progress = {});
  [[nodiscard]] const SearchReport& report() const noexcept;  // of the last search
  struct State;

 private:
  std::unique_ptr<State> state_;
};

// One count for each document, or a single total. Errors: key_missing, parameters_mismatch, noise_bound_exceeded.
[[nodiscard]] std::vector<std::uint32_t> decrypt(const io::Keys& keys, const io::AnswerFile& answer);
// The same for counts whose documents `index` will name. Errors: also parameters_mismatch for an answer of another
// index.
[[nodiscard]] std::vector<std::uint32_t> decrypt(const io::Keys& keys, const io::AnswerFile& answer,
                                                 const io::Index& index);

// Before anything is done: what an index and a query of this size would take and promise.
struct EstimateOptions {
  std::uint64_t words = 0;
  std::uint64_t documents = 0;
  std::uint32_t most_words = 0;  // of one document; 0: words / documents, doubled
  bool as_sender = false;
  SearchOptions search;
  // a quick calibration on this machine (under a second but for the full products)
  bool measure = true;
};
struct Estimate {
  rgsw::Security security;
  rgsw::SearchPlan plan;
  double false_positives = 0;  // expected in one query
  std::uint64_t index_bytes = 0;
  std::uint64_t answer_bytes = 0;
  std::uint64_t answers = 0;
  double index_seconds = 0;   // 0: not measured
  double search_seconds = 0;  // with every word read from disk
};
// Errors: noise_bound_exceeded and the others that the search itself would give.
[[nodiscard]] Estimate estimate(const KeyOptions& keys, const EstimateOptions& options);

}  // namespace ringfort::search
