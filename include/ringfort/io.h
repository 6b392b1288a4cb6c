// SPDX-License-Identifier: Apache-2.0
// Files of the encrypted word search: keys, query tokens, answers and the index folder. One header of 64 bytes, every
// length computed and compared, every residue below its modulus, every change made aside and moved in
// (docs/file-format.md). Checksums find accidents, they are not authenticity. Errors: the io_* codes of
// ringfort/error.h.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ringfort/progress.h"
#include "ringfort/rgsw_search.h"

namespace ringfort::io {

enum class FileType : std::uint16_t {
  // of the word search
  parameters = 1,
  secret_keys,
  public_keys,
  segment,
  query,
  answer,
  documents,
  bodies,
  // ringfort/files.h
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

// What all files of one key pair agree on.
struct Profile {
  rgsw::Parameters parameters;
  std::uint32_t hash_bits = 32;  // 8 .. 64 plain bits; 64 with the constant-weight code
  bool constant_weight = false;  // 8 of 64
  std::array<std::uint8_t, 16> key_id{};
  // compared for a word
  [[nodiscard]] std::uint32_t factors() const noexcept { return constant_weight ? 8 : hash_bits; }
};
[[nodiscard]] std::array<std::uint8_t, 32> digest(const Profile& profile);  // not of the preset's name

using IndexId = std::array<std::uint8_t, 16>;  // drawn when an index is created; its copies keep it

// 256 bits of a collision-resistant hash of what a document was read from. What is equal is one letter to its owner,
// wherever she found it: hash all bytes, a message id and a subject can be guessed. All zero: not known.
using ContentDigest = std::array<std::uint8_t, 32>;

// What files take, exactly: one encrypted word in a segment; an index of one sealed segment and no bodies (io_limit
// above 2^64 bytes); an answer.
[[nodiscard]] std::uint64_t word_bytes(const Profile& profile, rgsw::Mode mode);
[[nodiscard]] std::uint64_t index_bytes(const Profile& profile, rgsw::Mode mode, std::uint64_t words,
                                        std::uint64_t documents);
[[nodiscard]] std::uint64_t answer_bytes(const Profile& profile, const rgsw::SearchPlan& plan, std::uint64_t blocks);

// The least length that is not below `length` among few (fewer than 200 below 100,000), at most 12 % above it
// [NikitinBarmanLueksUnderwoodHubauxFord19].
[[nodiscard]] std::uint64_t padme(std::uint64_t length) noexcept;

// What a file of few bytes may cost its reader. What asks for more is refused before it is paid (io_limit).
struct Limits {
  std::uint32_t degree = 1U << 16;  // n of a ring
  std::uint32_t primes = 64;        // of a ring, those that BFV multiplies over counted
  unsigned strength = 1;            // of a passphrase: 0: 64 MiB, 1: 256 MiB, 2: 1 GiB of memory
};

inline constexpr std::uint64_t kKeyLimit = std::uint64_t{4} << 20;  // the largest ring's keys have half of it

// What decrypting, or only appending, needs. Move-only; secrets are zeroed at the end. One that was moved from has
// nothing: it is refused (invalid_argument) and may be assigned to.
class Keys {
 public:
  Keys(Keys&&) noexcept;
  Keys& operator=(Keys&&) noexcept;
  ~Keys();
  // A fresh set; profile.key_id is chosen here. Errors: invalid_argument, insecure_parameters, entropy_unavailable.
  [[nodiscard]] static Keys generate(Profile profile, const rgsw::Context& context);
  // Errors: insecure_parameters for keys below 128 bits, unless they are allowed; passphrase.
  [[nodiscard]] static Keys load_secret(const std::string& path, std::string_view passphrase,
                                        bool allow_insecure = false, std::uint64_t limit_bytes = kKeyLimit,
                                        const Limits& limits = {}, const Progress& progress = {});
  // Errors: the same, and secret_refused when the file is a secret one.
  [[nodiscard]] static Keys load_public(const std::string& path, bool allow_insecure = false,
                                        std::uint64_t limit_bytes = kKeyLimit);
  // Mode 0600. A passphrase seals the file (Argon2id of libsodium, `strength` 0: 64 MiB, 1: 256 MiB, 2: 1 GiB of
  // memory). progress, here and in load_secret: asked while the passphrase is stretched, so that a user may stop it.
  void save_secret(const std::string& path, std::string_view passphrase, unsigned strength = 1,
                   const Progress& progress = {}) const;
  void save_public(const std::string& path) const;

  [[nodiscard]] const Profile& profile() const;
  [[nodiscard]] const rgsw::Context& context() const;
  [[nodiscard]] const rgsw::SecretKey* secret_key() const;             // null in a public set
  [[nodiscard]] const rgsw::PublicKey* public_key() const;             // null where the preset has none
  [[nodiscard]] std::span<const std::uint8_t> word_key() const;        // 32 bytes, of the hash of words
  [[nodiscard]] std::span<const std::uint8_t, 32> box_public() const;  // X25519, seals the document map
  // Of all public parts, so that an owner can read it out and a sender compare it: the key id, but for sets of version
  // 2, whose key id is of the sealing key alone. Errors: key_missing (a secret set of version 2 does not know its
  // public key).
  [[nodiscard]] std::array<std::uint8_t, 16> fingerprint() const;
  struct State;
  [[nodiscard]] const State& state() const;

 private:
  explicit Keys(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

// A query: the hash of one word as the server sees it. `pattern` bit i belongs to encrypted bit i of every word.
struct Query {
  Profile profile;
  std::uint64_t pattern = 0;  // below 2^hash_bits, or eight set bits
};
// invalid_argument for what load_query would refuse
void save_query(const std::string& path, const Query& query);
[[nodiscard]] Query load_query(const std::string& path);  // secret_refused for a secret key file

// Block i of a per-document answer counts documents [i n, (i + 1) n); a total is one block, its count at coefficient 0.
struct AnswerFile {
  Profile profile;
  IndexId index_id{};  // whose documents it counts
  bool total = false;
  std::uint64_t documents = 0;
  std::vector<rgsw::Answer> blocks;
};
void save_answer(const std::string& path, const AnswerFile& answer);  // refuses what load_answer would
[[nodiscard]] AnswerFile load_answer(const std::string& path, std::uint64_t limit_bytes = std::uint64_t{64} << 20);

struct OpenOptions {
  bool append = false;
  bool allow_insecure = false;  // an index below 128 bits
};

// A folder: parameters.rfp, segment-NNNNNN.rfs (sealed, immutable, mapped) and at most one segment-NNNNNN.open,
// documents.rfd, bodies.rfb, lock. Words are appended, then their document is committed; what was not committed is
// dropped at the next opening. Several threads may call the const methods of one that was opened for reading; one that
// appends is for one thread at a time, but for encode_word. (In Python threads use either by turns.) One that was moved
// from may be assigned to and destroyed, nothing else.
class Index {
 public:
  struct Document {
    std::uint32_t number = 0;
    std::uint32_t words = 0;
    std::string message_id;        // cut to 250 bytes
    std::string subject;           // cut to 250 bytes, where the owner added it to 218
    std::uint64_t body_bytes = 0;  // sealed, and padded; 0: none kept
    // added with the secret keys to this index (0.1.0 and later); a copied record counts, too
    bool own = false;
  };
  struct CommitOptions {
    // a body takes padme(its length) and 256 bytes at least; its own length is sealed beside the titles
    bool padded = true;
    // whose secret keys, if it has them, say that the document is the owner's own
    const Keys* owner = nullptr;
    // and of which content, for held(); it is stored under the owner's secret alone
    ContentDigest content{};
  };
  struct Report {
    std::uint64_t words = 0, documents = 0, segments = 0, bytes = 0;
    std::uint64_t dropped_words = 0, dropped_documents = 0;  // of the open tail
    std::vector<std::string> problems;                       // empty: all is well
    bool repaired = false;
  };
  // Memory of one thread for encode_word and read_word, kept from one word to the next.
  struct Scratch {
    std::vector<std::uint64_t> residues;
  };

  struct Options {
    std::uint64_t segment_bytes = std::uint64_t{256} << 20;  // a segment is sealed when it is larger; 64 KiB .. 1 TiB
    // Occurrences of one word that a document may hold: with 1 words are distinct, 0 is any number. A declaration that
    // writers keep and that bounds the matches of a search (documents times this).
    std::uint32_t most_repeats = 1;
  };
  // Refuses a folder that already holds an index (io_write). Other errors: entropy_unavailable.
  static void create(const std::string& folder, const Keys& keys, const Options& options);
  static void create(const std::string& folder, const Keys& keys) { create(folder, keys, Options()); }
  // Refuses parameters that name a sealing key of somebody else (io_digest).
  // append: takes the lock (io_locked, in a forked process, too) and drops an uncommitted tail (recovered() tells);
  // damaged documents that were committed are refused (io_checksum). insecure_parameters for an index below 128 bits,
  // unless it is allowed.
  explicit Index(const std::string& folder, const OpenOptions& options = {});
  Index(Index&&) noexcept;
  Index& operator=(Index&&) noexcept;
  ~Index();
  // Every checksum and range of every file. repair: shortens the open tail to whole committed documents and seals it,
  // unless something else is damaged; what held damaged documents stays as *.damaged, then *.damaged-2 and so on.
  // Progress: words of sealed segments; a stop comes before any repair.
  [[nodiscard]] static Report verify(const std::string& folder, bool repair, const Progress& progress = {});

  [[nodiscard]] const Profile& profile() const noexcept;
  [[nodiscard]] const IndexId& id() const noexcept;
  [[nodiscard]] std::span<const std::uint8_t, 32> box_public() const noexcept;  // whom titles and bodies are sealed to
  // Throws parameters_mismatch unless `answer` counts documents of this index, by its id, and all of them are here.
  void require(const AnswerFile& answer) const;
  [[nodiscard]] const Report& recovered() const noexcept;
  // sealed when reading, sealed and committed when appending
  [[nodiscard]] std::uint64_t words() const noexcept;
  [[nodiscard]] std::uint32_t documents() const noexcept;  // when reading: those whose words are sealed
  [[nodiscard]] std::uint32_t most_words_of_a_document() const noexcept;
  [[nodiscard]] std::uint32_t most_repeats() const noexcept;
  [[nodiscard]] rgsw::Mode mode() const noexcept;  // public_key as soon as one segment is a sender's
  [[nodiscard]] std::uint64_t word_bytes(rgsw::Mode mode) const noexcept;

  // The record of one word of document `document`; safe in several threads, each with its own `scratch`.
  void encode_word(std::uint32_t document, const rgsw::EncryptedBits& bits, Scratch& scratch,
                   std::vector<std::uint8_t>& record) const;
  void append_word(rgsw::Mode mode, std::span<const std::uint8_t> record);  // of document documents()
  std::uint32_t commit_document(std::string_view message_id, std::string_view subject, std::string_view body,
                                const CommitOptions& options);
  std::uint32_t commit_document(std::string_view message_id, std::string_view subject, std::string_view body = {}) {
    return commit_document(message_id, subject, body, CommitOptions());
  }
  void discard() noexcept;  // forgets words of a document that is not committed
  void seal();              // what is committed becomes an immutable segment

  [[nodiscard]] std::uint32_t document_of(std::uint64_t word) const;
  // Encrypted bits `planes` of a sealed word; checks their checksum and ranges.
  void read_word(std::uint64_t word, std::span<const std::uint32_t> planes, const rgsw::Context& context,
                 rgsw::EncryptedBits& out, Scratch& scratch) const;
  // The whole document map is read, once, whichever documents are asked for: who serves the folder does not see which.
  // In the order that was asked for. Errors: key_missing without the secret.
  [[nodiscard]] std::vector<Document> read_documents(std::span<const std::uint32_t> numbers, const Keys& keys) const;
  [[nodiscard]] Document document(std::uint32_t number, const Keys& keys) const;
  // For each content whether the owner of these keys added it (0.1.0 and later); false where it is all zero. What a
  // sender or the server added counts for nothing, whatever its id and subject. Reads the whole map. Errors:
  // key_missing without the secret.
  [[nodiscard]] std::vector<bool> held(std::span<const ContentDigest> contents, const Keys& keys) const;
  // Who serves the folder sees which body is read.
  [[nodiscard]] std::string body(std::uint32_t number, const Keys& keys) const;
  struct State;

 private:
  explicit Index(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

// Name and value of everything a file says in the clear. Errors as the loaders', secrets are not opened.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> inspect(const std::string& path);

}  // namespace ringfort::io
