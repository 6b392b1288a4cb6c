// SPDX-License-Identifier: Apache-2.0
// The verbs of Evaluator with a plaintext operand, and those that change the form of operands. In CKKS a plaintext has
// the scale of its encoding, also if the program has set another scale().
#include "operands.h"
#include "seal/evaluator.h"

namespace seal {

namespace {

using detail::Access;
using detail::evaluate;
using detail::taken;
namespace rf = ringfort;

void require_addable(const SEALContext& context, const Ciphertext& encrypted, const Plaintext& plain) {
  detail::require_valid(context, encrypted);
  detail::require_valid(context, plain);
  const bool has_scale = detail::has_scale(context);
  detail::require_form(encrypted.is_ntt_form(), detail::ciphertext_form(context));
  detail::require_form(plain.is_ntt_form(), has_scale);
  if (!has_scale) return;
  if (encrypted.parms_id() != plain.parms_id()) {
    detail::refuse_argument("ciphertext and plaintext have different levels", "bring one down with mod_switch_to");
  }
  detail::require_equal_scale(encrypted.scale(), plain.scale());
}

bool is_known_zero(const Plaintext& plain) {
  if (!plain.is_ntt_form()) return plain.is_zero();
  const auto object = plain.object();
  return object && object->is_zero;
}

// Returns a copy whose words are those of its object. A factor that the program changed remains in the copy.
Ciphertext with_shared_words(const SEALContext& context, const Ciphertext& encrypted) {
  Ciphertext result = encrypted;
  if (!Access::has_changed_words(encrypted)) return result;
  evaluate(context, result, encrypted.scale(), encrypted.is_ntt_form(),
           [&](const auto&, const auto& ring) { return taken(context, ring, encrypted).get().clone(); });
  return result;
}

// Returns the ciphertext with the scale of the plaintext's encoding.
template <class Ring, class Plain>
auto at_scale_of(const SEALContext& context, const Ring& ring, const Plain& plain, const Ciphertext& encrypted) {
  auto operand = taken(context, ring, encrypted);
  if constexpr (detail::is_ckks<Ring>) {
    if (operand.get().scale() != plain.scale()) {
      operand = rf::ckks::Evaluator(ring).declare_scale(operand, plain.scale());
    }
  }
  return operand;
}

}  // namespace

void Evaluator::add_plain(const Ciphertext& encrypted, const Plaintext& plain, Ciphertext& destination,
                          Pool pool) const {
  detail::require_pool(pool);
  require_addable(context_, encrypted, plain);
  evaluate(context_, destination, encrypted.scale(), encrypted.is_ntt_form(),
           [&](const auto& evaluator, const auto& ring) {
             const auto addend = taken(context_, ring, plain);
             return evaluator.add_plain(at_scale_of(context_, ring, addend.get(), encrypted), addend);
           });
}

void Evaluator::sub_plain(const Ciphertext& encrypted, const Plaintext& plain, Ciphertext& destination,
                          Pool pool) const {
  detail::require_pool(pool);
  require_addable(context_, encrypted, plain);
  evaluate(context_, destination, encrypted.scale(), encrypted.is_ntt_form(),
           [&](const auto& evaluator, const auto& ring) {
             const auto subtrahend = taken(context_, ring, plain);
             return evaluator.subtract_plain(at_scale_of(context_, ring, subtrahend.get(), encrypted), subtrahend);
           });
}

void Evaluator::multiply_plain(const Ciphertext& encrypted, const Plaintext& plain, Ciphertext& destination,
                               Pool pool) const {
  detail::require_pool(pool);
  detail::require_valid(context_, encrypted);
  detail::require_valid(context_, plain);
  const bool has_scale = detail::has_scale(context_);
  if (has_scale) detail::require_form(encrypted.is_ntt_form(), true);
  if (plain.is_ntt_form() && encrypted.parms_id() != plain.parms_id()) {
    detail::refuse_argument("ciphertext and plaintext have different levels", "bring one down with mod_switch_to");
  }
  if (is_known_zero(plain)) detail::refuse_transparent();
  const double scale = has_scale ? encrypted.scale() * plain.scale() : 1.0;
  if (has_scale) detail::require_scale_within(*context_.get_context_data(encrypted.parms_id()), scale);
  evaluate(context_, destination, scale, encrypted.is_ntt_form(), [&](const auto& evaluator, const auto& ring) {
    return evaluator.multiply_plain(taken(context_, ring, encrypted), taken(context_, ring, plain));
  });
}

void Evaluator::transform_to_ntt(const Plaintext& plain, parms_id_type parms_id, Plaintext& destination_ntt,
                                 Pool pool) const {
  detail::require_pool(pool);
  if (!is_valid_for(plain, context_)) detail::refuse_argument("the plaintext is not valid", "encode it again");
  (void)detail::level_of(context_, parms_id);
  if (plain.is_ntt_form()) detail::refuse_argument("the plaintext is in NTT form already", "use it as it is");
  Plaintext transformed = plain;
  detail::translated([&] { detail::transform_plain(transformed, context_, parms_id); });
  destination_ntt = std::move(transformed);
}

void Evaluator::transform_to_ntt(const Ciphertext& encrypted, Ciphertext& destination_ntt) const {
  detail::require_valid(context_, encrypted);
  if (encrypted.is_ntt_form()) detail::refuse_argument("the ciphertext is in NTT form already", "use it as it is");
  destination_ntt = with_shared_words(context_, encrypted);
  Access::set_form(destination_ntt, true);
}

void Evaluator::transform_from_ntt(const Ciphertext& encrypted_ntt, Ciphertext& destination) const {
  detail::require_valid(context_, encrypted_ntt);
  if (!encrypted_ntt.is_ntt_form()) detail::refuse_argument("the ciphertext is not in NTT form", "use it as it is");
  destination = with_shared_words(context_, encrypted_ntt);
  Access::set_form(destination, false);
}

}  // namespace seal
