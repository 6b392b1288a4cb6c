// SPDX-License-Identifier: Apache-2.0
// Expands the seeds in saved objects (expand_seed.h), as SEAL does. The generator fills all words first. A word is then
// reduced modulo its prime. A word at or above the largest multiple of the prime that SEAL accepts is replaced by the
// next word of the generator, until one is below.
#include "expand_seed.h"

#include <limits>

#include "errors.h"

namespace seal::detail {

UniformRandomGeneratorInfo read_seed(std::istream& stream, const SEALVersion& version) {
  if (version.major == 3 && version.minor < 6)
    refuse_state("the object was saved with a seed by SEAL before 3.6", "load it with SEAL 4.1 and save it again");
  UniformRandomGeneratorInfo info;
  info.load(stream);
  if (info.type() == prng_type::blake2xb) return info;
  refuse_state("the object was saved with a seed of another generator than BLAKE2Xb",
               "save it without a seed, or build SEAL with SEAL_DEFAULT_PRNG=Blake2xb");
}

void expand_seed(const UniformRandomGeneratorInfo& info, const EncryptionParameters& parms,
                 std::span<std::uint64_t> words) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
  const std::size_t n = parms.poly_modulus_degree();
  const auto generator = info.make_prng();
  generator->generate(words.size_bytes(), reinterpret_cast<seal_byte*>(words.data()));
  for (std::size_t i = 0; i < parms.coeff_modulus().size(); ++i) {
    const std::uint64_t q = parms.coeff_modulus()[i].value(), end = kLargest - kLargest % q - 1;
    for (std::uint64_t& word : words.subspan(i * n, n)) {
      while (word >= end) generator->generate(sizeof word, reinterpret_cast<seal_byte*>(&word));
      word %= q;
    }
  }
}

}  // namespace seal::detail
