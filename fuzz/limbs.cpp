// SPDX-License-Identifier: Apache-2.0
// Fuzz target. Runs an operation that combines limbs on words from the input: once by some backend (an implementation
// of the arithmetic), and once by the backend ref. The results must have equal bits. The operation is a base conversion
// (residues modulo some neighbouring primes give residues modulo all primes), or a division by the last primes. The
// first bytes of the input select the primes, the operation and the backend.
#include <map>

#include "devices.h"
#include "math/prime.h"
#include "ring/ring.h"

namespace {

using namespace ringfort;

constexpr u32 kDegree = 16;
// the first four lengths are for 32-bit words, the last seven for 64-bit words (31 is for both)
constexpr u32 kBits[] = {20, 29, 30, 31, 49, 50, 51, 52, 60, 62};

// Returns six primes. Their lengths are successive entries of kBits for `word`. After the last entry, the first one
// follows.
std::vector<u128> primes_of(Word word, u32 start) {
  std::vector<u128> primes;
  const u32 first = word == Word::u32 ? 0 : 3, count = word == Word::u32 ? 4 : 7;
  for (u32 i = 0; i < 6; ++i)
    primes.push_back(ntt_primes(kBits[first + (start + i) % count], kDegree, i + 1).take()[i]);
  return primes;
}

struct Rings {
  std::vector<u128> moduli;
  std::vector<Ring> devices;
};

// Returns a ring for each backend, with one choice of primes. The rings are created at the first call.
const Rings& rings_of(Word word, u32 start) {
  static std::map<std::pair<Word, u32>, Rings> all;
  Rings& rings = all[{word, start % (word == Word::u32 ? 4 : 7)}];
  if (!rings.devices.empty()) return rings;
  rings.moduli = primes_of(word, start);
  for (const auto& device : compared_devices())
    rings.devices.emplace_back(Device::open(device), Plan{kDegree, word, rings.moduli});
  return rings;
}

std::vector<u64> results(const Ring& ring, const std::vector<u128>& moduli, const u8* data, std::size_t size) {
  Staging staging(kDegree);
  const bool divides = data[7] % 2 != 0;
  const Limbs from{data[0] % 6u, 1 + data[1] % (6 - data[0] % 6u)}, kept{0, 1 + data[2] % 5u},
      dropped{kept.count, 6 - kept.count};
  const auto a = ring.make<Coeff>(1), result = divides ? ring.make<Coeff>(1, kept) : ring.make<Coeff>(1);
  std::vector<u64> words(6 * kDegree);
  for (std::size_t i = 0; i < 8 * words.size(); ++i) words[i / 8] |= u64{data[i % size]} << (8 * (i % 8));
  for (std::size_t i = 0; i < words.size(); ++i) words[i] %= static_cast<u64>(moduli[i / kDegree]);
  ring.upload(Stream{}, a.all(), std::span<const u64>(words), staging);
  if (divides) {
    const auto scratch = ring.make<Coeff>(1, dropped);
    ring.mod_down(Stream{}, result.all(), a.all(), scratch.all(), 1 + data[4] % 2 * 65536);
  } else {
    ring.base_convert(Stream{}, result.all(), a.limbs(from), static_cast<Conversion>(data[3] % 3));
  }
  words.resize(std::size_t{result.limbs().count} * kDegree);
  ring.download(Stream{}, result.all(), std::span<u64>(words), staging);
  return words;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8* data, std::size_t size) {
  if (size < 8) return 0;
  const Word word = data[5] % 2 == 0 ? Word::u32 : Word::u64;
  const Rings& rings = rings_of(word, data[6]);
  const Ring& device = rings.devices[1 + data[7] / 2 % (rings.devices.size() - 1)];
  if (results(device, rings.moduli, data, size) != results(rings.devices[0], rings.moduli, data, size))
    __builtin_trap();
  return 0;
}
