// SPDX-License-Identifier: Apache-2.0
// Every backend against ref: transforms and products of words taken from the input, over primes at the kernels' limits.
// The first byte chooses the prime, the second the degree; results must be equal, bit for bit.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ringfort/ring.h"

namespace {

using ringfort::Ntt;
using Words = std::vector<std::uint64_t>;

constexpr const char* kDevices[] = {"cpu:generic", "cpu:avx2", "cpu:avx512", "cpu:ifma"};
constexpr unsigned kBits[] = {20, 29, 30, 31, 32, 49, 50, 51, 52, 60, 61, 62};

Words words_of(const std::uint8_t* data, std::size_t size, std::size_t count, std::uint64_t q) {
  Words words(count);
  for (std::size_t i = 0; i < 8 * count && size != 0; ++i) words[i / 8] |= std::uint64_t{data[i % size]} << (8 * (i % 8));
  for (auto& word : words) word %= q;
  return words;
}

struct Results {
  Words forward, inverse, product;
  bool operator==(const Results&) const = default;
};

Results compute(std::uint32_t n, std::uint64_t q, const char* device, const Words& a, const Words& b) {
  const Ntt ntt(n, q, ringfort::WordWidth::bits64, device);
  Results r{Words(n), Words(n), Words(n)};
  ntt.forward<std::uint64_t>(a, r.forward);
  ntt.inverse<std::uint64_t>(a, r.inverse);
  ntt.multiply<std::uint64_t>(a, b, r.product);
  return r;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::uint32_t n = 1u << (1 + data[1] % 12);
  const auto q = static_cast<std::uint64_t>(ringfort::primes(kBits[data[0] % std::size(kBits)], n, 1)[0]);
  const Words a = words_of(data + 2, size - 2, n, q), b = words_of(data + 2, (size - 1) / 2, n, q);
  const Results expected = compute(n, q, "ref", a, b);
  for (const char* device : kDevices) {
    if (compute(n, q, device, a, b) != expected) __builtin_trap();   // what the machine lacks is lowered, or throws
  }
  return 0;
}
