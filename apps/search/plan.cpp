// SPDX-License-Identifier: Apache-2.0
// Computes the arguments of rgsw::plan_search from facts of an index. plan_search computes the noise bound of a search.
#include <algorithm>
#include <bit>
#include <cmath>

#include "server.h"

namespace ringfort::search {

namespace {

// A word matches a query by accident with probability p. Returns a number k with this property: the probability that
// more than k of `words` words match by accident is at most 2^-bits. k is the smallest number for which a union bound
// over all sets of k + 1 words shows this, or `words` if there is no such number. With e = exp(1), the union bound is
// C(words, k + 1) p^(k + 1) <= (words e p / (k + 1))^(k + 1).
std::uint64_t accidental_matches(std::uint64_t words, double p, unsigned bits) {
  const double mean = static_cast<double>(words) * p;
  auto k = std::min(words, static_cast<std::uint64_t>(mean * std::exp(1.0)));  // for smaller k, the bound is at least 1
  while (k < words) {
    const double next = static_cast<double>(k + 1);
    if (next > mean * std::exp(1.0) && next * std::log2(next / (mean * std::exp(1.0))) >= bits) return k;
    ++k;
  }
  return words;
}

// Returns an upper bound on the number of words that add as much noise (error of a ciphertext) as a match. A party that
// has the public keys also has the key of the word hash. Therefore it can choose words whose hashes differ from a query
// only in the last bit. It can put these words into its documents or into letters to the owner. A sender can also
// encrypt such hashes directly. Each of these words adds as much noise as a match. Therefore, if a preset has public
// keys and the caller promises no number of matches, every word counts as a match.
std::uint64_t most_matches(const io::Profile& profile, const IndexShape& shape, std::uint64_t promised) {
  if (promised != 0) return std::min(promised, shape.words);
  if (profile.parameters.public_key_allowed || shape.most_repeats == 0) return shape.words;
  return std::min(shape.words, std::max<std::uint64_t>(1, shape.documents * shape.most_repeats));
}

}  // namespace

double false_positive_rate(const io::Profile& profile) {
  constexpr double kConstantWeightPatterns = 4426165368.0;  // C(64, 8)
  return profile.constant_weight ? 1 / kConstantWeightPatterns : std::ldexp(1.0, -static_cast<int>(profile.hash_bits));
}

std::vector<AnswerRange> answer_ranges(const Server::State& state, bool total) {
  const std::uint64_t words = state.document_of.size();
  if (total) return {{0, words, 0}};
  std::vector<AnswerRange> ranges;
  const std::uint64_t n = state.index.profile().parameters.n;
  auto at = state.document_of.begin();
  for (std::uint64_t first = 0; first < state.index.documents(); first += n) {
    const auto end = std::partition_point(at, state.document_of.end(), [&](std::uint32_t d) { return d < first + n; });
    ranges.push_back({static_cast<std::uint64_t>(at - state.document_of.begin()),
                      static_cast<std::uint64_t>(end - state.document_of.begin()), static_cast<std::uint32_t>(first)});
    at = end;
  }
  return ranges;
}

rgsw::SearchPlan plan_for(const io::Profile& profile, const IndexShape& shape, const SearchOptions& options) {
  if (options.engine != Engine::row && !profile.parameters.literal_allowed) {
    throw Error(Code::mode_forbidden, "preset '" + profile.parameters.name + "' offers the row engine only",
                "search with engine row, or use paper-gsw");
  }
  if (shape.words == 0)
    throw Error(Code::invalid_argument, "the index has no words in sealed segments",
                "index documents first; verify --repair seals an open segment");
  const std::uint64_t matches = most_matches(profile, shape, options.max_matches);
  std::uint64_t most = shape.most_words;
  if (options.total) {
    // Equal words match the same queries. In the worst case for the bound, the words form groups of `matches` equal
    // words.
    const std::uint64_t groups = (shape.words + matches - 1) / matches;
    const std::uint64_t accidental =
        accidental_matches(groups, false_positive_rate(profile), profile.parameters.failure_bits);
    most = accidental >= shape.words / matches ? shape.words : std::min(shape.words, matches * (1 + accidental));
  }
  const std::uint32_t range =
      options.count_range != 0 ? options.count_range
                               : static_cast<std::uint32_t>(std::bit_ceil(std::min<std::uint64_t>(most, 1U << 30) + 1));
  try {
    return rgsw::plan_search(profile.parameters, shape.mode, shape.words, matches, profile.factors(), range);
  } catch (const Error& error) {
    if (error.code() != Code::noise_bound_exceeded || !profile.parameters.public_key_allowed ||
        options.max_matches != 0)
      throw;
    throw Error(error.code(), error.problem() + ": holders of its public keys may choose words that nearly match",
                error.fix() + "; if none did, promise the largest number of matches (max_matches, --max-matches)");
  }
}

std::vector<rgsw::PatternBit> pattern_bits(const io::Profile& profile, std::uint64_t pattern) {
  std::vector<rgsw::PatternBit> bits;
  for (std::uint32_t i = 0; i < profile.hash_bits; ++i) {
    const bool set = ((pattern >> i) & 1) != 0;
    if (set || !profile.constant_weight) bits.push_back({i, set});
  }
  return bits;
}

std::uint64_t prepared_bytes(const io::Profile& profile) {
  const auto& p = profile.parameters;
  const std::uint64_t word = p.q < (std::uint64_t{1} << 31) ? 4 : 8;
  return std::uint64_t{profile.hash_bits} * 2 * p.digits * 2 * p.n * word;
}

}  // namespace ringfort::search
