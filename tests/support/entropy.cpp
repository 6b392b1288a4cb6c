// SPDX-License-Identifier: Apache-2.0
// Derives the seeds of entropy.h. They replace the seeds of the operating system.
#include "support/entropy.h"

#include <sodium.h>

#include <atomic>
#include <cstring>

#include "math/random.h"

namespace ringfort {

namespace {
std::atomic<std::uint64_t> chosen{1};
std::atomic<std::uint64_t> drawn{0};
std::atomic<std::uint64_t> failing{0};
}  // namespace

bool fill_entropy(std::span<u8> out) noexcept {
  if (failing.load() != 0 && failing.fetch_sub(1) == 1) return false;
  const std::uint64_t input[2] = {chosen.load(), drawn.fetch_add(1)};
  u8 key[crypto_generichash_BYTES];
  crypto_generichash(key, sizeof key, reinterpret_cast<const u8*>(input), sizeof input, nullptr, 0);
  std::memset(out.data(), 0, out.size());
  const u8 nonce[crypto_stream_chacha20_IETF_NONCEBYTES] = {};
  return crypto_stream_chacha20_ietf(out.data(), out.size(), nonce, key) == 0;
}

namespace testing {

void choose_seed(std::uint64_t seed) {
  chosen = seed;
  drawn = 0;
}

void fail_entropy_at(std::uint64_t k) { failing = k; }

}  // namespace testing
}  // namespace ringfort
