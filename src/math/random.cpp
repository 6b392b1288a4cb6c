// SPDX-License-Identifier: Apache-2.0
// Seeds, and the public functions of the samplers. The samplers are in math/chacha. Every seed is a separate request to
// the operating system. Therefore a forked process never has the seeds of its parent.
#include "math/random.h"

#include <array>

#include "math/chacha/sampler.h"
#include "math/word.h"
#include "ringfort/error.h"

namespace ringfort {

namespace {

using chacha::Sampler;

Sampler sampler(std::span<const u8, 32> key, const StreamAddress& address) noexcept {
  return Sampler(chacha::chosen_kernels(), key, address);
}

std::span<const u8, 32> key_of(const SecretSeed& seed) noexcept {
  return std::span<const u8, 32>(seed.bytes().data(), 32);
}

void fill_or_throw(std::span<u8> bytes) {
  if (!fill_entropy(bytes)) {
    throw Error(Code::entropy_unavailable, "the operating system gave no randomness for a seed",
                "check that getrandom is allowed in this container and try again");
  }
}

}  // namespace

PublicSeed fresh_public_seed() {
  PublicSeed seed;
  fill_or_throw(seed.bytes);
  return seed;
}

SecretSeed fresh_secret_seed() {
  SecretSeed seed;
  fill_or_throw(seed.bytes().span());
  return seed;
}

void chacha20_stream(std::span<const u8, 32> key, const StreamAddress& address, u32 first_block,
                     std::span<u8> out) noexcept {
  sampler(key, address).stream(first_block, out);
}

void sample_uniform(const PublicSeed& seed, const StreamAddress& address, u64 q, u64 first,
                    std::span<u64> out) noexcept {
  sampler(seed.bytes, address).uniform<u64>(q, first, out);
}

void sample_uniform(const PublicSeed& seed, const StreamAddress& address, u64 q, u64 first,
                    std::span<u32> out) noexcept {
  sampler(seed.bytes, address).uniform<u32>(q, first, out);
}

void sample_uniform(const PublicSeed& seed, const StreamAddress& address, u128 q, u64 first,
                    std::span<u128> out) noexcept {
  sampler(seed.bytes, address).uniform128(q, first, out);
}

void sample_ternary(const SecretSeed& seed, const StreamAddress& address, std::span<i8> out) noexcept {
  sampler(key_of(seed), address).ternary(out);
}

void sample_cbd21(const SecretSeed& seed, const StreamAddress& address, std::span<i8> out) noexcept {
  sampler(key_of(seed), address).cbd21(out);
}

void sample_wide(const SecretSeed& seed, const StreamAddress& address, u128 width, std::span<i128> out) noexcept {
  constexpr u32 kBlocks = kWideTerms * sizeof(u128) / 64;
  Sampler stream = sampler(key_of(seed), address);
  std::array<u8, kWideTerms * sizeof(u128)> bytes;
  for (std::size_t i = 0; i < out.size(); ++i) {
    stream.stream(static_cast<u32>(i) * kBlocks, bytes);
    i128 sum = 0;
    for (u32 term = 0; term < kWideTerms; ++term) {
      u128 word = 0;
      for (u32 byte = sizeof(u128); byte-- > 0;) word = word << 8 | bytes[term * sizeof(u128) + byte];
      const i128 uniform = static_cast<i128>(mulhi<u128>(word, width));
      sum += term < kWideTerms / 2 ? uniform : -uniform;
    }
    out[i] = sum;
  }
  wipe(bytes.data(), bytes.size());
}

}  // namespace ringfort
