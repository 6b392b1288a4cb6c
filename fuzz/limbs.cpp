// SPDX-License-Identifier: Apache-2.0
// Every backend against ref in what passes between limbs: base conversion and division of words taken from the input, between
// runs of primes that its first bytes choose. Results must be equal, bit for bit.
#include <array>
#include <map>

#include "math/prime.h"
#include "ring/ring.h"

namespace {

using namespace ringfort;

constexpr u32 kDegree = 32;
constexpr std::array kDevices = {"ref", "cpu:generic", "cpu:avx2", "cpu:avx512", "cpu:ifma"};   // what the machine lacks is lowered
constexpr u32 kBits[] = {20, 29, 30, 31, 49, 50, 51, 52, 60, 62};      // the first four for words of 32 bits, the last seven of 64

std::vector<u128> primes_of(Word word, u32 start) {                    // six neighbours in kBits, each with a prime of its own
  std::vector<u128> primes;
  const u32 first = word == Word::u32 ? 0 : 3, count = word == Word::u32 ? 4 : 7;
  for (u32 i = 0; i < 6; ++i) primes.push_back(ntt_primes(kBits[first + (start + i) % count], kDegree, i + 1).take()[i]);
  return primes;
}

struct Rings {
  std::vector<u128> moduli;
  std::vector<Ring> devices;
};

// Made once for each choice of primes.
const Rings& rings_of(Word word, u32 start) {
  static std::map<std::pair<Word, u32>, Rings> made;
  Rings& rings = made[{word, start % (word == Word::u32 ? 4 : 7)}];
  if (!rings.devices.empty()) return rings;
  rings.moduli = primes_of(word, start);
  for (const char* device : kDevices) rings.devices.emplace_back(OpenDevice::open(device), Plan{kDegree, word, rings.moduli});
  return rings;
}

std::vector<u64> results(const Ring& ring, const std::vector<u128>& moduli, const u8* data, std::size_t size) {
  Staging staging(kDegree);
  const Limbs from{data[0] % 6u, 1 + data[1] % (6 - data[0] % 6u)}, kept{0, 1 + data[2] % 5u}, dropped{kept.count, 6 - kept.count};
  const auto a = ring.make<Coeff>(1), converted = ring.make<Coeff>(1), divided = ring.make<Coeff>(1, kept), scratch = ring.make<Coeff>(1, dropped);
  std::vector<u64> words(6 * kDegree), got;
  for (std::size_t i = 0; i < 8 * words.size(); ++i) words[i / 8] |= u64{data[i % size]} << (8 * (i % 8));
  for (std::size_t i = 0; i < words.size(); ++i) words[i] %= static_cast<u64>(moduli[i / kDegree]);
  ring.upload(Stream{}, a.all(), std::span<const u64>(words), staging);
  ring.base_convert(Stream{}, converted.all(), a.limbs(from), static_cast<Conversion>(data[3] % 3));
  ring.mod_down(Stream{}, divided.all(), a.all(), scratch.all(), 1 + data[4] % 2 * 65536);
  for (const auto* poly : {&converted, &divided}) {
    words.resize(std::size_t{poly->limbs().count} * kDegree);
    ring.download(Stream{}, poly->all(), std::span<u64>(words), staging);
    got.insert(got.end(), words.begin(), words.end());
  }
  return got;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8* data, std::size_t size) {
  if (size < 8) return 0;
  const Word word = data[5] % 2 == 0 ? Word::u32 : Word::u64;
  const Rings& rings = rings_of(word, data[6]);
  const std::vector<u64> expected = results(rings.devices[0], rings.moduli, data, size);
  for (std::size_t i = 1; i < rings.devices.size(); ++i) {
    if (results(rings.devices[i], rings.moduli, data, size) != expected) __builtin_trap();
  }
  return 0;
}
