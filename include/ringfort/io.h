// SPDX-License-Identifier: Apache-2.0
// Files of the encrypted word search: parameters, keys, queries, answers and the folder of an index.
// docs/file-format.md describes every byte. A reader computes the length of each part and refuses a file with other
// lengths. It also checks that every residue is below its modulus. A writer writes a temporary file and renames it,
// but words and documents are appended to files of an open index. Checksums detect accidents, not forgery. Errors: the
// io_* codes of ringfort/error.h.
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

enum class FileType : std::uint16_t {  // type of a file, in the header of the file
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

// Settings that all files of one key set share.
struct Profile {
  rgsw::Parameters parameters;
  std::uint32_t hash_bits = 32;  // bits of a word's hash: 8 .. 64; 64 if constant_weight is true
  bool constant_weight = false;  // true: the hash has exactly eight bits set
  std::array<std::uint8_t, 16> key_id{};
  // Returns how many encrypted bits of a word a search multiplies.
  [[nodiscard]] std::uint32_t factors() const noexcept { return constant_weight ? 8 : hash_bits; }
};
// Returns a digest of the fields that define the meaning of words, queries and answers. Some fields of `parameters` do
// not change this meaning, and the digest excludes them: name, public_key_allowed, literal_allowed, insecure_reason.
[[nodiscard]] std::array<std::uint8_t, 32> digest(const Profile& profile);
// Tells whether the profiles are equal in every field. The commands of the owner compare the profile of an index, and
// the profile of an answer, with the profile of the keys.
[[nodiscard]] bool is_same(const Profile& a, const Profile& b);

// chosen at random when an index is created; a copied folder has the id of its original
using IndexId = std::array<std::uint8_t, 16>;

// 256 bits of a collision-resistant hash of a document's source, for example of a message. The owner treats documents
// with equal digests as one document. Hash all bytes of the source, because an attacker can guess message ids and
// subjects. A digest of zeros means that the source is unknown.
using ContentDigest = std::array<std::uint8_t, 32>;

// These functions return exact numbers of bytes. word_bytes: one encrypted word in a segment (a file of encrypted
// words). index_bytes: an index with one sealed segment and without bodies; above 2^64 it throws io_limit.
// answer_bytes: the file of an answer.
[[nodiscard]] std::uint64_t word_bytes(const Profile& profile, rgsw::Mode mode);
[[nodiscard]] std::uint64_t index_bytes(const Profile& profile, rgsw::Mode mode, std::uint64_t words,
                                        std::uint64_t documents);
[[nodiscard]] std::uint64_t answer_bytes(const Profile& profile, const rgsw::SearchPlan& plan, std::uint64_t answers);

// Rounds a length up by at most 12 %. It has fewer than 200 different results below 100,000. Therefore a padded
// length reveals little [NikitinBarmanLueksUnderwoodHubauxFord19].
[[nodiscard]] std::uint64_t padme(std::uint64_t length) noexcept;

// Limits on the cost of reading: a small file can require large computations. A reader fails (io_limit) before it
// computes anything above a limit.
struct Limits {
  std::uint32_t degree = 1U << 16;  // n of a ring
  // Number of primes of a ring: data primes, special primes, and the auxiliary primes for products of BFV. The number
  // of auxiliary primes is an estimate: a ring with few primes of suitable length can have some more.
  std::uint32_t primes = 64;
  unsigned strength = 1;  // cost of a passphrase: 0: 64 MiB of memory; 1: 256 MiB; 2: 1 GiB
};

// about four times the size of the largest file of public keys
inline constexpr std::uint64_t kKeyLimit = std::uint64_t{4} << 20;

// A set of secret keys, or a set of public keys. With public keys one can only append words and make queries. The
// object is move-only, and its destructor zeroes secrets. A moved-from object is empty. It may be assigned to; every
// other use is an error (invalid_argument).
class Keys {
 public:
  Keys(Keys&&) noexcept;
  Keys& operator=(Keys&&) noexcept;
  ~Keys();
  // Generates fresh keys and a random key_id of the profile. Errors: invalid_argument, insecure_parameters,
  // entropy_unavailable.
  [[nodiscard]] static Keys generate(Profile profile, const rgsw::Context& context);
  // Errors: insecure_parameters (below 128 bits of security, and allow_insecure is false), passphrase.
  [[nodiscard]] static Keys load_secret(const std::string& path, std::string_view passphrase,
                                        bool allow_insecure = false, std::uint64_t limit_bytes = kKeyLimit,
                                        const Limits& limits = {}, const Progress& progress = {});
  // Errors: insecure_parameters (below 128 bits of security, and allow_insecure is false), secret_refused (a file of
  // secret keys).
  [[nodiscard]] static Keys load_public(const std::string& path, bool allow_insecure = false,
                                        std::uint64_t limit_bytes = kKeyLimit);
  // Writes a file with mode 0600. If there is a passphrase, it encrypts the file: Argon2id derives the key of the
  // cipher from the passphrase. `strength` sets the memory of Argon2id: 64 MiB (0), 256 MiB (1) or 1 GiB (2). The
  // library calls `progress` while Argon2id runs, here and in load_secret.
  void save_secret(const std::string& path, std::string_view passphrase, unsigned strength = 1,
                   const Progress& progress = {}) const;
  void save_public(const std::string& path) const;

  [[nodiscard]] const Profile& profile() const;
  [[nodiscard]] const rgsw::Context& context() const;
  [[nodiscard]] const rgsw::SecretKey* secret_key() const;             // null in a public set
  [[nodiscard]] const rgsw::PublicKey* public_key() const;             // null if the preset or a secret file has none
  [[nodiscard]] std::span<const std::uint8_t> word_key() const;        // 32 bytes, key of the word hash
  [[nodiscard]] std::span<const std::uint8_t, 32> box_public() const;  // X25519 key; titles and bodies are sealed to it
  // Returns a fingerprint of all public keys and of the whole profile. The owner reads it out, and a sender compares it
  // with the fingerprint of the keys that the sender has. Errors: key_missing (a secret set of format version 2 does
  // not contain its public key).
  [[nodiscard]] std::array<std::uint8_t, 16> fingerprint() const;
  struct State;
  [[nodiscard]] const State& state() const;

 private:
  explicit Keys(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

// A query: the encoded hash of one word, which the server sees. Bit i of `pattern` belongs to encrypted bit i of a
// word.
struct Query {
  Profile profile;
  std::uint64_t pattern = 0;  // below 2^hash_bits; with constant_weight: eight bits set
};
// Throws invalid_argument for a query that load_query would not accept.
void save_query(const std::string& path, const Query& query);
[[nodiscard]] Query load_query(const std::string& path);  // secret_refused for a secret key file

// A per-document answer has one rgsw::Answer for every n documents, where n is the ring degree: answers[i] has the
// counts of documents i n .. (i + 1) n - 1. With a total, there is one rgsw::Answer, and the total is coefficient 0.
struct AnswerFile {
  Profile profile;
  IndexId index_id{};  // the index whose documents are counted
  bool total = false;
  std::uint64_t documents = 0;
  std::vector<rgsw::Answer> answers;
};
// Throws invalid_argument for an answer that load_answer would not accept.
void save_answer(const std::string& path, const AnswerFile& answer);
[[nodiscard]] AnswerFile load_answer(const std::string& path, std::uint64_t limit_bytes = std::uint64_t{64} << 20);

struct OpenOptions {  // options of the constructor of Index
  bool append = false;
  bool allow_insecure = false;  // accepts an index below 128 bits of security
};

// A folder with an encrypted index; docs/file-format.md lists its files. A writer appends the words of a document and
// then commits the document. If the program ends before the commit, the next opening for appending drops the words. A
// segment file is open while words are appended to it; `seal` makes it immutable. If an index is open for reading,
// several threads may call its const methods. If it is open for appending, only encode_word may be called by several
// threads. In both cases, threads of Python must take turns. A moved-from index may only be assigned to and destroyed.
class Index {
 public:
  struct Document {
    std::uint32_t number = 0;
    std::uint32_t words = 0;
    std::string message_id;        // cut to 250 bytes
    std::string subject;           // cut to 250 bytes, or to 218 if the owner added the document
    std::uint64_t body_bytes = 0;  // size after sealing and padding; 0: the index keeps no body
    // false if the sealed titles cannot be decrypted, because somebody sealed them wrongly or changed them; then
    // message_id and subject are empty
    bool readable = false;
    // true if the owner's tag is valid: the owner added this record at this position (format version 3)
    bool added_by_owner = false;
    // true if a tag of format version 2 is valid. Such a tag does not cover the position. Therefore the record may be a
    // copy of a record at another position.
    bool has_unplaced_tag = false;
  };
  struct CommitOptions {
    // pads the body to padme(its length), and to at least 256 bytes, before sealing; the true length is sealed, too
    bool padded = true;
    // keys of the owner; their secret part, if present, tags the document as added by the owner
    const Keys* owner = nullptr;
    // digest of the source, for contains(). The index stores only a hash of this digest, keyed with the owner's secret
    // key.
    ContentDigest content{};
  };
  struct Report {
    std::uint64_t words = 0, documents = 0, segments = 0, bytes = 0;
    // Numbers of words that were not committed, and of damaged documents at the end of the open segment. These words
    // and documents have been removed if `repaired` is true, or if recovered() returned this report.
    std::uint64_t dropped_words = 0, dropped_documents = 0;
    std::vector<std::string> problems;  // damage, copied words, and an open segment; empty if there is none
    bool repaired = false;
  };
  // Memory that encode_word and read_word reuse. Each thread needs its own object.
  struct Scratch {
    std::vector<std::uint64_t> residues;
  };

  struct Options {
    std::uint64_t segment_bytes = std::uint64_t{256} << 20;  // size above which a segment is sealed; 64 KiB .. 1 TiB
    // Largest number of times that one document may contain the same word. 1: all words of a document differ. 0: no
    // limit. Writers must respect the limit: a search assumes at most documents * most_repeats matches.
    std::uint32_t most_repeats = 1;
  };
  // Throws io_write if the folder already holds an index. Other errors: entropy_unavailable.
  static void create(const std::string& folder, const Keys& keys, const Options& options);
  static void create(const std::string& folder, const Keys& keys) { create(folder, keys, Options()); }
  // Opens an index. With options.append, it locks the index and drops words that were not committed; recovered()
  // reports them. Errors: io_digest (a file of the folder was made with other parameters or keys), io_locked (another
  // process has the lock, or a parent of this process had it at the fork), io_checksum (committed documents are
  // damaged), insecure_parameters (below 128 bits of security, and not allowed).
  explicit Index(const std::string& folder, const OpenOptions& options = {});
  Index(Index&&) noexcept;
  Index& operator=(Index&&) noexcept;
  ~Index();
  // Checks all checksums, and the ranges of all values, in every file. Looks for copied words. `repair` drops damaged
  // documents at the end of the open segment, and seals this segment. Before it drops documents, it copies the files
  // that become shorter to *.damaged, or to *.damaged-2 and so on. If other files are damaged, it repairs nothing.
  // `progress` counts words of sealed segments; if it stops the call, nothing has been repaired.
  [[nodiscard]] static Report verify(const std::string& folder, bool repair, const Progress& progress = {});

  [[nodiscard]] const Profile& profile() const noexcept;
  [[nodiscard]] const IndexId& id() const noexcept;
  [[nodiscard]] std::span<const std::uint8_t, 32> box_public() const noexcept;  // recipient of sealed titles and bodies
  // Throws parameters_mismatch if `answer` is for another index, or counts documents that this index does not have.
  void require(const AnswerFile& answer) const;
  [[nodiscard]] const Report& recovered() const noexcept;
  // Returns the number of words in sealed segments; if the index is open for appending, of all committed words.
  [[nodiscard]] std::uint64_t words() const noexcept;
  // Returns the number of documents in sealed segments; if the index is open for appending, of all committed documents.
  [[nodiscard]] std::uint32_t documents() const noexcept;
  [[nodiscard]] std::uint32_t most_words_of_a_document() const noexcept;
  [[nodiscard]] std::uint32_t most_repeats() const noexcept;
  // public_key if any sealed segment is encrypted under the public key, else secret_key
  [[nodiscard]] rgsw::Mode mode() const noexcept;
  [[nodiscard]] std::uint64_t word_bytes(rgsw::Mode mode) const noexcept;

  // Encodes one word of document `document` into a record. Thread-safe if each thread passes its own `scratch`.
  void encode_word(std::uint32_t document, const rgsw::EncryptedBits& bits, Scratch& scratch,
                   std::vector<std::uint8_t>& record) const;
  void append_word(rgsw::Mode mode, std::span<const std::uint8_t> record);  // appends to document number documents()
  std::uint32_t commit_document(std::string_view message_id, std::string_view subject, std::string_view body,
                                const CommitOptions& options);
  std::uint32_t commit_document(std::string_view message_id, std::string_view subject, std::string_view body = {}) {
    return commit_document(message_id, subject, body, CommitOptions());
  }
  void discard() noexcept;  // drops the words of an uncommitted document
  void seal();              // calls discard(), and turns the committed documents into an immutable segment

  [[nodiscard]] std::uint32_t document_of(std::uint64_t word) const;
  // Finds two sealed words that are copies of one encryption. The noise bound of a search does not hold for copies.
  // Compares the seeds of words, or the first bytes of a word without a seed. Therefore a copy with changed bytes is
  // not found.
  [[nodiscard]] std::optional<std::pair<std::uint64_t, std::uint64_t>> copied_words() const;
  // Reads some encrypted bits of a sealed word; `planes` has the numbers of these bits. Checks the checksum and the
  // range of every bit that it reads.
  void read_word(std::uint64_t word, std::span<const std::uint32_t> planes, const rgsw::Context& context,
                 rgsw::EncryptedBits& out, Scratch& scratch) const;
  // Returns documents in the requested order. Reads the record of every document, so that the server of the folder does
  // not see which documents are requested. The library calls `progress` now and then, here and in contains. Errors:
  // key_missing (no secret key), parameters_mismatch (keys of another index).
  [[nodiscard]] std::vector<Document> read_documents(std::span<const std::uint32_t> numbers, const Keys& keys,
                                                     const Progress& progress = {}) const;
  [[nodiscard]] Document document(std::uint32_t number, const Keys& keys) const;
  // Tells for each content digest whether the owner added a document with this digest (Document::added_by_owner). The
  // answer for an all-zero digest is false. Reads the record of every document. The time is proportional to the number
  // of documents times the number of digests. Errors: those of read_documents.
  [[nodiscard]] std::vector<bool> contains(std::span<const ContentDigest> contents, const Keys& keys,
                                           const Progress& progress = {}) const;
  // Returns the body of a document. The server of the folder sees which body is read. Errors: those of read_documents;
  // io_checksum, io_range or io_truncated (another party wrote or changed the body).
  [[nodiscard]] std::string body(std::uint32_t number, const Keys& keys) const;
  struct State;

 private:
  explicit Index(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

// Returns the name and value of every field that is neither encrypted nor secret. Errors: those of the loaders.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> inspect(const std::string& path);

}  // namespace ringfort::io
