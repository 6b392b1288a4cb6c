// SPDX-License-Identifier: Apache-2.0
// Code that the CKKS tests share: parameters of any size, a client with all keys, random values, and the largest
// difference of two lists.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

#include "ringfort/ckks.h"
#include "ringfort/error.h"
#include "ringfort/ring.h"
#include "scheme/ckks/state.h"
#include "support/entropy.h"

namespace ringfort::ckks::testing {

using ringfort::testing::choose_seed;
using Values = std::vector<double>;

// The sizes of a parameter set. Special primes are those that only keys and key switching use. Key switching splits a
// polynomial into digits of `digit_limbs` limbs.
struct Shape {
  u32 n = 64;
  u32 levels = 3;  // multiplicative depth
  u32 bits = 40;   // bits of the scale and of the primes by which rescaling divides
  u32 first_bits = 50;
  u32 special = 1;
  u32 special_bits = 50;
  u32 digit_limbs = 1;
  u32 limbs_per_level = 1;  // if this is above 1, `bits` and `first_bits` are the lengths of one limb
  PrimeForm form = PrimeForm::any;
};

inline std::vector<u64> some_primes(u32 bits, u32 n, std::size_t count, const std::vector<u64>& taken) {
  std::vector<u64> found;
  for (const auto q : primes(bits, n, count + taken.size())) {
    if (found.size() < count && std::find(taken.begin(), taken.end(), static_cast<u64>(q)) == taken.end())
      found.push_back(static_cast<u64>(q));
  }
  return found;
}

inline ChainParameters chain_of(const Shape& shape) {
  ChainParameters chain;
  chain.n = shape.n;
  chain.limbs_per_level = shape.limbs_per_level;
  chain.digit_limbs = shape.digit_limbs;
  chain.insecure_reason = "a test";
  std::vector<u64> taken;
  const auto take = [&](std::vector<u64>& to, u32 bits, std::size_t count) {
    const u32 step = shape.form == PrimeForm::any ? shape.n : std::max(shape.n, 1u << 15);
    const std::vector<u64> found = some_primes(bits, step, count, taken);
    to.insert(to.end(), found.begin(), found.end());
    taken.insert(taken.end(), found.begin(), found.end());
  };
  take(chain.data, shape.first_bits, shape.limbs_per_level);
  take(chain.data, shape.bits, std::size_t{shape.levels} * shape.limbs_per_level);
  take(chain.special, shape.special_bits, shape.special);
  return chain;
}

inline Parameters parameters_of(const Shape& shape) {
  Parameters p;
  p.chain = chain_of(shape);
  p.scale = std::exp2(shape.bits * shape.limbs_per_level);
  return p;
}

inline Shape short_words() {
  Shape shape;
  shape.bits = 28;  // two limbs per level give a scale of 56 bits, so products need two words
  shape.first_bits = 30;
  shape.special = 2;
  shape.special_bits = 31;
  shape.digit_limbs = shape.limbs_per_level = 2;
  shape.levels = 2;
  return shape;
}

// Returns a shape whose parameters every device accepts. The primes are c 2^16 + 1, so that `pim`, the simulated
// processing-in-memory system, can use its fast kernels.
inline Shape words_of_short_form() {
  Shape shape = short_words();
  shape.special_bits = 30;
  shape.form = PrimeForm::c_2_16_1;
  return shape;
}

inline Shape levels_above_a_word() {
  Shape shape = short_words();
  shape.bits = 33;  // two limbs per level: factors that align scales have 66 bits, more than a word
  shape.first_bits = 39;
  shape.special_bits = 39;
  return shape;
}

struct Client {
  explicit Client(const Parameters& p, std::string_view device = "",
                  std::vector<std::int32_t> rotations = {1, 2, 4, -3})
      : context(p, device),
        generator(context),
        relinearization(generator.create_relinearization_key()),
        galois(generator.create_galois_keys(plan_keys(context, {std::move(rotations), true, 0}))),
        open(generator.create_public_key()),
        encoder(context),
        encryptor(context, generator.secret_key()),
        decryptor(context, generator.secret_key()),
        evaluator(context),
        automatic(context, &relinearization, &galois) {}

  [[nodiscard]] Ciphertext encrypt(const Values& values) const { return encryptor.encrypt(encoder.encode(values)); }
  [[nodiscard]] Values decrypt(const Ciphertext& ciphertext) const {
    Values out(context.slots());
    encoder.decode_raw(decryptor.decrypt(ciphertext), std::span<double>(out));
    return out;
  }

  Context context;
  KeyGenerator generator;
  RelinearizationKey relinearization;
  GaloisKeys galois;
  PublicKey open;
  Encoder encoder;
  Encryptor encryptor;
  Decryptor decryptor;
  Evaluator evaluator;
  AutomaticEvaluator automatic;
};

inline Values random_values(std::size_t count, u64 seed, double magnitude = 1) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(-magnitude, magnitude);
  Values values(count);
  for (double& value : values) value = uniform(generator);
  return values;
}

inline double largest_difference(const Values& a, const Values& b) {
  double most = a.size() == b.size() ? 0 : 1e300;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

// Returns canonical residues, ordered as [component][limb][index of the evaluation].
inline std::vector<u64> words(const RlweCiphertext& ciphertext) {
  const Slice<Eval> all = ciphertext.all();
  std::vector<u64> words(std::size_t{all.batch()} * all.limbs().count * ciphertext.context->p.n);
  Staging staging(ciphertext.context->p.n);
  ciphertext.context->ring.download(Stream{}, all, std::span<u64>(words), staging);
  return words;
}

inline std::vector<u64> residues(const Ciphertext& c) { return words(c.state().rlwe); }

// Returns the bound on the error of a slot: the bound of the ciphertext plus the error of decoding.
inline double claimed_error(const Client& client, const Ciphertext& c) {
  return std::exp2(-c.precision_bits() - 1) + decode_error(client.context.slots(), c.magnitude(), c.scale());
}

}  // namespace ringfort::ckks::testing
