// SPDX-License-Identifier: Apache-2.0
// Computes samples from blocks of ChaCha20. For whole groups of 16 blocks, the fused kernel of the table is used, if
// the table has one. All other samples are converted from bytes on the stack. These bytes are then wiped. No branch,
// index or division depends on a sample.
#include "math/chacha/sampler.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/assert.h"
#include "math/reduction_montgomery.h"

namespace ringfort::chacha {

namespace {

static_assert(std::endian::native == std::endian::little, "streams and samples are little endian");

constexpr std::size_t kBlockBytes = 64;
constexpr std::size_t kPieceBytes = 2 * kGroupBlocks * kBlockBytes;

template <class T>
T load(const u8* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Counts the ones of x without a table.
u32 count_ones(u32 x) noexcept {
  constexpr u32 kPairs = 0x55555555;    // check-magic: 0x55555555 == (2**32 - 1) / 3
  constexpr u32 kNibbles = 0x33333333;  // check-magic: 0x33333333 == (2**32 - 1) / 5
  constexpr u32 kBytes = 0x0F0F0F0F;    // check-magic: 0x0F0F0F0F == (2**32 - 1) / 17
  constexpr u32 kSum = 0x01010101;      // check-magic: 0x01010101 == (2**32 - 1) / 255
  x -= x >> 1 & kPairs;
  x = (x & kNibbles) + (x >> 2 & kNibbles);
  x = (x + (x >> 4)) & kBytes;
  return x * kSum >> 24;
}

// Returns the quotient and the remainder of (hi 2^64 + lo) / q, for hi < q. It uses the division of the processor,
// because q is public.
Division<u64> divide(u64 hi, u64 lo, u64 q) noexcept {
  const u64 quotient = static_cast<u64>((u128{hi} << 64 | lo) / q);
  return {quotient, lo - quotient * q};
}

}  // namespace

const Kernels& kernels_of(Isa isa) noexcept {
#if defined(__x86_64__)
  if (isa == Isa::ifma) return kIfma;
  if (isa == Isa::avx512) return kAvx512;
  if (isa >= Isa::avx2) return kAvx2;
#endif
  static_cast<void>(isa);
  return kGeneric;
}

const Kernels& chosen_kernels() noexcept { return kernels_of(chosen_isa().used); }

WideRemainder::WideRemainder(u64 q) noexcept
    : q_(q),
      weight_(divide(1, 0, q).remainder),
      weight_quotient_(divide(weight_, 0, q).quotient),
      unit_quotient_(divide(1, 0, q).quotient) {}

Uniform52 uniform52(u64 q) noexcept {
  const u32 m = bit_length(q);
  const u64 low_weight = u64(1) << (m - 2);
  const auto times_2_52 = [q](u64 weight) { return divide(weight >> 12, weight << 52, q); };
  const auto low = times_2_52(low_weight);  // 2^(m+50) / q; its remainder is weight[1]
  return {q, m - 2, {low_weight, low.remainder}, {low.quotient, times_2_52(low.remainder).quotient}};
}

Sampler::Sampler(const Kernels& kernels, std::span<const u8, 32> key, const StreamAddress& address) noexcept
    : kernels_(kernels) {
  RF_ASSERT(address.object >> 48 == 0);
  constexpr std::array<u8, 16> kConstants = {'e', 'x', 'p', 'a', 'n', 'd', ' ', '3',
                                             '2', '-', 'b', 'y', 't', 'e', ' ', 'k'};
  std::memcpy(state_.words, kConstants.data(), 16);  // [RFC8439, section 2.3]
  std::memcpy(state_.words + 4, key.data(), 32);
  state_.words[13] = static_cast<u32>(static_cast<u16>(address.purpose)) | static_cast<u32>(address.object) << 16;
  state_.words[14] = static_cast<u32>(address.object >> 16);
  state_.words[15] = static_cast<u32>(address.limb) | static_cast<u32>(address.digit) << 16;
}

Sampler::~Sampler() { wipe(&state_, sizeof state_); }

const State& Sampler::at_block(u64 block) noexcept {
  RF_ASSERT(block >> 32 == 0);
  state_.words[12] = static_cast<u32>(block);
  return state_;
}

void Sampler::stream(u32 first_block, std::span<u8> out) noexcept {
  const std::size_t whole = out.size() / kBlockBytes, rest = out.size() % kBlockBytes;
  kernels_.blocks(at_block(first_block), out.data(), whole);
  if (rest == 0) return;
  std::array<u8, kBlockBytes> last;
  kernels_.blocks(at_block(u64(first_block) + whole), last.data(), 1);
  std::memcpy(out.data() + whole * kBlockBytes, last.data(), rest);
  wipe(last.data(), last.size());
}

template <class Convert>
void Sampler::convert_each(u32 first_block, std::size_t from, std::size_t count, std::size_t sample_bytes,
                           Convert convert) noexcept {
  alignas(64) std::array<u8, kPieceBytes> piece;
  const std::size_t per_piece = kPieceBytes / sample_bytes;
  for (std::size_t done = from; done < count; done += per_piece) {  // the sample with number `from` begins a block
    const std::size_t some = std::min(per_piece, count - done);
    const std::size_t block_count = (some * sample_bytes + kBlockBytes - 1) / kBlockBytes;
    kernels_.blocks(at_block(first_block + done * sample_bytes / kBlockBytes), piece.data(), block_count);
    for (std::size_t i = 0; i < some; ++i) convert(piece.data() + i * sample_bytes, done + i);
  }
  wipe(piece.data(), piece.size());
}

template <class W>
void Sampler::uniform(u64 q, u64 first, std::span<W> out) noexcept {
  RF_ASSERT(q >= 2 && q >> 62 == 0 && first % 8 == 0);
  const u32 m = bit_length(q), first_block = static_cast<u32>(first / 4);
  std::size_t done = 0;
  const auto fused = [this] {
    if constexpr (sizeof(W) == 8) return kernels_.uniform64;
    else return kernels_.uniform32;
  }();
  if (fused != nullptr && m >= kLeast52Bits && m <= kMost52Bits) {
    const std::size_t groups = out.size() / kGroupUniform;
    fused(at_block(first_block), uniform52(q), out.data(), groups);
    done = groups * kGroupUniform;
  }
  if (done == out.size()) return;
  const WideRemainder remainder(q);
  convert_each(first_block, done, out.size(), 16, [&](const u8* at, std::size_t i) {
    out[i] = static_cast<W>(remainder(load<u64>(at), load<u64>(at + 8)));
  });
}

template void Sampler::uniform<u32>(u64, u64, std::span<u32>) noexcept;
template void Sampler::uniform<u64>(u64, u64, std::span<u64>) noexcept;

void Sampler::uniform128(u128 q, u64 first, std::span<u128> out) noexcept {
  RF_ASSERT(first % 8 == 0);
  const Montgomery<u128> mont(q);
  convert_each(static_cast<u32>(first / 2), 0, out.size(), 32, [&](const u8* at, std::size_t i) {
    const u128 hi = mont.from_form(mont.to_form(load<u128>(at + 16)));
    out[i] = mont.to_form(mont.reduce(hi, load<u128>(at)));
  });
}

void Sampler::ternary(std::span<i8> out) noexcept {
  convert_each(0, 0, out.size(), 8, [&](const u8* at, std::size_t i) {
    out[i] = static_cast<i8>(static_cast<int>(mulhi<u64>(load<u64>(at), 3)) - 1);
  });
}

void Sampler::cbd21(std::span<i8> out) noexcept {
  std::size_t done = 0;
  if (kernels_.cbd21 != nullptr) {
    const std::size_t groups = out.size() / kGroupCbd;
    kernels_.cbd21(at_block(0), out.data(), groups);
    done = groups * kGroupCbd;
  }
  constexpr u32 kMask = (1u << 21) - 1;
  convert_each(0, done, out.size(), 8, [&](const u8* at, std::size_t i) {
    const u64 word = load<u64>(at);
    const u32 added = count_ones(static_cast<u32>(word) & kMask),
              taken = count_ones(static_cast<u32>(word >> 21) & kMask);
    out[i] = static_cast<i8>(static_cast<int>(added) - static_cast<int>(taken));
  });
}

}  // namespace ringfort::chacha
