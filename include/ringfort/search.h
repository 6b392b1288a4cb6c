// SPDX-License-Identifier: Apache-2.0
// Encrypted word search. An owner, or senders with the public keys, index words. A server without secrets counts the
// words that equal a query, and the owner decrypts the counts. The server does not learn words, counts, or which
// documents match. It learns sizes, which queries are equal, and the keyed hash of the query's word. The public keys
// contain the key of this hash: a server that has the public keys can guess words. Words are UTF-8; the caller
// normalises them. "field:word" and "word" have different hashes. The engine is Ring-GSW (rgsw_search.h).
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

// Returns the first 8 bytes, little endian, of a BLAKE2b-128 hash with the key `word_key`. The hash covers, in this
// order: the length of the field (one byte), the field, the word.
[[nodiscard]] std::uint64_t hash_word(std::span<const std::uint8_t> word_key, std::string_view word);
// Returns pattern number rank mod C(64, 8) of all patterns with eight of 64 bits set, in colexicographic order.
[[nodiscard]] std::uint64_t constant_weight(std::uint64_t rank);
// Returns the bits of a word: an index encrypts them, and a query contains them.
[[nodiscard]] std::uint64_t pattern_of(const io::Profile& profile, std::span<const std::uint8_t> word_key,
                                       std::string_view word);
[[nodiscard]] io::Query make_query(const io::Keys& keys, std::string_view word);

struct KeyOptions {  // options of generate_keys
  std::string preset = "gsw128";
  bool allow_insecure = false;
  std::uint32_t hash_bits = 32;  // 8 .. 64; 64 with the constant-weight code
  bool constant_weight = false;
};
// Errors: invalid_argument, insecure_parameters, entropy_unavailable.
[[nodiscard]] io::Keys generate_keys(const KeyOptions& options);

struct Document {  // words that one message adds to an index
  std::string message_id;
  std::string subject;
  std::vector<std::string> words;  // normalised
  std::string body;                // empty: the index keeps no body
  io::ContentDigest content{};     // digest of its source, for io::Index::held
};
struct IndexOptions {  // options of add_documents
  unsigned threads = 1;
  bool as_sender = false;  // encrypts with the public key even if the secret key is present
  bool pad_bodies = true;  // the server sees padme() of a body's length instead of the length
  // adds words that no query matches, so that the server sees padded_words() of their number
  bool pad_words = false;
};
// Returns the number of words that add_documents writes for a document of `words` words if pad_words is set.
[[nodiscard]] std::uint64_t padded_words(std::uint64_t words) noexcept;
struct IndexReport {  // report of add_documents
  std::uint64_t documents = 0;
  std::uint64_t words = 0;  // encrypted and written, padding included
  std::uint64_t bytes = 0;
  double seconds = 0;
};
// Adds documents. A document must have each word at most index.most_repeats() times. After an error or a stop, the
// index keeps all documents that were complete. Errors: parameters_mismatch, key_missing, mode_forbidden, the io_*
// codes.
IndexReport add_documents(io::Index& index, const io::Keys& keys, std::span<const Document> documents,
                          const IndexOptions& options, const Progress& progress = {});

enum class Engine : std::uint8_t {  // method of comparing words
  row = 1,                          // one row of the product per word and bit: for daily use
  literal = 2,                      // the full matrix product [MartinsSousa16, Alg. 2 and 3]
};
struct SearchOptions {  // options of Server::search
  Engine engine = Engine::row;
  unsigned threads = 1;
  bool total = false;  // one count over all documents instead of one per document
  // Largest number of words of one answer that equal the query. 0: if the preset has public keys, the library assumes
  // all words, because holders of these keys may choose words that nearly match. For other presets, the number is that
  // of the index. If you give a number, you also promise that nobody chose such words (docs/notes/0003-rgsw-noise.md).
  std::uint64_t max_matches = 0;
  // T, a power of two. The caller promises that every count is below T. A larger count decrypts to a value that is too
  // small by a multiple of T. 0: the library takes a T above every possible count of the index.
  std::uint32_t count_range = 0;
  std::uint64_t memory_bytes = 0;   // size of a cache that keeps prepared words for later searches
  std::uint32_t words_at_once = 8;  // Engine::literal: words of one call, 256 at most
};
struct SearchReport {  // report of a search
  std::uint64_t words = 0;
  std::uint64_t prepared_words = 0;  // part of words: found in the cache
  double seconds = 0;
  double read_seconds = 0;  // for reading, checking, unpacking and expanding words, summed over threads
  rgsw::SearchPlan plan;
  std::vector<std::string> lost_devices;  // devices that failed during the search; other devices repeated their work
};

// An index as a server uses it, without secrets. Use it from one thread at a time; it starts `threads` threads itself.
// Several servers of one folder are independent. A moved-from server may only be assigned to and destroyed.
class Server {
 public:
  // An empty `device` means the environment variable RINGFORT_DEVICE, or "cpu" if that is not set.
  explicit Server(const std::string& folder, std::string_view device = {}, bool allow_insecure = false);
  // Shares the words of each search among several devices, with at least one thread for each: a device takes the next
  // words when it is free. Answers have the same bits as those of one device. The server does not use a device again
  // after it has failed. If the first device fails, the search fails (device_lost). Errors: also invalid_argument (no
  // device).
  [[nodiscard]] static Server on_devices(std::span<const std::string> devices, const std::string& folder,
                                         bool allow_insecure = false);
  Server(Server&&) noexcept;
  Server& operator=(Server&&) noexcept;
  ~Server();
  [[nodiscard]] const io::Index& index() const noexcept;
  // Returns the plan that search would use, or throws its errors: noise_bound_exceeded, mode_forbidden.
  [[nodiscard]] rgsw::SearchPlan plan(const SearchOptions& options) const;
  // Errors: parameters_mismatch, noise_bound_exceeded (before any computation), mode_forbidden, the io_* codes.
  [[nodiscard]] io::AnswerFile search(const io::Query& query, const SearchOptions& options,
                                      const Progress& progress = {});
  [[nodiscard]] const SearchReport& report() const noexcept;  // report of the last search
  struct State;

 private:
  Server(std::span<const std::string> devices, const std::string& folder, bool allow_insecure);
  std::unique_ptr<State> state_;
};

// Returns one count for each document, or a single total. Errors: key_missing, parameters_mismatch,
// noise_bound_exceeded.
[[nodiscard]] std::vector<std::uint32_t> decrypt(const io::Keys& keys, const io::AnswerFile& answer);
// Returns the same counts. Also checks that `answer` belongs to this index, and that the index has all counted
// documents. Errors: also parameters_mismatch.
[[nodiscard]] std::vector<std::uint32_t> decrypt(const io::Keys& keys, const io::AnswerFile& answer,
                                                 const io::Index& index);

// An index and a query for estimate().
struct EstimateOptions {
  std::uint64_t words = 0;
  std::uint64_t documents = 0;
  std::uint32_t most_words = 0;  // most words of one document; 0: words / documents, doubled
  bool as_sender = false;
  SearchOptions search;
  // runs a quick calibration on this machine (under a second except for the full products)
  bool measure = true;
};
struct Estimate {  // cost of an index and of a search
  rgsw::Security security;
  rgsw::SearchPlan plan;
  double false_positives = 0;  // expected number in one query
  std::uint64_t index_bytes = 0;
  std::uint64_t answer_bytes = 0;
  std::uint64_t answers = 0;
  double index_seconds = 0;   // 0: not measured
  double search_seconds = 0;  // time to match all words in memory; from disk, a search takes longer
};
// Errors: noise_bound_exceeded and the other errors of the search itself.
[[nodiscard]] Estimate estimate(const KeyOptions& keys, const EstimateOptions& options);

}  // namespace ringfort::search
