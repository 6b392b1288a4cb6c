// SPDX-License-Identifier: Apache-2.0
// Encrypted word search: an owner (or senders with the public keys) indexes words, a server without secrets counts the
// words equal to a query, and the owner decrypts the counts. The server learns the hash of the query's word under the
// index's own key, sizes, and which queries are equal. It does not learn words, counts, or which documents match.
// Senders need the key of the hash: a server that gets a public key set from one of them can try words. Words are
// UTF-8; the caller normalises them. "field:word" and "word" have different hashes. Engine: Ring-GSW (rgsw_search.h).
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

// Returns the first 8 bytes, little endian, of the BLAKE2b-128 hash, keyed with `word_key`, of: u8 length of the field
// | field | word.
[[nodiscard]] std::uint64_t hash_word(std::span<const std::uint8_t> word_key, std::string_view word);
// Returns the colexicographic pattern number rank mod C(64, 8) with eight of 64 bits set.
[[nodiscard]] std::uint64_t constant_weight(std::uint64_t rank);
// Returns the bits that are encrypted for a word, or shown to the server as its query.
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
  std::string body;                // empty: keeps none
  io::ContentDigest content{};     // of its source: io::Index::held finds it again
};
struct IndexOptions {
  unsigned threads = 1;
  bool as_sender = false;  // encrypts with the public key even if the secret one is present
  bool pad_bodies = true;  // the server sees padme() of a body's length instead of the length
  // likewise pads the number of a document's words, at least 16, with words that no query matches
  bool pad_words = false;
};
// Returns the number of words written for a document of `words` words with pad_words.
[[nodiscard]] std::uint64_t padded_words(std::uint64_t words) noexcept;
struct IndexReport {
  std::uint64_t documents = 0;
  std::uint64_t words = 0;  // encrypted and written, padding included
  std::uint64_t bytes = 0;
  double seconds = 0;
};
// Adds documents. A word occurs at most index.most_repeats() times in a document. A document is committed after its
// last word; after an error or a stop the earlier documents stay. Errors: parameters_mismatch, key_missing,
// mode_forbidden, the io_* codes.
IndexReport add_documents(io::Index& index, const io::Keys& keys, std::span<const Document> documents,
                          const IndexOptions& options, const Progress& progress = {});

enum class Engine : std::uint8_t {
  row = 1,      // one row of the product per word and bit: for daily use
  literal = 2,  // the full matrix product [MartinsSousa16, Alg. 2 and 3]
};
struct SearchOptions {
  Engine engine = Engine::row;
  unsigned threads = 1;
  bool total = false;  // one count over all documents instead of one per document
  // Most words of one answer that equal the query. 0: all words if the preset has public keys, because their holders
  // may choose words that nearly match; otherwise the index's declaration. With a number the caller also promises that
  // nobody chose such words (docs/notes/0003-rgsw-noise.md).
  std::uint64_t max_matches = 0;
  std::uint32_t count_range = 0;    // a power of two above every count; 0: from the index
  std::uint64_t memory_bytes = 0;   // cache of prepared words between searches
  std::uint32_t words_at_once = 8;  // literal: the paper's s, 256 at most
};
struct SearchReport {
  std::uint64_t words = 0;
  std::uint64_t prepared_words = 0;  // part of words: found in memory
  double seconds = 0;
  double read_seconds = 0;  // reading, checking, unpacking and expanding, summed over threads
  rgsw::SearchPlan plan;
};

// An index in the server's view, without secrets. For one thread at a time; it uses `threads` itself (Python threads
// must take turns). Several servers of one folder share nothing. A moved-from server may only be assigned to and
// destroyed.
class Server {
 public:
  // An empty `device` means the environment variable RINGFORT_DEVICE, or "cpu" if that is not set.
  explicit Server(const std::string& folder, std::string_view device = {}, bool allow_insecure = false);
  Server(Server&&) noexcept;
  Server& operator=(Server&&) noexcept;
  ~Server();
  [[nodiscard]] const io::Index& index() const noexcept;
  // Returns the plan that search would use, or throws its errors: noise_bound_exceeded, mode_forbidden.
  [[nodiscard]] rgsw::SearchPlan plan(const SearchOptions& options) const;
  // Errors: parameters_mismatch, noise_bound_exceeded (before any computation), mode_forbidden, the io_* codes.
  [[nodiscard]] io::AnswerFile search(const io::Query& query, const SearchOptions& options,
                                      const Progress& progress = {});
  [[nodiscard]] const SearchReport& report() const noexcept;  // of the last search
  struct State;

 private:
  std::unique_ptr<State> state_;
};

// Returns one count for each document, or a single total. Errors: key_missing, parameters_mismatch,
// noise_bound_exceeded.
[[nodiscard]] std::vector<std::uint32_t> decrypt(const io::Keys& keys, const io::AnswerFile& answer);
// Does the same and checks that `index` has the counted documents. Errors: also parameters_mismatch for an answer of
// another index.
[[nodiscard]] std::vector<std::uint32_t> decrypt(const io::Keys& keys, const io::AnswerFile& answer,
                                                 const io::Index& index);

// Size of an index and a query whose cost and guarantees estimate() computes before any work.
struct EstimateOptions {
  std::uint64_t words = 0;
  std::uint64_t documents = 0;
  std::uint32_t most_words = 0;  // most words of one document; 0: words / documents, doubled
  bool as_sender = false;
  SearchOptions search;
  // runs a quick calibration on this machine (under a second except for the full products)
  bool measure = true;
};
struct Estimate {
  rgsw::Security security;
  rgsw::SearchPlan plan;
  double false_positives = 0;  // expected number in one query
  std::uint64_t index_bytes = 0;
  std::uint64_t answer_bytes = 0;
  std::uint64_t answers = 0;
  double index_seconds = 0;   // 0: not measured
  double search_seconds = 0;  // time of a search that reads every word from disk
};
// Errors: noise_bound_exceeded and the other errors of the search itself.
[[nodiscard]] Estimate estimate(const KeyOptions& keys, const EstimateOptions& options);

}  // namespace ringfort::search
