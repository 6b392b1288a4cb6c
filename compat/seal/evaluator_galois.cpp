// SPDX-License-Identifier: Apache-2.0
// The verbs of Evaluator that need Galois keys: rotations, exchange of rows, conjugation, and other automorphisms.
#include <cstdlib>

#include "galois_elements.h"
#include "operands.h"
#include "ringfort/key_residues.h"
#include "seal/evaluator.h"

namespace seal {

namespace {

using detail::Access;
using detail::evaluate;
using detail::taken;
namespace rf = ringfort;

void require_keys(const SEALContext& context, const Ciphertext& encrypted, const GaloisKeys& keys) {
  detail::require_valid(context, encrypted);
  if (keys.parms_id() != context.key_parms_id()) {
    detail::refuse_argument("the Galois keys are not valid for the context", "make both with equal parameters");
  }
}

void require_scheme(const SEALContext& context, bool ckks) {
  if (detail::has_scale(context) == ckks) return;
  if (ckks) detail::refuse_state("this verb is for CKKS", "use rotate_rows or rotate_columns");
  detail::refuse_state("this verb is for BFV and BGV", "use rotate_vector or complex_conjugate");
}

[[noreturn]] void refuse_element(std::uint32_t element) {
  detail::refuse_argument("there is no Galois key for the element " + std::to_string(element),
                          "create it with KeyGenerator::create_galois_keys");
}

const rf::GaloisKeys& galois_of(const GaloisKeys& keys) {
  const detail::SwitchObject* object = Access::object(keys);
  if (object != nullptr && object->galois) return *object->galois;
  detail::refuse_argument("there are no Galois keys", "create them with KeyGenerator::create_galois_keys");
}

// Applies one automorphism after the other. Each has its key.
void apply(const SEALContext& context, const Ciphertext& encrypted, const std::vector<std::uint32_t>& elements,
           const GaloisKeys& galois_keys, Ciphertext& destination) {
  if (encrypted.size() > 2) {
    detail::refuse_argument("a ciphertext of more than 2 components was given", "relinearize it first");
  }
  detail::require_form(encrypted.is_ntt_form(), detail::ciphertext_form(context));
  evaluate(context, destination, encrypted.scale(), encrypted.is_ntt_form(), [&](const auto&, const auto& ring) {
    const rf::GaloisKeys& galois = galois_of(galois_keys);
    const auto keys = detail::key_for(context, Access::object(galois_keys)->context, galois);
    auto result = taken(context, ring, encrypted).get().clone();
    for (const std::uint32_t element : elements) detail::require_unchanged(galois_keys.key(element));
    for (const std::uint32_t element : elements) result = rf::automorphism(ring, result, element, keys);
    return result;
  });
}

// Returns elements with keys, whose product is 3^step.
std::vector<std::uint32_t> elements_of(int step, const GaloisKeys& keys, std::size_t n) {
  const std::uint32_t element = detail::element_of(step, n);
  if (keys.has_key(element)) return {element};
  std::vector<std::uint32_t> elements;
  for (const int power : detail::signed_powers(step)) {
    if (static_cast<std::size_t>(std::abs(power)) == n / 2) continue;  // a rotation by n/2 changes nothing
    elements.push_back(detail::element_of(power, n));
    if (!keys.has_key(elements.back())) {
      detail::refuse_argument("there is no Galois key for a rotation by " + std::to_string(step),
                              "create it with KeyGenerator::create_galois_keys");
    }
  }
  return elements;
}

}  // namespace

void Evaluator::apply_galois(const Ciphertext& encrypted, std::uint32_t galois_elt, const GaloisKeys& galois_keys,
                             Ciphertext& destination, Pool pool) const {
  detail::require_pool(pool);
  require_keys(context_, encrypted, galois_keys);
  if (!galois_keys.has_key(galois_elt)) refuse_element(galois_elt);
  apply(context_, encrypted, {galois_elt}, galois_keys, destination);
}

void Evaluator::rotate(const Ciphertext& encrypted, int steps, const GaloisKeys& galois_keys,
                       Ciphertext& destination) const {
  detail::require_batching(context_);
  require_keys(context_, encrypted, galois_keys);
  if (steps == 0) {
    destination = encrypted;
    return;
  }
  apply(context_, encrypted, elements_of(steps, galois_keys, detail::degree_of(context_)), galois_keys, destination);
}

void Evaluator::exchange_rows(const Ciphertext& encrypted, const GaloisKeys& galois_keys,
                              Ciphertext& destination) const {
  detail::require_batching(context_);
  apply_galois(encrypted, detail::element_of(0, detail::degree_of(context_)), galois_keys, destination);
}

void Evaluator::rotate_rows(const Ciphertext& encrypted, int steps, const GaloisKeys& galois_keys,
                            Ciphertext& destination, Pool pool) const {
  detail::require_pool(pool);
  require_scheme(context_, false);
  rotate(encrypted, steps, galois_keys, destination);
}

void Evaluator::rotate_columns(const Ciphertext& encrypted, const GaloisKeys& galois_keys, Ciphertext& destination,
                               Pool pool) const {
  detail::require_pool(pool);
  require_scheme(context_, false);
  exchange_rows(encrypted, galois_keys, destination);
}

void Evaluator::rotate_vector(const Ciphertext& encrypted, int steps, const GaloisKeys& galois_keys,
                              Ciphertext& destination, Pool pool) const {
  detail::require_pool(pool);
  require_scheme(context_, true);
  rotate(encrypted, steps, galois_keys, destination);
}

void Evaluator::complex_conjugate(const Ciphertext& encrypted, const GaloisKeys& galois_keys, Ciphertext& destination,
                                  Pool pool) const {
  detail::require_pool(pool);
  require_scheme(context_, true);
  exchange_rows(encrypted, galois_keys, destination);
}

}  // namespace seal
