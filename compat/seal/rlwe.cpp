// SPDX-License-Identifier: Apache-2.0
// Random polynomials, encryptions of zero, and sums with plaintexts (seal/util/rlwe.h and scalingvariant.h). A sampler
// draws one number a coefficient, and writes its residues.
#include "seal/util/rlwe.h"

#include <random>

#include "errors.h"
#include "expand_seed.h"
#include "operands.h"
#include "seal/encryptor.h"
#include "seal/randomtostd.h"
#include "seal/util/clipnormal.h"
#include "seal/util/scalingvariant.h"

namespace seal::util {

namespace {

// Writes the residues of draw() for each coefficient.
template <class Draw>
void sample(const EncryptionParameters& parms, std::uint64_t* destination, Draw&& draw) {
  const std::size_t n = parms.poly_modulus_degree();
  for (std::size_t c = 0; c < n; ++c) {
    const std::int64_t number = draw();
    std::uint64_t* to = destination + c;
    for (const Modulus& q : parms.coeff_modulus()) {
      *to = number < 0 ? q.value() - static_cast<std::uint64_t>(-number) : static_cast<std::uint64_t>(number);
      to += n;
    }
  }
}

void require_generator(const std::shared_ptr<UniformRandomGenerator>& prng) {
  if (!prng) detail::refuse_argument("a polynomial was drawn without a generator", "make one with a factory");
}

}  // namespace

void sample_poly_ternary(std::shared_ptr<UniformRandomGenerator> prng, const EncryptionParameters& parms,
                         std::uint64_t* destination) {
  RandomToStandardAdapter engine(std::move(prng));
  std::uniform_int_distribution<std::uint64_t> three(0, 2);
  sample(parms, destination, [&] { return static_cast<std::int64_t>(three(engine)) - 1; });
}

void sample_poly_normal(std::shared_ptr<UniformRandomGenerator> prng, const EncryptionParameters& parms,
                        std::uint64_t* destination) {
  RandomToStandardAdapter engine(std::move(prng));
  ClippedNormalDistribution normal(0, global_variables::noise_standard_deviation,
                                   global_variables::noise_max_deviation);
  sample(parms, destination, [&] { return static_cast<std::int64_t>(normal(engine)); });
}

// The difference of the ones in two strings of 21 bits, each from 3 bytes.
void sample_poly_cbd(std::shared_ptr<UniformRandomGenerator> prng, const EncryptionParameters& parms,
                     std::uint64_t* destination) {
  require_generator(prng);
  sample(parms, destination, [&] {
    unsigned char bytes[6];
    prng->generate(sizeof bytes, reinterpret_cast<seal_byte*>(bytes));
    const auto ones = [](const unsigned char* three) {
      return hamming_weight(three[0]) + hamming_weight(three[1]) + hamming_weight(three[2] & 0x1F);
    };
    return static_cast<std::int64_t>(ones(bytes) - ones(bytes + 3));
  });
}

void sample_poly_uniform(std::shared_ptr<UniformRandomGenerator> prng, const EncryptionParameters& parms,
                         std::uint64_t* destination) {
  require_generator(prng);
  detail::draw_uniform(*prng, parms,
                       {destination, mul_safe(parms.poly_modulus_degree(), parms.coeff_modulus().size())});
}

void encrypt_zero_asymmetric(const PublicKey& public_key, const SEALContext& context, parms_id_type parms_id,
                             bool is_ntt_form, Ciphertext& destination) {
  Encryptor(context, public_key).encrypt_zero(parms_id, destination);
  detail::Access::set_form(destination, is_ntt_form);
}

void encrypt_zero_symmetric(const SecretKey& secret_key, const SEALContext& context, parms_id_type parms_id,
                            bool is_ntt_form, bool save_seed, Ciphertext& destination) {
  Encryptor(context, secret_key).encrypt_zero_symmetric(parms_id, destination);
  detail::Access::set_form(destination, is_ntt_form);
  if (save_seed) detail::give_seed(destination, context, secret_key);
}

namespace {

// Calls add(word, term, q) for the residues of round(q m / t) = m floor(q / t) + floor((m (q mod t) + (t + 1) / 2) /
// t).
template <class Add>
void scale_plain(const Plaintext& plain, const SEALContext::ContextData& data, RNSIter destination, Add&& add) {
  const EncryptionParameters& parms = data.parms();
  const std::uint64_t t = parms.plain_modulus().value();
  const MultiplyUIntModOperand* const quotients = data.coeff_div_plain_modulus();
  if (quotients == nullptr) detail::refuse_argument("the parameters have no plain modulus", "use those of BFV");
  if (plain.is_ntt_form()) detail::refuse_argument("a plaintext is in NTT form", "give its coefficients");
  if (plain.coeff_count() > parms.poly_modulus_degree())
    detail::refuse_argument("a plaintext has more coefficients than the degree", "encode it for these parameters");
  const std::uint64_t* const coefficients = plain.data();
  for (std::size_t c = 0; c < plain.coeff_count(); ++c) {
    const std::uint64_t m = coefficients[c];
    std::uint64_t number[2], rounded[2];
    const auto wide = static_cast<uintarith_detail::Wide>(m) * data.coeff_modulus_mod_plain_modulus() + (t + 1) / 2;
    number[0] = static_cast<std::uint64_t>(wide);
    number[1] = static_cast<std::uint64_t>(wide >> 64);
    divide_uint128_inplace(number, t, rounded);
    for (std::size_t i = 0; i < parms.coeff_modulus().size(); ++i) {
      const Modulus& q = parms.coeff_modulus()[i];
      std::uint64_t& word = destination[i][c];
      word = add(word, multiply_add_uint_mod(m, quotients[i], rounded[0], q), q);
    }
  }
}

}  // namespace

void multiply_add_plain_with_scaling_variant(const Plaintext& plain, const SEALContext::ContextData& context_data,
                                             RNSIter destination) {
  scale_plain(plain, context_data, destination,
              [](std::uint64_t word, std::uint64_t term, const Modulus& q) { return add_uint_mod(word, term, q); });
}

void multiply_sub_plain_with_scaling_variant(const Plaintext& plain, const SEALContext::ContextData& context_data,
                                             RNSIter destination) {
  scale_plain(plain, context_data, destination,
              [](std::uint64_t word, std::uint64_t term, const Modulus& q) { return sub_uint_mod(word, term, q); });
}

}  // namespace seal::util
