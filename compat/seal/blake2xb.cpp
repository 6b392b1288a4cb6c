// SPDX-License-Identifier: Apache-2.0
// BLAKE2Xb [Aumasson16] on the compression function of BLAKE2b [Saarinen15]. The hash of the input gives 64 bytes;
// block i of the output is the hash of these bytes with the parameter i. No branch and no index depends on input or
// key. Numbers have the byte order of the machine, which is little-endian on all machines of this library.
#include "blake2xb.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "seal/util/common.h"

namespace seal::detail {

namespace {

using Word = std::uint64_t;
using State = std::array<Word, 8>;

constexpr std::size_t kBlock = 128, kHash = 64;

// The first 64 bits of the fractional parts of the square roots of 2, 3, 5 .. 19 [Saarinen15].
constexpr State kStart{0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                       0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

// The orders in which rounds take the words of a block; round r has row r mod 10 [Saarinen15].
constexpr std::uint8_t kOrders[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

struct Parameters {  // the first 18 bytes of the parameter block; the others are zero
  std::uint8_t hash = kHash, key = 0, fanout = 1, depth = 1;
  std::uint32_t leaf = 0, node = 0, output = 0;
  std::uint8_t node_depth = 0, inner = 0;
};

class Blake2b {
 public:
  explicit Blake2b(const Parameters& p) : hash_(kStart) {
    hash_[0] ^= Word{p.hash} | Word{p.key} << 8 | Word{p.fanout} << 16 | Word{p.depth} << 24 | Word{p.leaf} << 32;
    hash_[1] ^= Word{p.node} | Word{p.output} << 32;
    hash_[2] ^= Word{p.node_depth} | Word{p.inner} << 8;
  }
  Blake2b(const Blake2b&) = delete;
  Blake2b& operator=(const Blake2b&) = delete;
  ~Blake2b() {
    util::seal_memzero(&hash_, sizeof hash_);
    util::seal_memzero(&block_, sizeof block_);
  }

  // Takes one block: at most 128 bytes, and zeros after them.
  void take(std::span<const std::uint8_t> bytes, bool is_last) {
    block_.fill(0);
    std::memcpy(block_.data(), bytes.data(), bytes.size());
    count_ += is_last ? bytes.size() : kBlock;
    compress(is_last);
  }
  void result(std::span<std::uint8_t> out) const { std::memcpy(out.data(), hash_.data(), out.size()); }

 private:
  [[gnu::always_inline]] static void mix(Word& a, Word& b, Word& c, Word& d, Word x, Word y) {
    a += b + x;
    d = std::rotr(d ^ a, 32);
    c += d;
    b = std::rotr(b ^ c, 24);
    a += b + y;
    d = std::rotr(d ^ a, 16);
    c += d;
    b = std::rotr(b ^ c, 63);
  }

  // One round. Compilers unroll it, because its order is a constant.
  template <std::size_t Order>
  void mix_all(std::array<Word, 16>& v) const {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (mix(v[I], v[I + 4], v[I + 8], v[I + 12], word<Order, 2 * I>(), word<Order, 2 * I + 1>()), ...);
      (mix(v[I], v[4 + (I + 1) % 4], v[8 + (I + 2) % 4], v[12 + (I + 3) % 4], word<Order, 8 + 2 * I>(),
           word<Order, 9 + 2 * I>()),
       ...);
    }(std::make_index_sequence<4>());
  }
  template <std::size_t Order, std::size_t At>
  [[nodiscard]] Word word() const {
    return block_[kOrders[Order][At]];
  }

  void compress(bool is_last) {
    std::array<Word, 16> v{};
    std::copy(hash_.begin(), hash_.end(), v.begin());
    std::copy(kStart.begin(), kStart.end(), v.begin() + 8);
    v[12] ^= count_;
    if (is_last) v[14] = ~v[14];
    [&]<std::size_t... R>(std::index_sequence<R...>) { (mix_all<R % 10>(v), ...); }(std::make_index_sequence<12>());
    for (std::size_t i = 0; i < 8; ++i) hash_[i] ^= v[i] ^ v[i + 8];
    util::seal_memzero(&v, sizeof v);
  }

  State hash_;
  std::array<Word, kBlock / sizeof(Word)> block_{};
  Word count_ = 0;
};

}  // namespace

void blake2xb(std::span<std::uint8_t> out, std::span<const std::uint8_t> input, std::span<const std::uint8_t> key) {
  const auto length = static_cast<std::uint32_t>(out.size());
  Blake2b root({.key = static_cast<std::uint8_t>(key.size()), .output = length});
  if (!key.empty()) {
    std::array<std::uint8_t, kBlock> block{};
    std::copy(key.begin(), key.end(), block.begin());
    root.take(block, input.empty());
    util::seal_memzero(block.data(), block.size());
  }
  do {
    const std::size_t taken = std::min(kBlock, input.size());
    if (taken != 0 || key.empty()) root.take(input.first(taken), taken == input.size());
    input = input.subspan(taken);
  } while (!input.empty());
  std::array<std::uint8_t, kHash> hash{};
  root.result(hash);
  for (std::uint32_t node = 0; !out.empty(); ++node) {
    const auto now = out.first(std::min(kHash, out.size()));
    Blake2b leaf({.hash = static_cast<std::uint8_t>(now.size()),
                  .fanout = 0,
                  .depth = 0,
                  .leaf = kHash,
                  .node = node,
                  .output = length,
                  .inner = kHash});
    leaf.take(hash, true);
    leaf.result(now);
    out = out.subspan(now.size());
  }
  util::seal_memzero(hash.data(), hash.size());
}

}  // namespace seal::detail
