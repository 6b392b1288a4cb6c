// SPDX-License-Identifier: Apache-2.0
// Fuzz target. Transforms or multiplies words from the input: once by some backend (an implementation of the
// arithmetic), and once by the backend ref. The results must have equal bits. The lengths of the primes are at the
// limits of the kernels. The first byte of the input selects the prime. The second byte selects the degree, which is
// mostly small, to keep runs short. The third byte selects the backend and the operation.
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "devices.h"
#include "ringfort/ring.h"

namespace {

using ringfort::Ntt;
using Words = std::vector<std::uint64_t>;

constexpr std::array kBits = {20U, 29U, 30U, 31U, 32U, 49U, 50U, 51U, 52U, 60U, 61U, 62U};
constexpr std::uint8_t kLongAbove = 250;

struct Rings {
  std::uint64_t q = 0;
  std::vector<Ntt> devices;
};

// Returns a ring for each backend, with one prime and one degree. The rings are created at the first call.
const Rings& rings_of(std::uint32_t bits, std::uint32_t n) {
  static std::map<std::pair<std::uint32_t, std::uint32_t>, Rings> all;
  Rings& rings = all[{bits, n}];
  if (!rings.devices.empty()) return rings;
  rings.q = static_cast<std::uint64_t>(ringfort::primes(bits, n, 1)[0]);
  for (const auto& device : compared_devices())
    rings.devices.emplace_back(n, rings.q, ringfort::WordWidth::bits64, device);
  return rings;
}

Words words_of(const std::uint8_t* data, std::size_t size, std::size_t count, std::uint64_t q) {
  Words words(count);
  for (std::size_t i = 0; i < 8 * count && size != 0; ++i)
    words[i / 8] |= std::uint64_t{data[i % size]} << (8 * (i % 8));
  for (auto& word : words) word %= q;
  return words;
}

Words compute(const Ntt& ntt, std::uint32_t verb, const Words& a, const Words& b) {
  Words result(a.size());
  if (verb == 0) ntt.forward<std::uint64_t>(a, result);
  if (verb == 1) ntt.inverse<std::uint64_t>(a, result);
  if (verb == 2) ntt.multiply<std::uint64_t>(a, b, result);
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  const std::uint32_t n = 1U << (1 + data[1] % (data[1] > kLongAbove ? 12 : 6)), verb = data[2] % 3;
  const Rings& rings = rings_of(kBits[data[0] % kBits.size()], n);
  const Words a = words_of(data + 3, size - 3, n, rings.q), b = words_of(data + 3, (size - 2) / 2, n, rings.q);
  const Ntt& device = rings.devices[1 + data[2] / 3 % (rings.devices.size() - 1)];
  if (compute(device, verb, a, b) != compute(rings.devices[0], verb, a, b)) __builtin_trap();
  return 0;
}
