// SPDX-License-Identifier: Apache-2.0
// The verbs of Evaluator that need Galois keys: rotations, exchange of rows, conjugation, and other automorphisms.
#include <algorithm>
#include <cstdlib>

#include "galois_elements.h"
#include "operands.h"
#include "seal/evaluator.h"

namespace seal {

namespace {

using detail::Access;
using detail::Automorphism;
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

template <class Rf>
auto rows_exchanged(const Rf& evaluator, const auto& a, const rf::GaloisKeys& keys) {
  if constexpr (std::is_same_v<Rf, rf::ckks::Evaluator>) {
    return evaluator.conjugate(a, keys);
  } else {
    return evaluator.swap_rows(a, keys);
  }
}

// Applies one automorphism after the other.
void apply(const SEALContext& context, const Ciphertext& encrypted, const std::vector<Automorphism>& all,
           const GaloisKeys& galois_keys, Ciphertext& destination) {
  if (encrypted.size() > 2) {
    detail::refuse_argument("a ciphertext of more than 2 components was given", "relinearize it first");
  }
  detail::require_form(encrypted.is_ntt_form(), detail::ciphertext_form(context));
  evaluate(context, destination, encrypted.scale(), encrypted.is_ntt_form(),
           [&](const auto& evaluator, const auto& ring) {
             auto result = taken(context, ring, encrypted).get().clone();
             for (const Automorphism& automorphism : all) {
               if (automorphism.step == 0 && !automorphism.exchanges_rows) continue;
               const rf::GaloisKeys& galois = galois_of(galois_keys);
               const auto keys = detail::key_for(context, Access::object(galois_keys)->context, galois);
               if (automorphism.step != 0) result = evaluator.rotate(result, automorphism.step, keys);
               if (automorphism.exchanges_rows) result = rows_exchanged(evaluator, result, keys);
             }
             return result;
           });
}

// Tells whether Ringfort has the key of a rotation, whatever its name.
bool has_rotation(const rf::KeyPlan& plan, int step, std::size_t n) {
  const auto half = static_cast<int>(n / 2);
  return std::any_of(plan.paths.begin(), plan.paths.end(),
                     [&](const rf::RotationPath& path) { return (path.step - step) % half == 0; });
}

// Returns rotations with keys, whose sum is `step`.
std::vector<Automorphism> rotations_of(int step, const GaloisKeys& keys, std::size_t n) {
  const rf::KeyPlan& plan = galois_of(keys).plan();
  if (has_rotation(plan, step, n)) return {Automorphism{step, false}};
  std::vector<Automorphism> rotations;
  for (const int power : detail::signed_powers(step)) {
    if (static_cast<std::size_t>(std::abs(power)) == n / 2) continue;  // a rotation by n/2 changes nothing
    if (!has_rotation(plan, power, n)) {
      detail::refuse_argument("there is no Galois key for a rotation by " + std::to_string(step),
                              "create it with KeyGenerator::create_galois_keys");
    }
    rotations.push_back({power, false});
  }
  return rotations;
}

}  // namespace

void Evaluator::apply_galois(const Ciphertext& encrypted, std::uint32_t galois_elt, const GaloisKeys& galois_keys,
                             Ciphertext& destination, Pool pool) const {
  detail::require_pool(pool);
  require_keys(context_, encrypted, galois_keys);
  if (!galois_keys.has_key(galois_elt)) refuse_element(galois_elt);
  const std::size_t n = detail::degree_of(context_);
  const Automorphism automorphism = detail::automorphism_of(galois_elt, n);
  std::vector<Automorphism> all;
  if (automorphism.step != 0) all = rotations_of(automorphism.step, galois_keys, n);
  if (automorphism.exchanges_rows) all.push_back({0, true});
  apply(context_, encrypted, all, galois_keys, destination);
}

void Evaluator::rotate(const Ciphertext& encrypted, int steps, const GaloisKeys& galois_keys,
                       Ciphertext& destination) const {
  detail::require_batching(context_);
  require_keys(context_, encrypted, galois_keys);
  if (steps == 0) {
    destination = encrypted;
    return;
  }
  (void)detail::element_of(steps, detail::degree_of(context_));  // checks the range
  apply(context_, encrypted, rotations_of(steps, galois_keys, detail::degree_of(context_)), galois_keys, destination);
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
