// SPDX-License-Identifier: Apache-2.0
// Indexing for the word search: hashes the words, encrypts and packs them in parallel, and appends them to the index in
// order. A batch may contain words of several documents. Therefore all threads have work even if documents are short.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <unordered_map>

#include "parallel.h"

namespace ringfort::search {

namespace {

// Bytes of a batch for each thread. A batch is so small that its records are still in the cache when they are written.
constexpr std::uint64_t kBatchBytes = std::uint64_t{4} << 20;
constexpr std::uint64_t kMostBatch = 256;
constexpr std::uint64_t kLeastPaddedWords = 16;

struct Pending {
  std::uint32_t document = 0;  // number within the call
  std::uint64_t pattern = 0;
};

class Writer {
 public:
  Writer(io::Index& index, const io::Keys& keys, const IndexOptions& options)
      : index_(index),
        keys_(keys),
        threads_(thread_count(options.threads)),
        pad_words_(options.pad_words) {
    if (!io::is_same(index.profile(), keys.profile()) || !std::ranges::equal(index.box_public(), keys.box_public())) {
      throw Error(Code::parameters_mismatch, "the index was made with other keys, or its parameters.rfp was changed",
                  "use the keys that the index was made with, or restore a copy of the folder");
    }
    by_sender_ = options.as_sender || keys.secret_key() == nullptr;
    if (by_sender_ && !keys.profile().parameters.public_key_allowed) {
      throw Error(Code::mode_forbidden, "preset '" + keys.profile().parameters.name + "' does not allow senders",
                  "index with the secret keys");
    }
    if (by_sender_ && keys.public_key() == nullptr) {
      throw Error(Code::key_missing, "appending as a sender needs the public key", "load the public key set");
    }
    scratch_.resize(threads_);
  }

  [[nodiscard]] rgsw::Mode mode() const { return by_sender_ ? rgsw::Mode::public_key : rgsw::Mode::secret_key; }
  [[nodiscard]] std::uint64_t batch() const {
    const std::uint64_t by_memory = threads_ * kBatchBytes / index_.word_bytes(mode());
    return std::clamp<std::uint64_t>(by_memory, threads_, std::max<std::uint64_t>(threads_, kMostBatch));
  }

  // Appends the patterns of the document's words to `out`. Omits repeats of a word above the index's limit.
  void hash(const Document& document, std::uint32_t number, std::vector<Pending>& out) const {
    std::unordered_map<std::uint64_t, std::uint32_t> seen;
    const std::size_t before = out.size();
    const auto take = [&](std::string_view word) {
      const std::uint64_t hash = hash_word(keys_.word_key(), word);
      if (index_.most_repeats() == 0 || ++seen[hash] <= index_.most_repeats())
        out.push_back({number, pattern_of(keys_.profile(), keys_.word_key(), word)});
    };
    for (const auto& word : document.words) take(word);
    if (!pad_words_) return;
    // A padding word begins with a control character, which no ordinary text contains. Any two documents, also of two
    // indexes, have different padding words. A query matches a padding word only if the hashes are equal by accident.
    const std::uint64_t padded = padded_words(out.size() - before);
    std::string name(1, '\x01');
    name.append(index_.id().begin(), index_.id().end()).append(std::to_string(index_.documents() + number)).append("/");
    for (std::uint64_t i = 0; out.size() - before < padded; ++i) take(name + std::to_string(i));
  }

  void encrypt(std::span<const Pending> words, std::uint32_t first_document) {
    records_.resize(std::max(records_.size(), words.size()));
    std::atomic<std::size_t> next{0};
    const rgsw::Encryptor encryptor = by_sender_ ? rgsw::Encryptor(keys_.context(), *keys_.public_key())
                                                 : rgsw::Encryptor(keys_.context(), *keys_.secret_key());
    on_threads(threads_, [&](unsigned t) {
      std::vector<std::uint8_t> bits(keys_.profile().hash_bits);
      rgsw::EncryptedBits encrypted;
      // threads take words one by one, because the core that also writes to the disk is slower
      for (std::size_t i = next++; i < words.size(); i = next++) {
        for (std::size_t b = 0; b < bits.size(); ++b) bits[b] = static_cast<std::uint8_t>((words[i].pattern >> b) & 1);
        encryptor.encrypt_into(encrypted, bits);
        index_.encode_word(first_document + words[i].document, encrypted, scratch_[t], records_[i]);
      }
    });
  }
  [[nodiscard]] std::span<const std::uint8_t> record(std::size_t i) const { return records_[i]; }

 private:
  io::Index& index_;
  const io::Keys& keys_;
  unsigned threads_;
  bool pad_words_;
  bool by_sender_ = false;
  std::vector<io::Index::Scratch> scratch_;  // one for each thread
  std::vector<std::vector<std::uint8_t>> records_;
};

// Appends encrypted words and commits each document after its last word.
class Committer {
 public:
  Committer(io::Index& index, std::span<const Document> documents, const io::Index::CommitOptions& options)
      : index_(index),
        documents_(documents),
        options_(options) {}
  void append(rgsw::Mode mode, const Pending& word, std::span<const std::uint8_t> record) {
    commit_up_to(word.document);
    index_.append_word(mode, record);
  }
  void commit_up_to(std::uint64_t end) {
    for (; next_ < end; ++next_) {
      const Document& document = documents_[next_];
      options_.content = document.content;
      index_.commit_document(document.message_id, document.subject, document.body, options_);
    }
  }

 private:
  io::Index& index_;
  std::span<const Document> documents_;
  io::Index::CommitOptions options_;
  std::uint64_t next_ = 0;
};

}  // namespace

std::uint64_t padded_words(std::uint64_t words) noexcept { return std::max(kLeastPaddedWords, io::padme(words)); }

IndexReport add_documents(io::Index& index, const io::Keys& keys, std::span<const Document> documents,
                          const IndexOptions& options, const Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  Writer writer(index, keys, options);
  if (documents.size() > 0xFFFFFFFFU - index.documents())
    throw Error(Code::io_limit, "the index would hold more than 2^32 - 1 documents", "start another index");
  std::vector<Pending> words;
  for (std::size_t d = 0; d < documents.size(); ++d) writer.hash(documents[d], static_cast<std::uint32_t>(d), words);
  const std::uint32_t first = index.documents();
  const std::uint64_t batch = writer.batch();
  Committer committer(index, documents, {options.pad_bodies, &keys, {}});
  ProgressCounter counter(progress, words.size());
  try {
    for (std::uint64_t at = 0; at < words.size(); at += batch) {
      const auto some = std::span(words).subspan(at, std::min<std::uint64_t>(batch, words.size() - at));
      writer.encrypt(some, first);
      for (std::size_t i = 0; i < some.size(); ++i) committer.append(writer.mode(), some[i], writer.record(i));
      counter.add(some.size());
    }
    committer.commit_up_to(documents.size());
  } catch (...) {
    index.discard();
    throw;
  }
  IndexReport report;
  report.documents = documents.size();
  report.words = words.size();
  report.bytes = words.size() * index.word_bytes(writer.mode());
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace ringfort::search
