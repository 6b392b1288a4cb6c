// SPDX-License-Identifier: Apache-2.0
// Sums, products and relinearization (seal/evaluator.h). evaluator_levels.cpp has levels, evaluator_plain.cpp
// operations with plaintexts, and evaluator_galois.cpp automorphisms. Every function checks its operands as SEAL does,
// and then calls one verb of Ringfort. Scales are computed as in SEAL, so that the same scales compare as equal.
#include "seal/evaluator.h"

#include <algorithm>

#include "operands.h"

namespace seal {

namespace {

using detail::Access;
using detail::evaluate;
using detail::taken;
namespace rf = ringfort;

// The results of add(), with the scale of `a`: scales may differ by a rounding error.
template <class Ring>
auto with_scale_of(const SEALContext& context, const Ring& ring, const Ciphertext& a, const Ciphertext& b) {
  auto operand = taken(context, ring, b);
  if constexpr (detail::is_ckks<Ring>) {
    if (a.scale() != b.scale()) operand = rf::ckks::Evaluator(ring).declare_scale(operand, a.scale());
  }
  return operand;
}

void require_products(const SEALContext& context) {
  if (!detail::has_scale(context)) return;
  detail::refuse_state("products of many ciphertexts of CKKS need rescaling", "multiply and rescale them in turn");
}

const rf::RelinearizationKey& key_of(const SEALContext& context, const RelinKeys& keys) {
  if (keys.parms_id() != context.key_parms_id()) {
    detail::refuse_argument("the relinearization key is not valid for the context", "make both with equal parameters");
  }
  const detail::SwitchObject* object = Access::object(keys);
  if (object == nullptr || !object->relinearization || !keys.has_key(2)) {
    detail::refuse_argument("there is no relinearization key", "call KeyGenerator::create_relin_keys");
  }
  detail::require_unchanged(keys.key(2));
  return *object->relinearization;
}

}  // namespace

Evaluator::Evaluator(const SEALContext& context) : context_(context) { (void)detail::state_of(context); }

void Evaluator::negate(const Ciphertext& encrypted, Ciphertext& destination) const {
  detail::require_valid(context_, encrypted);
  evaluate(context_, destination, encrypted.scale(), encrypted.is_ntt_form(),
           [&](const auto& evaluator, const auto& ring) { return evaluator.negate(taken(context_, ring, encrypted)); });
}

void Evaluator::add(const Ciphertext& encrypted1, const Ciphertext& encrypted2, Ciphertext& destination) const {
  detail::require_valid(context_, encrypted1);
  detail::require_valid(context_, encrypted2);
  detail::require_equal_parameters(encrypted1, encrypted2);
  detail::require_equal_scale(encrypted1.scale(), encrypted2.scale());
  evaluate(context_, destination, encrypted1.scale(), encrypted1.is_ntt_form(),
           [&](const auto& evaluator, const auto& ring) {
             return evaluator.add(taken(context_, ring, encrypted1),
                                  with_scale_of(context_, ring, encrypted1, encrypted2));
           });
}

void Evaluator::add_many(const std::vector<Ciphertext>& encrypteds, Ciphertext& destination) const {
  if (encrypteds.empty()) detail::refuse_argument("a sum of no ciphertexts was requested", "give at least one");
  Ciphertext sum = encrypteds.front();
  for (std::size_t i = 1; i < encrypteds.size(); ++i) add_inplace(sum, encrypteds[i]);
  destination = std::move(sum);
}

void Evaluator::sub(const Ciphertext& encrypted1, const Ciphertext& encrypted2, Ciphertext& destination) const {
  detail::require_valid(context_, encrypted1);
  detail::require_valid(context_, encrypted2);
  detail::require_equal_parameters(encrypted1, encrypted2);
  detail::require_equal_scale(encrypted1.scale(), encrypted2.scale());
  // Copies share an object also after the program changed one.
  if (Access::object(encrypted1) == Access::object(encrypted2) && !Access::is_changed(encrypted1) &&
      !Access::is_changed(encrypted2)) {
    detail::refuse_transparent();
  }
  evaluate(context_, destination, encrypted1.scale(), encrypted1.is_ntt_form(),
           [&](const auto& evaluator, const auto& ring) {
             return evaluator.subtract(taken(context_, ring, encrypted1),
                                       with_scale_of(context_, ring, encrypted1, encrypted2));
           });
}

void Evaluator::multiply(const Ciphertext& encrypted1, const Ciphertext& encrypted2, Ciphertext& destination,
                         Pool pool) const {
  detail::require_pool(pool);
  detail::require_valid(context_, encrypted1);
  detail::require_valid(context_, encrypted2);
  detail::require_equal_parameters(encrypted1, encrypted2);
  const bool form = detail::ciphertext_form(context_);
  detail::require_form(encrypted1.is_ntt_form(), form);
  const double scale = encrypted1.scale() * encrypted2.scale();
  if (detail::has_scale(context_))
    detail::require_scale_within(*context_.get_context_data(encrypted1.parms_id()), scale);
  evaluate(context_, destination, scale, form, [&](const auto& evaluator, const auto& ring) {
    return evaluator.multiply(taken(context_, ring, encrypted1), taken(context_, ring, encrypted2));
  });
}

void Evaluator::square(const Ciphertext& encrypted, Ciphertext& destination, Pool pool) const {
  detail::require_pool(pool);
  detail::require_valid(context_, encrypted);
  const bool form = detail::ciphertext_form(context_);
  detail::require_form(encrypted.is_ntt_form(), form);
  const double scale = encrypted.scale() * encrypted.scale();
  if (detail::has_scale(context_))
    detail::require_scale_within(*context_.get_context_data(encrypted.parms_id()), scale);
  evaluate(context_, destination, scale, form,
           [&](const auto& evaluator, const auto& ring) { return evaluator.square(taken(context_, ring, encrypted)); });
}

void Evaluator::relinearize(const Ciphertext& encrypted, const RelinKeys& relin_keys, Ciphertext& destination,
                            Pool pool) const {
  detail::require_pool(pool);
  detail::require_valid(context_, encrypted);
  const rf::RelinearizationKey& key = key_of(context_, relin_keys);
  if (encrypted.size() == 2) {
    destination = encrypted;
    return;
  }
  if (encrypted.size() > 3) {
    detail::refuse_argument("a ciphertext of " + std::to_string(encrypted.size()) +
                                " components was given to relinearize, and the key is for 3",
                            "relinearize after every product");
  }
  detail::require_form(encrypted.is_ntt_form(), detail::ciphertext_form(context_));
  evaluate(context_, destination, encrypted.scale(), encrypted.is_ntt_form(),
           [&](const auto& evaluator, const auto& ring) {
             return evaluator.relinearize(taken(context_, ring, encrypted),
                                          detail::key_for(context_, Access::object(relin_keys)->context, key));
           });
}

void Evaluator::multiply_many(const std::vector<Ciphertext>& encrypteds, const RelinKeys& relin_keys,
                              Ciphertext& destination, Pool pool) const {
  detail::require_pool(pool);
  if (encrypteds.empty()) detail::refuse_argument("a product of no ciphertexts was requested", "give at least one");
  require_products(context_);
  std::vector<Ciphertext> factors = encrypteds;
  // Multiplies neighbours until one factor is left: the depth is log2 of the number of factors.
  while (factors.size() > 1) {
    std::vector<Ciphertext> products((factors.size() + 1) / 2);
    for (std::size_t i = 0; i + 1 < factors.size(); i += 2) {
      multiply(factors[i], factors[i + 1], products[i / 2], pool);
      relinearize_inplace(products[i / 2], relin_keys, pool);
    }
    if (factors.size() % 2 == 1) products.back() = std::move(factors.back());
    factors = std::move(products);
  }
  destination = std::move(factors.front());
}

void Evaluator::exponentiate(const Ciphertext& encrypted, std::uint64_t exponent, const RelinKeys& relin_keys,
                             Ciphertext& destination, Pool pool) const {
  detail::require_pool(pool);
  detail::require_valid(context_, encrypted);
  if (exponent == 0) detail::refuse_argument("the power 0 was requested", "encrypt a plaintext of 1");
  if (exponent == 1) {
    destination = encrypted;
    return;
  }
  require_products(context_);
  // Squares for every bit of the exponent, highest first, and multiplies where the bit is 1.
  Ciphertext power = encrypted;
  int bit = 63;
  while ((exponent >> bit & 1) == 0) --bit;
  while (bit-- > 0) {
    square_inplace(power, pool);
    relinearize_inplace(power, relin_keys, pool);
    if ((exponent >> bit & 1) == 0) continue;
    multiply_inplace(power, encrypted, pool);
    relinearize_inplace(power, relin_keys, pool);
  }
  destination = std::move(power);
}

}  // namespace seal
