// SPDX-License-Identifier: Apache-2.0
// Code that the tests of BFV and of BGV share: a client for either scheme, values modulo the plain modulus t, and
// cleartext arithmetic.
#pragma once

#include "ringfort/bfv.h"
#include "ringfort/bgv.h"
#include "rlwe/integers/ring.h"
#include "support/ckks.h"

namespace ringfort::integers::testing {

using ckks::testing::choose_seed;
using ckks::testing::Shape;
using Values = std::vector<i64>;

inline Shape bfv_shape() {
  Shape shape;
  shape.levels = 2;
  shape.bits = shape.first_bits = shape.special_bits = 50;
  return shape;
}

inline Shape bgv_shape() {
  Shape shape;
  shape.levels = 4;
  shape.bits = shape.first_bits = shape.special_bits = 50;
  shape.special = 2;
  shape.digit_limbs = 2;
  return shape;
}

inline Shape short_words() {
  Shape shape;
  shape.levels = 2;
  shape.bits = shape.first_bits = 30;
  shape.special = 2;
  shape.special_bits = 31;
  shape.digit_limbs = shape.limbs_per_level = 2;
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

template <class S>
typename S::Parameters parameters_of(const Shape& shape, u64 t = 257) {
  return {ckks::testing::chain_of(shape), t};
}

template <class S>
struct Client {
  explicit Client(const typename S::Parameters& p, std::string_view device = "",
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

  [[nodiscard]] Ciphertext<S> encrypt(const Values& values) const { return encryptor.encrypt(encoder.encode(values)); }
  [[nodiscard]] Values decrypt(const Ciphertext<S>& c) const {
    Values out(context.parameters().chain.n);
    encoder.decode(decryptor.decrypt(c), std::span<i64>(out));
    return out;
  }

  Context<S> context;
  KeyGenerator generator;
  RelinearizationKey relinearization;
  GaloisKeys galois;
  PublicKey open;
  Encoder<S> encoder;
  Encryptor<S> encryptor;
  Decryptor<S> decryptor;
  Evaluator<S> evaluator;
  AutomaticEvaluator<S> automatic;
};

inline i64 centred(i128 value, u64 t) {
  const i128 m = static_cast<i128>(t);
  const i128 r = ((value % m) + m) % m;
  return static_cast<i64>(r > m / 2 ? r - m : r);
}

inline Values random_values(u32 n, u64 t, u64 seed) {
  std::mt19937_64 generator(seed);
  Values values(n);
  for (i64& value : values) value = centred(static_cast<i128>(generator() % t), t);
  return values;
}

template <class F>
Values each(u32 n, u64 t, F f) {
  Values out(n);
  for (u32 i = 0; i < n; ++i) out[i] = centred(f(i), t);
  return out;
}

// Rotates each of the two rows of slots left by `step`.
inline Values rotated(const Values& v, i64 step) {
  const i64 row = static_cast<i64>(v.size() / 2);
  Values out(v.size());
  for (i64 i = 0; i < row; ++i) {
    const i64 from = ((i + step) % row + row) % row;
    out[static_cast<std::size_t>(i)] = v[static_cast<std::size_t>(from)];
    out[static_cast<std::size_t>(row + i)] = v[static_cast<std::size_t>(row + from)];
  }
  return out;
}

template <class S>
std::vector<u64> residues(const Ciphertext<S>& c) {
  return ckks::testing::words(c.state().rlwe);
}

}  // namespace ringfort::integers::testing
