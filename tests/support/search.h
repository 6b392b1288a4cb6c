// SPDX-License-Identifier: Apache-2.0
// Code that the tests of the word search share: tiny parameters, a corpus from a fixed seed, and the index of this
// corpus.
#pragma once

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "ringfort/search.h"
#include "support/degree.h"
#include "support/entropy.h"
#include "support/folder.h"

namespace ringfort::search::testing {

using ringfort::testing::choose_seed;
using ringfort::testing::Folder;

// Returns the parameters of the preset gsw128 with a small n. They are insecure and quick. But every noise bound still
// holds.
inline rgsw::Parameters tiny(std::uint32_t n = 32) {
  rgsw::Parameters p = rgsw::preset("gsw128");
  p.name = "tiny";
  p.n = ringfort::testing::small_degree(n);
  p.insecure_reason = "a test";
  return p;
}

// Returns the parameters of the preset paper-gsw with a small n. These parameters allow the literal engine, which
// computes whole matrix products.
inline rgsw::Parameters tiny_literal(std::uint32_t n = 32) {
  rgsw::Parameters p = rgsw::preset("paper-gsw", true);
  p.name = "tiny-literal";
  p.n = ringfort::testing::small_degree(n);
  p.insecure_reason = "a test";
  return p;
}

inline io::Keys make_keys(const rgsw::Parameters& parameters, std::uint32_t hash_bits, bool constant_weight = false) {
  io::Profile profile;
  profile.parameters = parameters;
  profile.hash_bits = hash_bits;
  profile.constant_weight = constant_weight;
  return io::Keys::generate(profile, rgsw::Context(parameters));
}

// Opens an index. The parameters are insecure. Therefore every loader must explicitly accept them.
inline io::Index open_index(const std::string& folder) { return io::Index(folder, {.allow_insecure = true}); }
inline io::Index append_to(const std::string& folder) {
  return io::Index(folder, {.append = true, .allow_insecure = true});
}
inline Server serve(const std::string& folder) { return Server(folder, {}, true); }

inline std::vector<Document> random_documents(std::uint32_t seed, std::uint32_t documents, std::uint32_t words_each,
                                              std::uint32_t vocabulary) {
  std::mt19937_64 generator(seed);
  std::vector<Document> result;
  for (std::uint32_t d = 0; d < documents; ++d) {
    Document document;
    document.message_id = std::string("<") + std::to_string(d) + "@example.org>";
    document.subject = std::string("message ") + std::to_string(d);
    std::set<std::string> distinct;
    for (std::uint32_t w = 0; w < words_each; ++w)
      distinct.insert(std::string("word") + std::to_string(generator() % vocabulary));
    document.words.assign(distinct.begin(), distinct.end());
    result.push_back(document);
  }
  return result;
}

inline std::vector<std::uint32_t> plain_counts(const std::vector<Document>& documents, const std::string& word) {
  std::vector<std::uint32_t> counts;
  for (const auto& document : documents) {
    std::uint32_t count = 0;
    for (const auto& each : document.words) count += each == word ? 1 : 0;
    counts.push_back(count);
  }
  return counts;
}

// Returns the counts of an index under these keys. An index has a pattern for each word: some bits of a keyed hash. If
// different words have equal patterns, the index counts all of them.
inline std::vector<std::uint32_t> pattern_counts(const io::Keys& keys, const std::vector<Document>& documents,
                                                 const std::string& word) {
  const std::uint64_t pattern = pattern_of(keys.profile(), keys.word_key(), word);
  std::vector<std::uint32_t> counts;
  for (const auto& document : documents) {
    std::uint32_t count = 0;
    for (const auto& each : document.words)
      count += pattern_of(keys.profile(), keys.word_key(), each) == pattern ? 1 : 0;
    counts.push_back(count);
  }
  return counts;
}

inline void make_index(const std::string& folder, const io::Keys& keys, const std::vector<Document>& documents,
                       const IndexOptions& options = {}, std::uint64_t segment_bytes = std::uint64_t{1} << 18) {
  io::Index::create(folder, keys, {segment_bytes, 1});
  auto index = append_to(folder);
  add_documents(index, keys, documents, options);
  index.seal();
}

}  // namespace ringfort::search::testing
