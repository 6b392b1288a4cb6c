// SPDX-License-Identifier: Apache-2.0
// Maps a word of the word search to the bits that are encrypted for it: a keyed hash, as plain bits or in the 8-of-64
// code (64 bits, of which eight are set).
#include <sodium.h>

#include <array>

#include "ringfort/error.h"
#include "ringfort/search.h"

namespace ringfort::search {

namespace {

constexpr unsigned kPlanes = 64;
constexpr unsigned kWeight = 8;

using Binomials = std::array<std::array<std::uint64_t, kWeight + 1>, kPlanes + 1>;

constexpr Binomials make_binomials() {
  Binomials choose{};
  for (unsigned n = 0; n <= kPlanes; ++n) {
    choose[n][0] = 1;
    for (unsigned k = 1; k <= kWeight && n > 0; ++k) choose[n][k] = choose[n - 1][k - 1] + choose[n - 1][k];
  }
  return choose;
}

constexpr Binomials kChoose = make_binomials();
static_assert(kChoose[kPlanes][kWeight] == 4426165368U);  // C(64, 8)

// Returns x modulo C(64, 8), the number of patterns in the code. The estimated quotient is at most one too small, as in
// math/divisor.h.
std::uint64_t rank_of(std::uint64_t x) {
  __extension__ using Wide = unsigned __int128;
  constexpr std::uint64_t count = kChoose[kPlanes][kWeight], reciprocal = ~std::uint64_t{0} / count;
  const std::uint64_t rest = x - static_cast<std::uint64_t>(Wide{x} * reciprocal >> 64) * count;
  return rest - (count & (0 - std::uint64_t{rest >= count}));
}

// Returns C(top, k) for a secret k, by reading all entries of the row.
std::uint64_t choose(unsigned top, unsigned k) {
  std::uint64_t found = 0;
  for (unsigned i = 0; i <= kWeight; ++i) found |= kChoose[top][i] & (0 - std::uint64_t{i == k});
  return found;
}

}  // namespace

std::uint64_t hash_word(std::span<const std::uint8_t> word_key, std::string_view word) {
  if (word_key.size() != 32)
    throw Error(Code::invalid_argument, "the word key has " + std::to_string(word_key.size()) + " bytes",
                "give 32 bytes");
  if (word.empty()) throw Error(Code::invalid_argument, "a word is empty", "leave empty words out");
  const auto colon = word.find(':');
  const std::string_view field = colon == std::string_view::npos ? std::string_view() : word.substr(0, colon);
  const std::string_view text = colon == std::string_view::npos ? word : word.substr(colon + 1);
  if (field.size() > 255)
    throw Error(Code::invalid_argument, "a field name has " + std::to_string(field.size()) + " bytes",
                "use at most 255");
  std::vector<std::uint8_t> message;
  message.push_back(static_cast<std::uint8_t>(field.size()));
  message.insert(message.end(), field.begin(), field.end());
  message.insert(message.end(), text.begin(), text.end());
  std::array<std::uint8_t, 16> out{};
  const int hashed =
      crypto_generichash(out.data(), out.size(), message.data(), message.size(), word_key.data(), word_key.size());
  sodium_memzero(message.data(), message.size());
  if (hashed != 0)
    throw Error(Code::internal, "BLAKE2b failed with a key of 32 bytes", "report it with the version of libsodium");
  std::uint64_t hash = 0;
  for (unsigned i = 0; i < 8; ++i) hash |= static_cast<std::uint64_t>(out[i]) << (8 * i);
  return hash;
}

// Visits the bit positions from the highest to the lowest. Let k be the number of bits that still have to be set. Sets
// a bit if k > 0 and C(position, k) <= rank, and then subtracts C(position, k) from rank. No branch or index depends on
// the rank.
std::uint64_t constant_weight(std::uint64_t rank) {
  rank = rank_of(rank);
  std::uint64_t pattern = 0;
  unsigned k = kWeight;
  for (unsigned top = kPlanes; top-- > 0;) {
    const std::uint64_t below = choose(top, k);
    const bool set = (below <= rank) & (k != 0);
    rank -= below & (0 - std::uint64_t{set});
    pattern |= std::uint64_t{set} << top;
    k -= set;
  }
  return pattern;
}

std::uint64_t pattern_of(const io::Profile& profile, std::span<const std::uint8_t> word_key, std::string_view word) {
  const std::uint64_t hash = hash_word(word_key, word);
  if (profile.constant_weight) return constant_weight(hash);
  return profile.hash_bits == 64 ? hash : hash & ((std::uint64_t{1} << profile.hash_bits) - 1);
}

io::Query make_query(const io::Keys& keys, std::string_view word) {
  return {keys.profile(), pattern_of(keys.profile(), keys.word_key(), word)};
}

io::Keys generate_keys(const KeyOptions& options) {
  io::Profile profile;
  profile.parameters = rgsw::preset(options.preset, options.allow_insecure);
  profile.hash_bits = options.constant_weight ? kPlanes : options.hash_bits;
  profile.constant_weight = options.constant_weight;
  return io::Keys::generate(profile, rgsw::Context(profile.parameters));
}

}  // namespace ringfort::search
