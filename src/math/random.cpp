// SPDX-License-Identifier: Apache-2.0
// Streams and samplers over ChaCha20 [RFC8439]. Work goes in pieces of a few blocks on the stack, wiped where the seed is
// secret. Seeds: every one is its own request to the operating system, so a forked process shares none with its parent.
#include "math/random.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "math/reduction_montgomery.h"
#include "ringfort/error.h"

namespace ringfort {

namespace {

constexpr std::size_t kBlockBytes = 64;
constexpr std::size_t kPieceBytes = 16 * kBlockBytes;

using Nonce = std::array<u8, 12>;

Nonce nonce_of(const StreamAddress& address) noexcept {
  Nonce nonce{};
  const auto put = [&nonce](std::size_t at, u64 value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) nonce[at + i] = static_cast<u8>(value >> (8 * i));
  };
  put(0, static_cast<u16>(address.purpose), 2);
  put(2, address.object, 6);
  put(8, address.limb, 2);
  put(10, address.digit, 2);
  return nonce;
}

template <class T>
T load(const u8* at) noexcept {
  static_assert(std::endian::native == std::endian::little);
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Calls convert(bytes, index) for every sample: sample i lies at byte i * sample_bytes of the stream.
template <class Convert>
void for_each_sample(std::span<const u8, 32> key, const StreamAddress& address, u64 first, std::size_t count,
                     std::size_t sample_bytes, Convert convert) noexcept {
  alignas(64) std::array<u8, kPieceBytes> piece;
  const std::size_t per_piece = kPieceBytes / sample_bytes;
  u32 block = static_cast<u32>(first * sample_bytes / kBlockBytes);
  for (std::size_t done = 0; done < count; done += per_piece) {
    const std::size_t some = std::min(per_piece, count - done);
    chacha20_stream(key, address, block, std::span(piece).first(some * sample_bytes));
    for (std::size_t i = 0; i < some; ++i) convert(piece.data() + i * sample_bytes, done + i);
    block += static_cast<u32>(kPieceBytes / kBlockBytes);
  }
  wipe(piece.data(), piece.size());
}

std::span<const u8, 32> key_of(const SecretSeed& seed) noexcept {
  return std::span<const u8, 32>(seed.bytes().data(), 32);
}

template <class Bytes>
void fill_or_throw(Bytes&& bytes) {
  if (!fill_entropy(bytes)) {
    throw Error(Code::entropy_unavailable, "the operating system gave no randomness for a seed",
                "check that getrandom is allowed in this container and try again");
  }
}

}  // namespace

PublicSeed fresh_public_seed() {
  PublicSeed seed;
  fill_or_throw(std::span<u8>(seed.bytes));
  return seed;
}

SecretSeed fresh_secret_seed() {
  SecretSeed seed;
  fill_or_throw(seed.bytes().span());
  return seed;
}

void chacha20_stream(std::span<const u8, 32> key, const StreamAddress& address, u32 first_block,
                     std::span<u8> out) noexcept {
  const Nonce nonce = nonce_of(address);
  std::memset(out.data(), 0, out.size());
  crypto_stream_chacha20_ietf_xor_ic(out.data(), out.data(), out.size(), nonce.data(), first_block, key.data());
}

void sample_uniform(const PublicSeed& seed, const StreamAddress& address, u64 q, u64 first, std::span<u64> out) noexcept {
  for_each_sample(seed.bytes, address, first, out.size(), 16,
                  [&](const u8* at, std::size_t i) { out[i] = static_cast<u64>(load<u128>(at) % q); });
}

void sample_uniform(const PublicSeed& seed, const StreamAddress& address, u64 q, u64 first, std::span<u32> out) noexcept {
  for_each_sample(seed.bytes, address, first, out.size(), 16,
                  [&](const u8* at, std::size_t i) { out[i] = static_cast<u32>(load<u128>(at) % q); });
}

void sample_uniform(const PublicSeed& seed, const StreamAddress& address, u128 q, u64 first,
                    std::span<u128> out) noexcept {
  const Montgomery<u128> mont(q);
  for_each_sample(seed.bytes, address, first, out.size(), 32, [&](const u8* at, std::size_t i) {
    const u128 hi = mont.from_form(mont.to_form(load<u128>(at + 16)));
    out[i] = mont.to_form(mont.reduce(hi, load<u128>(at)));
  });
}

void sample_ternary(const SecretSeed& seed, const StreamAddress& address, std::span<i8> out) noexcept {
  for_each_sample(key_of(seed), address, 0, out.size(), 8, [&](const u8* at, std::size_t i) {
    out[i] = static_cast<i8>(static_cast<int>(mulhi<u64>(load<u64>(at), 3)) - 1);
  });
}

void sample_cbd21(const SecretSeed& seed, const StreamAddress& address, std::span<i8> out) noexcept {
  constexpr u64 kMask = (u64(1) << 21) - 1;
  for_each_sample(key_of(seed), address, 0, out.size(), 8, [&](const u8* at, std::size_t i) {
    const u64 word = load<u64>(at);
    out[i] = static_cast<i8>(std::popcount(word & kMask) - std::popcount(word >> 21 & kMask));
  });
}

}  // namespace ringfort
