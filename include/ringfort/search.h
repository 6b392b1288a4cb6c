// SPDX-License-Identifier: Apache-2.0
// Encrypted word search. An owner indexes words; senders with the owner's public keys can index words, too. A server
// without secrets counts the words that equal a query. The owner decrypts the counts. The server does not learn words,
// counts, or which documents match. It learns sizes, the keyed hash of a query's word, and therefore which queries are
// equal. The public keys contain the key of this hash: a server that has the public keys can guess words. Words are
// UTF-8, and the caller normalises them. "field:word" and "word" have different hashes. The search computes with
// Ring-GSW ciphertexts (rgsw_search.h).
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
// order: the length of the field (one byte), the field, the word. Errors, also of pattern_of and make_query:
// invalid_argument (an empty word, a field above 255 bytes).
[[nodiscard]] std::uint64_t hash_word(std::span<const std::uint8_t> word_key, std::string_view word);
// Returns a pattern with eight of 64 bits set. There are C(64, 8) such patterns, numbered from 0 in ascending order.
// The result is the pattern with number `rank` mod C(64, 8).
[[nodiscard]] std::uint64_t constant_weight(std::uint64_t rank);
// Returns the bits that represent a word. An index encrypts them; a query contains them in the clear.
[[nodiscard]] std::uint64_t pattern_of(const io::Profile& profile, std::span<const std::uint8_t> word_key,
                                       std::string_view word);
[[nodiscard]] io::Query make_query(const io::Keys& keys, std::string_view word);

struct KeyOptions {  // options of generate_keys
  std::string preset = "gsw128";
  bool allow_insecure = false;
  std::uint32_t hash_bits = 32;  // 8 .. 64; 64 if constant_weight is true
  bool constant_weight = false;
};
// Errors: invalid_argument, insecure_parameters, entropy_unavailable.
[[nodiscard]] io::Keys generate_keys(const KeyOptions& options);

struct Document {  // the words of one message, to be added to an index
  std::string message_id;
  std::string subject;
  std::vector<std::string> words;  // normalised by the caller
  std::string body;                // empty: the index keeps no body
  io::ContentDigest content{};     // digest of the document's source, for io::Index::contains
};
struct IndexOptions {      // options of add_documents
  unsigned threads = 1;    // 0: the number of processors
  bool as_sender = false;  // encrypts with the public key even if the secret key is present
  bool pad_bodies = true;  // true: pads bodies to padme(length), so that the server does not see their lengths
  // true: adds words that a query matches only by accident; the server sees padded_words(count) instead of the count
  bool pad_words = false;
};
// Returns the number of words that add_documents writes if pad_words is set, for a document that has `words` words
// without omitted repeats.
[[nodiscard]] std::uint64_t padded_words(std::uint64_t words) noexcept;
struct IndexReport {  // report of add_documents
  std::uint64_t documents = 0;
  std::uint64_t words = 0;  // words encrypted and written, including padding
  std::uint64_t bytes = 0;
  double seconds = 0;
};
// Adds documents. Omits the repeats of a word above index.most_repeats(). After an error or a stop, the index has all
// documents that were completely written. Errors: invalid_argument (an empty word), parameters_mismatch, key_missing,
// mode_forbidden, the io_* codes.
IndexReport add_documents(io::Index& index, const io::Keys& keys, std::span<const Document> documents,
                          const IndexOptions& options, const Progress& progress = {});

enum class Engine : std::uint8_t {  // method of comparing words
  row = 1,                          // for each word and bit, computes one row of the matrix product; for daily use
  literal = 2,                      // computes the whole matrix product [MartinsSousa16, Alg. 2 and 3]
};
struct SearchOptions {  // options of Server::search
  Engine engine = Engine::row;
  unsigned threads = 1;  // 0: the number of processors
  bool total = false;    // true: one count of all documents; false: one count for each document
  // Largest number of words in one answer that equal the query. 0: the library uses the number of documents times
  // Index::most_repeats(). If repeats are not limited, or if the preset has public keys, the library uses the number of
  // all words: a holder of public keys may choose words that nearly match. If you set a number, you promise that nobody
  // chose such words (docs/notes/0003-rgsw-noise.md).
  std::uint64_t max_matches = 0;
  // T, a power of two. The caller promises that every count is below T. A larger count is decrypted modulo T. 0: the
  // library uses a T above every count of a document that the index allows. If `total` is true, accidental matches
  // count too; then the total reaches T with probability at most 2^-failure_bits.
  std::uint32_t count_range = 0;
  std::uint64_t memory_bytes = 0;   // size of the cache that keeps expanded words for later searches
  std::uint32_t words_at_once = 8;  // for Engine::literal: number of words in one call, at most 256
};
struct SearchReport {  // report of a search
  std::uint64_t words = 0;
  std::uint64_t prepared_words = 0;  // number of these words that were in the cache
  double seconds = 0;
  double read_seconds = 0;  // time to read, check, unpack and expand words, summed over threads
  rgsw::SearchPlan plan;
  // devices that failed during the search; the remaining devices repeated the work
  std::vector<std::string> lost_devices;
};

// An index as a server opens it, without secrets. Call one object from one thread at a time: it starts `threads`
// threads itself. Several servers of one folder are independent. A moved-from server may only be assigned to and
// destroyed.
class Server {
 public:
  // An empty `device` means the device that the environment variable RINGFORT_DEVICE names, or "cpu" if it names none.
  // Errors: those of io::Index, device_unknown, noise_bound_exceeded (a word of the index is a copy of another word).
  explicit Server(const std::string& folder, std::string_view device = {}, bool allow_insecure = false);
  // Returns a server that shares the words of each search among several devices. Each device has at least one thread,
  // which takes the next words when the device is free. The bits of answers do not depend on the devices. After a
  // device has failed, the server does not use it again. If the first device of the list fails, the search fails
  // (device_lost). Errors: those of the constructor; invalid_argument (no device).
  [[nodiscard]] static Server on_devices(std::span<const std::string> devices, const std::string& folder,
                                         bool allow_insecure = false);
  Server(Server&&) noexcept;
  Server& operator=(Server&&) noexcept;
  ~Server();
  [[nodiscard]] const io::Index& index() const noexcept;
  // Returns the plan that search would use. Errors: invalid_argument, mode_forbidden, noise_bound_exceeded.
  [[nodiscard]] rgsw::SearchPlan plan(const SearchOptions& options) const;
  // Errors: invalid_argument (no sealed word), parameters_mismatch, noise_bound_exceeded (before any computation; at
  // its end, if two words share an encrypted bit), mode_forbidden, device_lost, stopped, the io_* codes.
  [[nodiscard]] io::AnswerFile search(const io::Query& query, const SearchOptions& options,
                                      const Progress& progress = {});
  [[nodiscard]] const SearchReport& report() const noexcept;  // report of the last search
  struct State;

 private:
  Server(std::span<const std::string> devices, const std::string& folder, bool allow_insecure);
  std::unique_ptr<State> state_;
};

// Returns one count for each document, or a single total. Errors: key_missing, and those of
// rgsw::Decryptor::decrypt_counts.
[[nodiscard]] std::vector<std::uint32_t> decrypt(const io::Keys& keys, const io::AnswerFile& answer);
// Returns the same counts after a check that `answer` belongs to `index` and that `index` has all counted documents.
// Errors: those of the function above; parameters_mismatch.
[[nodiscard]] std::vector<std::uint32_t> decrypt(const io::Keys& keys, const io::AnswerFile& answer,
                                                 const io::Index& index);

// An index and a query for estimate().
struct EstimateOptions {
  std::uint64_t words = 0;
  std::uint64_t documents = 0;
  std::uint32_t most_words = 0;  // largest number of words in one document; 0: about 2 * words / documents
  bool as_sender = false;
  SearchOptions search;
  // true: measures this machine, in less than a second (longer with Engine::literal)
  bool measure = true;
};
struct Estimate {  // cost of an index and of a search
  rgsw::Security security;
  rgsw::SearchPlan plan;
  double false_positives = 0;  // expected number of words that match one query by chance
  std::uint64_t index_bytes = 0;
  std::uint64_t answer_bytes = 0;
  std::uint64_t answers = 0;
  double index_seconds = 0;   // 0: not measured
  double search_seconds = 0;  // time to match all words in memory; a search from disk takes longer
};
// Errors: those of rgsw::preset and Server::plan; io_limit.
[[nodiscard]] Estimate estimate(const KeyOptions& keys, const EstimateOptions& options);

}  // namespace ringfort::search
