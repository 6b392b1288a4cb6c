// SPDX-License-Identifier: Apache-2.0
// Code that the Ring-GSW tests share: presets (named parameter sets) with their modes (encryption under the secret or
// the public key), a client with keys, and words with documents. A Ring-GSW ciphertext of a bit has several rows; each
// row is a pair (c0, c1). The phase of a row under the secret t is c0 - t c1: the message times a constant, plus the
// error.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "scheme/rgsw/decrypt.h"
#include "support/degree.h"
#include "support/entropy.h"

namespace ringfort::rgsw::testing {

using ringfort::testing::choose_seed;

struct Case {
  std::string preset;
  Mode mode = Mode::secret_key;
};

inline std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.preset << (c.mode == Mode::secret_key ? " sk" : " pk");
}

inline std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const std::string_view name : preset_names()) {
    cases.push_back({std::string(name), Mode::secret_key});
    if (preset(name, true).public_key_allowed) cases.push_back({std::string(name), Mode::public_key});
  }
  return cases;
}

inline std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  std::string name = info.param.preset + (info.param.mode == Mode::secret_key ? "Secret" : "Public");
  std::erase(name, '-');
  return name;
}

// Returns quick parameters for tests, of any size. The probability that a count is wrong is at most 2^-128, as in the
// library's preset gsw128.
inline Parameters tiny(u32 n = 32) {
  Parameters p = preset("gsw128");
  p.name = "tiny";
  p.n = ringfort::testing::small_degree(n);
  p.insecure_reason = "a test";
  return p;
}

struct Client {
  explicit Client(const Case& c, std::string_view device = {}) : Client(preset(c.preset, true), c.mode, device) {}
  Client(const Parameters& p, Mode m, std::string_view device = {})
      : mode(m),
        context(p, device),
        keys(context),
        evaluator(context),
        search(context) {
    if (mode == Mode::public_key) open.emplace(keys.create_public_key());
  }
  [[nodiscard]] Encryptor encryptor() const {
    return mode == Mode::secret_key ? Encryptor(context, keys.secret_key()) : Encryptor(context, *open);
  }
  [[nodiscard]] EncryptedBits encrypt(std::span<const u8> bits) const { return encryptor().encrypt(bits); }
  [[nodiscard]] std::vector<u8> decrypt(const EncryptedBits& bits) const {
    return Decryptor(context, keys.secret_key()).decrypt(bits);
  }
  [[nodiscard]] std::vector<u32> counts(const Answer& answer) const {
    return Decryptor(context, keys.secret_key()).decrypt_counts(answer);
  }
  [[nodiscard]] const SecretKey::State& secret() const { return *keys.secret_key().state(); }
  // Returns the phase of one row of the first bit.
  [[nodiscard]] Secret<u64> phase(const EncryptedBits& bits, u32 row) const {
    const auto work = context.state()->workspace();
    return row_phase(secret(), bits.state(), 0, row, *work);
  }
  Mode mode;
  Context context;
  KeyGenerator keys;
  Evaluator evaluator;
  SearchEvaluator search;
  std::optional<PublicKey> open;
};

// Returns the coefficients of c0 and c1 of the encrypted counts before modulus switching, which shortens an answer.
// Engine::literal computes whole matrix products, and therefore all rows of the counts. For this engine, returns the
// row that the answer uses.
inline std::vector<u64> coefficients_of(MatchSum& sum) {
  MatchSum::State& t = sum.state();
  const Ring& ring = t.context->ring;
  const auto work = t.context->workspace();
  add_unrotated(t, *work);
  const Scratch<Eval> pair = work->allocate<Eval>(2, ring.limbs());
  ring.copy(work->stream, pair.all(), t.engine == Engine::row ? t.sum.all() : t.sum.polynomials(2 * t.first.row, 2));
  std::vector<u64> words(2 * std::size_t{ring.n()});
  ring.download(work->stream, ring.inverse(work->stream, pair.all()), std::span<u64>(words), work->staging);
  return words;
}

inline std::vector<u8> hash_bits(u64 hash, u32 count) {
  std::vector<u8> bits(count);
  for (u32 i = 0; i < count; ++i) bits[i] = static_cast<u8>(hash >> i & 1);
  return bits;
}

inline std::vector<PatternBit> pattern(u64 query, u32 count) {
  std::vector<PatternBit> bits;
  for (u32 i = 0; i < count; ++i) bits.push_back({i, (query >> i & 1) != 0});
  return bits;
}

struct Corpus {
  struct Occurrence {
    u64 hash = 0;
    u32 document = 0;
  };
  std::vector<Occurrence> words;
  u32 documents = 0;

  [[nodiscard]] std::vector<u32> counts(u64 query, u32 bits) const {
    std::vector<u32> counts(documents);
    const u64 mask = (u64{1} << bits) - 1;
    for (const Occurrence& word : words) counts[word.document] += (word.hash & mask) == (query & mask);
    return counts;
  }
};

// Spreads `words` occurrences of `vocabulary` different words over `documents` documents. Document numbers are in 0 ..
// n - 1, one for each coefficient. One document has the number n - 1, so that the last coefficient is used, too.
inline Corpus random_corpus(u32 words, u32 vocabulary, u32 documents, u32 n) {
  std::mt19937_64 generator(words + 1000 * vocabulary);
  std::vector<u64> hashes(vocabulary);
  for (u64& hash : hashes) hash = generator();
  Corpus corpus;
  corpus.documents = n;
  for (u32 i = 0; i < words; ++i) {
    const u32 document = static_cast<u32>(generator() % documents);
    corpus.words.push_back({hashes[generator() % vocabulary], document + 1 == documents ? n - 1 : document});
  }
  return corpus;
}

}  // namespace ringfort::rgsw::testing
