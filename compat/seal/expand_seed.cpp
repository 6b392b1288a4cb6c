// SPDX-License-Identifier: Apache-2.0
// Expands the seeds in saved objects (expand_seed.h), as SEAL does. The generator fills all words first. A word is then
// reduced modulo its prime. A word at or above the largest multiple of the prime that SEAL accepts is replaced by the
// next word of the generator, until one is below.
#include "expand_seed.h"

#include <limits>

#include "errors.h"
#include "operands.h"
#include "ringfort/key_residues.h"

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

void draw_uniform(UniformRandomGenerator& generator, const EncryptionParameters& parms,
                  std::span<std::uint64_t> words) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
  const std::size_t n = parms.poly_modulus_degree();
  generator.generate(words.size_bytes(), reinterpret_cast<seal_byte*>(words.data()));
  for (std::size_t i = 0; i < parms.coeff_modulus().size(); ++i) {
    const std::uint64_t q = parms.coeff_modulus()[i].value(), end = kLargest - kLargest % q - 1;
    for (std::uint64_t& word : words.subspan(i * n, n)) {
      while (word >= end) generator.generate(sizeof word, reinterpret_cast<seal_byte*>(&word));
      word = parms.coeff_modulus()[i].reduce(word);
    }
  }
}

void expand_seed(const UniformRandomGeneratorInfo& info, const EncryptionParameters& parms,
                 std::span<std::uint64_t> words) {
  draw_uniform(*info.make_prng(), parms, words);
}

namespace {

const rf::SecretKey& secret_of(const SecretKey& key) { return Access::object(key)->key; }

// Replaces the coefficients of a polynomial by its evaluations.
void to_evaluations(const ContextState& state, std::span<std::uint64_t> words) {
  const std::size_t n = state.keys().chain().n;
  for (std::size_t i = 0; i * n < words.size(); ++i) {
    const std::span<std::uint64_t> row = words.subspan(i * n, n);
    state.transforms()[i].forward<std::uint64_t>(row, row);
  }
}

// Draws a seed, and replaces the second polynomial of a pair of evaluations. The seed gives evaluations or
// coefficients.
Seed replace_second(std::span<std::uint64_t> pair, const ContextState& state, const EncryptionParameters& parms,
                    const SecretKey& secret, bool is_ntt_form) {
  prng_seed_type drawn{};
  random_bytes(reinterpret_cast<seal_byte*>(drawn.data()), prng_seed_byte_count);
  Seed seed{UniformRandomGeneratorInfo(prng_type::blake2xb, drawn), is_ntt_form};
  std::vector<std::uint64_t> uniform(pair.size() / 2);
  expand_seed(seed.info, parms, uniform);
  if (!is_ntt_form) to_evaluations(state, uniform);
  rf::replace_uniform(secret_of(secret), pair, uniform);
  return seed;
}

}  // namespace

void give_seed(Ciphertext& fresh, const SEALContext& context, const SecretKey& secret) {
  const CiphertextObject& object = *Access::object(fresh);
  const ContextState& state = *object.context;
  std::vector<std::uint64_t> words(object.components() * object.component_words());
  object.read_words(true, words);
  translated([&] {
    Seed seed =
        replace_second(words, state, context.get_context_data(fresh.parms_id())->parms(), secret, fresh.is_ntt_form());
    CiphertextObject::Value value = with_ring(context, [&](const auto& ring) -> CiphertextObject::Value {
      return ciphertext_of_words(ring, {object.level(), fresh.scale(), fresh.correction_factor(), true}, words);
    });
    Access::set(fresh, context, std::move(value), fresh.scale(), fresh.is_ntt_form(), std::move(seed));
  });
}

void give_seed(PublicKey& fresh, const SEALContext& context, const SecretKey& secret) {
  const PublicObject& object = *Access::object(fresh);
  translated([&] {
    std::vector<std::uint64_t> words = rf::residues(object.key);
    Seed seed = replace_second(words, state_of(context), context.key_context_data()->parms(), secret, true);
    Access::set(fresh, context, rf::public_key_of(state_of(context).keys(), words), std::move(seed));
  });
}

void give_seeds(KSwitchKeys& fresh, const SEALContext& context, const SecretKey& secret) {
  const EncryptionParameters& parms = context.key_context_data()->parms();
  const rf::KeyContext& keys = state_of(context).keys();
  SwitchObject seeded;
  std::vector<rf::GaloisKeys> elements;
  for (std::size_t index = 0; index < fresh.data().size(); ++index) {
    const std::size_t pairs = fresh.data()[index].size();
    if (pairs == 0) continue;
    std::vector<std::uint64_t> words = words_of_key(*Access::object(fresh), index);
    const std::size_t each = words.size() / pairs;
    translated([&] {
      for (std::size_t i = 0; i < pairs; ++i) {
        seeded.seeds.push_back(
            replace_second(std::span(words).subspan(i * each, each), state_of(context), parms, secret, true));
      }
      if (Access::object(fresh)->relinearization)
        seeded.relinearization.emplace(rf::relinearization_key_of(keys, words));
      else elements.push_back(rf::galois_key_of(keys, static_cast<std::uint32_t>(2 * index + 1), words));
    });
  }
  seeded.set(std::move(elements));
  Access::set(fresh, context, std::move(seeded));
}

}  // namespace seal::detail
