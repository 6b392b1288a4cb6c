// SPDX-License-Identifier: Apache-2.0
// Estimates the cost of an index and a search. Numbers of bytes come from exact formulas, for an index in one segment
// that stores no bodies of documents. The noise bound assumes that all answers have the same number of words. A time is
// the measured time of one word on one thread, multiplied by the number of words and divided by the number of threads.
#include <algorithm>
#include <chrono>

#include "server.h"

namespace ringfort::search {

namespace {

constexpr std::uint64_t kMost = 0xFFFFFFFF;  // documents of an index, words of a document

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Seconds per word on one thread: encryption, and matching of a word in memory.
struct Pace {
  double encrypt = 0;
  double match = 0;
};

Pace measure(const io::Profile& profile, const EstimateOptions& options) {
  const rgsw::Context context(profile.parameters);
  const rgsw::KeyGenerator keys(context);
  const rgsw::Encryptor encryptor(context, keys.secret_key());
  std::vector<std::uint8_t> bits(profile.hash_bits, 1);
  rgsw::EncryptedBits word;
  Pace pace;
  const auto encrypt = [&] { word = encryptor.encrypt(bits); };
  encrypt();  // the first run initializes tables and pages
  if (options.as_sender) {
    const rgsw::Encryptor sender(context, keys.create_public_key());
    pace.encrypt = seconds_of([&] { word = sender.encrypt(bits); });
  } else {
    pace.encrypt = seconds_of(encrypt);
  }
  const auto pattern = pattern_bits(profile, profile.constant_weight ? 0xFF : 0);
  const auto plan = rgsw::plan_search(profile.parameters, word.mode(), 4, 4, profile.factors(), 8);
  const rgsw::SearchEvaluator evaluator(context);
  const rgsw::EncryptedWord one{&word, 0, 0};
  if (options.search.engine == Engine::row) {
    rgsw::MatchSum sum(context, plan);
    evaluator.add_match(sum, one, pattern);
    pace.match = seconds_of([&] { evaluator.add_match(sum, one, pattern); });
    return pace;
  }
  rgsw::MatchSum sum(context, plan, rgsw::Engine::literal);
  pace.match = seconds_of([&] { evaluator.add_matches_literal(sum, std::span(&one, 1), pattern); });
  return pace;
}

// Plans the search. A refusal also states the size of the index, which does not depend on the search.
rgsw::SearchPlan planned(const io::Profile& profile, const IndexShape& shape, const EstimateOptions& options,
                         std::uint64_t index_bytes) {
  try {
    return plan_for(profile, shape, options.search);
  } catch (const Error& refused) {
    throw Error(refused.code(), refused.problem() + "; the whole index takes " + std::to_string(index_bytes) + " bytes",
                refused.fix());
  }
}

}  // namespace

Estimate estimate(const KeyOptions& keys, const EstimateOptions& options) {
  io::Profile profile;
  profile.parameters = rgsw::preset(keys.preset, keys.allow_insecure);
  profile.constant_weight = keys.constant_weight;
  profile.hash_bits = keys.constant_weight ? 64 : keys.hash_bits;
  if (profile.hash_bits < 8 || profile.hash_bits > 64)
    throw Error(Code::invalid_argument, "hash_bits is " + std::to_string(profile.hash_bits), "choose 8 .. 64");
  if (options.words == 0 || options.documents == 0)
    throw Error(Code::invalid_argument, "the index has no words or no documents", "give both numbers");
  if (options.documents > kMost) {
    throw Error(Code::invalid_argument, std::to_string(options.documents) + " documents are too many",
                "an index has at most 2^32 - 1: make several");
  }
  const std::uint64_t n = profile.parameters.n;
  IndexShape shape;
  shape.mode = options.as_sender ? rgsw::Mode::public_key : rgsw::Mode::secret_key;
  Estimate found;
  // throws for sizes that would overflow below
  found.index_bytes = io::index_bytes(profile, shape.mode, options.words, options.documents);
  shape.documents = options.search.total ? options.documents : std::min(options.documents, n);
  // An answer covers shape.documents documents. The average number of words of a document gives an estimate of the
  // number of words that the answer covers.
  shape.words = options.search.total ? options.words
                                     : (options.words * shape.documents + options.documents - 1) / options.documents;
  const std::uint64_t twice_the_mean = std::min(options.words, 2 * options.words / options.documents + 1);
  shape.most_words =
      options.most_words != 0 ? options.most_words : static_cast<std::uint32_t>(std::min(twice_the_mean, kMost));
  found.security = rgsw::security(profile.parameters);
  found.plan = planned(profile, shape, options, found.index_bytes);
  found.false_positives = static_cast<double>(options.words) * false_positive_rate(profile);
  found.answers = options.search.total ? 1 : (options.documents + n - 1) / n;
  found.answer_bytes = io::answer_bytes(profile, found.plan, found.answers);
  if (!options.measure) return found;
  const Pace pace = measure(profile, options);
  const double share = static_cast<double>(options.words) / thread_count(options.search.threads);
  found.index_seconds = pace.encrypt * share;
  found.search_seconds = pace.match * share;
  return found;
}

}  // namespace ringfort::search
