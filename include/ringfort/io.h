// SPDX-License-Identifier: Apache-2.0
// Files of the encrypted word search: keys, query tokens, answers and the index folder. docs/file-format.md describes
// every byte. Readers compare every length with the computed length, and check that every residue is below its modulus.
// Writers write a temporary file and rename it. Checksums detect accidents; they do not authenticate. Errors: the io_*
// codes of ringfort/error.h.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ringfort/progress.h"
#include "ringfort/rgsw_search.h"

namespace ringfort::io {

enum class FileType : std::uint16_t {  // a field of every header
  // files of the word search
  parameters = 1,
  secret_keys,
  public_keys,
  segment,
  query,
  answer,
  documents,
  bodies,
  // files of CKKS, BFV and BGV (ringfort/files.h)
  leveled_parameters,
  secret_key,
  public_key,
  relinearization_key,
  galois_keys,
  ciphertext,
  array,
  container,
  ledger
};

// Settings shared by all files of one key pair.
struct Profile {
  rgsw::Parameters parameters;
  std::uint32_t hash_bits = 32;  // 8 .. 64 plain bits; 64 with the constant-weight code
  bool constant_weight = false;  // eight of 64 bits are set
  std::array<std::uint8_t, 16> key_id{};
  // Returns the number of hash bits that are compared for each word.
  [[nodiscard]] std::uint32_t factors() const noexcept { return constant_weight ? 8 : hash_bits; }
};
// Returns a digest of all that defines the meaning of words, queries and answers. It excludes the preset's name, its
// permissions (public keys, the literal engine) and the reason for less than 128 bits.
[[nodiscard]] std::array<std::uint8_t, 32> digest(const Profile& profile);
// Tells whether the profiles are equal in every field. The owner's commands require that the profiles of an index and
// of an answer equal the profile of the keys.
[[nodiscard]] bool is_same(const Profile& a, const Profile& b);

using IndexId = std::array<std::uint8_t, 16>;  // random for each new index; copies of an index keep it

// 256 bits of a collision-resistant hash of a document's source. The owner treats documents with equal values as one,
// whatever their origin: hash all bytes, because message ids and subjects can be guessed. All zero: unknown.
using ContentDigest = std::array<std::uint8_t, 32>;

// These return exact numbers of bytes: word_bytes of one encrypted word in a segment file, index_bytes of an index with
// one sealed segment and without bodies (io_limit above 2^64), answer_bytes of an answer's file.
[[nodiscard]] std::uint64_t word_bytes(const Profile& profile, rgsw::Mode mode);
[[nodiscard]] std::uint64_t index_bytes(const Profile& profile, rgsw::Mode mode, std::uint64_t words,
                                        std::uint64_t documents);
[[nodiscard]] std::uint64_t answer_bytes(const Profile& profile, const rgsw::SearchPlan& plan, std::uint64_t blocks);

// Rounds a length up, by at most 12 %, to one of few lengths: there are fewer than 200 below 100,000
// [NikitinBarmanLueksUnderwoodHubauxFord19].
[[nodiscard]] std::uint64_t padme(std::uint64_t length) noexcept;

// Limits for a file that is small but expensive to read. A file that needs more than a limit fails before that work
// (io_limit).
struct Limits {
  std::uint32_t degree = 1U << 16;  // n of a ring
  // Primes of a ring, and the auxiliary primes of BFV's products. The number of auxiliary primes is an estimate: a ring
  // with few primes of the chain's length can have some more.
  std::uint32_t primes = 64;
  unsigned strength = 1;  // cost of a passphrase: 0, 1, 2: 64 MiB, 256 MiB, 1 GiB of memory
};

inline constexpr std::uint64_t kKeyLimit = std::uint64_t{4} << 20;  // four times the largest file of public keys

// A secret key set, or a public key set, with which one can only append words and make queries. Move-only; the
// destructor zeroes secrets. A moved-from object is empty: it may be assigned to, and every other use is an error
// (invalid_argument).
class Keys {
 public:
  Keys(Keys&&) noexcept;
  Keys& operator=(Keys&&) noexcept;
  ~Keys();
  // Generates a fresh set and draws profile.key_id. Errors: invalid_argument, insecure_parameters, entropy_unavailable.
  [[nodiscard]] static Keys generate(Profile profile, const rgsw::Context& context);
  // Errors: insecure_parameters for keys below 128 bits unless allowed; passphrase.
  [[nodiscard]] static Keys load_secret(const std::string& path, std::string_view passphrase,
                                        bool allow_insecure = false, std::uint64_t limit_bytes = kKeyLimit,
                                        const Limits& limits = {}, const Progress& progress = {});
  // Errors: insecure_parameters for keys below 128 bits unless allowed; secret_refused for a file of secret keys.
  [[nodiscard]] static Keys load_public(const std::string& path, bool allow_insecure = false,
                                        std::uint64_t limit_bytes = kKeyLimit);
  // Writes a file with mode 0600. A passphrase encrypts it (Argon2id; `strength` 0, 1, 2: 64 MiB, 256 MiB, 1 GiB of
  // memory). progress, here and in load_secret: polled while Argon2id runs; false stops.
  void save_secret(const std::string& path, std::string_view passphrase, unsigned strength = 1,
                   const Progress& progress = {}) const;
  void save_public(const std::string& path) const;

  [[nodiscard]] const Profile& profile() const;
  [[nodiscard]] const rgsw::Context& context() const;
  [[nodiscard]] const rgsw::SecretKey* secret_key() const;             // null in a public set
  [[nodiscard]] const rgsw::PublicKey* public_key() const;             // null if the preset has none
  [[nodiscard]] std::span<const std::uint8_t> word_key() const;        // 32 bytes, key of the word hash
  [[nodiscard]] std::span<const std::uint8_t, 32> box_public() const;  // X25519 key to which the document map is sealed
  // Returns a fingerprint of all public parts and of the whole profile, for an owner to read out and a sender to
  // compare. Errors: key_missing (a secret set of version 2 does not know its public key).
  [[nodiscard]] std::array<std::uint8_t, 16> fingerprint() const;
  struct State;
  [[nodiscard]] const State& state() const;

 private:
  explicit Keys(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

// A query: the hash of one word, as the server sees it. `pattern` bit i belongs to encrypted bit i of every word.
struct Query {
  Profile profile;
  std::uint64_t pattern = 0;  // below 2^hash_bits, or eight set bits
};
// Throws invalid_argument for a query that load_query would not accept.
void save_query(const std::string& path, const Query& query);
[[nodiscard]] Query load_query(const std::string& path);  // secret_refused for a secret key file

// Block i of a per-document answer has the counts of documents [i n, (i + 1) n). A total is one block with its count at
// coefficient 0.
struct AnswerFile {
  Profile profile;
  IndexId index_id{};  // the index whose documents are counted
  bool total = false;
  std::uint64_t documents = 0;
  std::vector<rgsw::Answer> blocks;
};
// rejects answers that load_answer would not accept
void save_answer(const std::string& path, const AnswerFile& answer);
[[nodiscard]] AnswerFile load_answer(const std::string& path, std::uint64_t limit_bytes = std::uint64_t{64} << 20);

struct OpenOptions {  // options of an Index
  bool append = false;
  bool allow_insecure = false;  // allows an index below 128 bits
};

// An index is a folder; docs/file-format.md lists its files. A writer appends the words of a document and then commits
// the document; the next opening for appending drops uncommitted words. A segment file is open while words are appended
// to it; `seal` makes it immutable. An index opened for reading may be used by several threads through const methods.
// An index opened for appending is for one thread at a time, except encode_word. (Python threads must take turns on
// either index.) A moved-from index may only be assigned to and destroyed.
class Index {
 public:
  struct Document {
    std::uint32_t number = 0;
    std::uint32_t words = 0;
    std::string message_id;        // cut to 250 bytes
    std::string subject;           // cut to 250 bytes; to 218 if the owner added it
    std::uint64_t body_bytes = 0;  // sealed and padded size; 0: none kept
    // false if the sealed titles do not open, because somebody else wrote the record; then id and subject are empty
    bool readable = false;
    // true if the owner's tag is valid: the owner added the record, in this place (format version 3)
    bool own = false;
    // true if a tag of version 2 is valid, which does not cover the place: the record may be a copy of another
    bool own_unplaced = false;
  };
  struct CommitOptions {
    // pads the sealed body to padme(its length), at least 256 bytes; the true length is sealed together with the titles
    bool padded = true;
    // keys whose secret part, if present, marks the document as the owner's own
    const Keys* owner = nullptr;
    // content digest for held(); stored only as a hash keyed by the owner's secret
    ContentDigest content{};
  };
  struct Report {
    std::uint64_t words = 0, documents = 0, segments = 0, bytes = 0;
    // Numbers of uncommitted words, and of damaged documents at the end of the open segment. They were removed if
    // `repaired` is true, or if recovered() returned the report.
    std::uint64_t dropped_words = 0, dropped_documents = 0;
    std::vector<std::string> problems;  // empty: no damage
    bool repaired = false;
  };
  // Memory that encode_word and read_word reuse; each thread needs its own.
  struct Scratch {
    std::vector<std::uint64_t> residues;
  };

  struct Options {
    std::uint64_t segment_bytes = std::uint64_t{256} << 20;  // a segment is sealed above this size; 64 KiB .. 1 TiB
    // Largest number of times that a document has one word (1: words are distinct; 0: no limit). Writers must respect
    // it, because a search assumes at most documents times most_repeats matches.
    std::uint32_t most_repeats = 1;
  };
  // Throws io_write if the folder already holds an index. Other errors: entropy_unavailable.
  static void create(const std::string& folder, const Keys& keys, const Options& options);
  static void create(const std::string& folder, const Keys& keys) { create(folder, keys, Options()); }
  // Opens an index. For appending, it takes the lock and drops uncommitted words (recovered() reports them). Errors:
  // io_digest (the parameters contain another sealing key than the key set), io_locked (also in a forked process),
  // io_checksum (committed documents are damaged), insecure_parameters (below 128 bits and not allowed).
  explicit Index(const std::string& folder, const OpenOptions& options = {});
  Index(Index&&) noexcept;
  Index& operator=(Index&&) noexcept;
  ~Index();
  // Checks every checksum and range of every file. `repair` drops damaged documents at the end of the open segment and
  // seals the segment, unless other files are damaged. It first copies the files to *.damaged, *.damaged-2 and so on.
  // progress counts words of sealed segments; a stop happens before any repair.
  [[nodiscard]] static Report verify(const std::string& folder, bool repair, const Progress& progress = {});

  [[nodiscard]] const Profile& profile() const noexcept;
  [[nodiscard]] const IndexId& id() const noexcept;
  [[nodiscard]] std::span<const std::uint8_t, 32> box_public() const noexcept;  // recipient of sealed titles and bodies
  // Throws parameters_mismatch unless `answer` has the id of this index, and the index has all counted documents.
  void require(const AnswerFile& answer) const;
  [[nodiscard]] const Report& recovered() const noexcept;
  // Returns the number of words in sealed segments. If the index is open for appending, counts all committed words.
  [[nodiscard]] std::uint64_t words() const noexcept;
  // Returns the number of documents whose words are in sealed segments. If the index is open for appending, counts all
  // committed documents.
  [[nodiscard]] std::uint32_t documents() const noexcept;
  [[nodiscard]] std::uint32_t most_words_of_a_document() const noexcept;
  [[nodiscard]] std::uint32_t most_repeats() const noexcept;
  [[nodiscard]] rgsw::Mode mode() const noexcept;  // public_key if a sender wrote any segment
  [[nodiscard]] std::uint64_t word_bytes(rgsw::Mode mode) const noexcept;

  // Encodes one word of document `document` into a record. Thread-safe if each thread has its own `scratch`.
  void encode_word(std::uint32_t document, const rgsw::EncryptedBits& bits, Scratch& scratch,
                   std::vector<std::uint8_t>& record) const;
  void append_word(rgsw::Mode mode, std::span<const std::uint8_t> record);  // the document's number is documents()
  std::uint32_t commit_document(std::string_view message_id, std::string_view subject, std::string_view body,
                                const CommitOptions& options);
  std::uint32_t commit_document(std::string_view message_id, std::string_view subject, std::string_view body = {}) {
    return commit_document(message_id, subject, body, CommitOptions());
  }
  void discard() noexcept;  // drops the words of an uncommitted document
  void seal();              // turns the committed documents into an immutable segment

  [[nodiscard]] std::uint32_t document_of(std::uint64_t word) const;
  // Finds two sealed words that are copies of one encryption. A plan of a search does not bound the noise of copies.
  // Compares the seeds of the words, or the first bytes of words without a seed. Therefore it does not find copies that
  // somebody changed.
  [[nodiscard]] std::optional<std::pair<std::uint64_t, std::uint64_t>> copied_words() const;
  // Reads the encrypted bits `planes` of a sealed word and checks their checksum and ranges.
  void read_word(std::uint64_t word, std::span<const std::uint32_t> planes, const rgsw::Context& context,
                 rgsw::EncryptedBits& out, Scratch& scratch) const;
  // Returns documents in the requested order. Reads the whole document map, so that the server of the folder does not
  // see which documents are requested. progress, here and in held: polled now and then; false stops. Errors:
  // key_missing (no secret key), parameters_mismatch (keys of another index).
  [[nodiscard]] std::vector<Document> read_documents(std::span<const std::uint32_t> numbers, const Keys& keys,
                                                     const Progress& progress = {}) const;
  [[nodiscard]] Document document(std::uint32_t number, const Keys& keys) const;
  // Tells for each content digest whether the owner added a document with this content (Document::own). An all-zero
  // digest gives false. Reads the whole map. Takes time proportional to documents times contents. Errors: those of
  // read_documents.
  [[nodiscard]] std::vector<bool> held(std::span<const ContentDigest> contents, const Keys& keys,
                                       const Progress& progress = {}) const;
  // Returns a body. The server of the folder sees which body is read. Errors: those of read_documents; io_checksum,
  // io_range or io_truncated (somebody else wrote or changed the body).
  [[nodiscard]] std::string body(std::uint32_t number, const Keys& keys) const;
  struct State;

 private:
  explicit Index(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

// Returns name and value of every field that is not encrypted or secret. Errors: those of the loaders.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> inspect(const std::string& path);

}  // namespace ringfort::io
