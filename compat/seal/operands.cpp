// SPDX-License-Identifier: Apache-2.0
// The checks of operands (operands.h).
#include "operands.h"

#include <cmath>
#include <stdexcept>

#include "seal/util/common.h"

namespace seal::detail {

void require_valid(const SEALContext& context, const Ciphertext& ciphertext) {
  if (is_metadata_valid_for(ciphertext, context) && is_buffer_valid(ciphertext)) return;
  refuse_argument("the ciphertext is not valid for the context", "make both with the same parameters");
}

void require_valid(const SEALContext& context, const Plaintext& plain) {
  if (is_metadata_valid_for(plain, context) && is_buffer_valid(plain)) return;
  refuse_argument("the plaintext is not valid for the context", "encode it for these parameters");
}

void require_pool(const MemoryPoolHandle& pool) {
  if (!pool) refuse_argument("the memory pool is not initialised", "pass MemoryManager::GetPool(), or no pool");
}

void require_equal_parameters(const Ciphertext& a, const Ciphertext& b) {
  if (a.parms_id() != b.parms_id()) {
    refuse_argument("the operands have different levels", "bring the higher one down with mod_switch_to");
  }
  if (a.is_ntt_form() != b.is_ntt_form()) {
    refuse_argument("one operand is in NTT form, the other is not", "transform one of them");
  }
}

void require_equal_scale(double a, double b) {
  if (!util::are_close(a, b)) refuse_argument("the operands have different scales", "rescale, or set scale()");
}

void require_form(bool is_ntt_form, bool in_ntt_form) {
  if (is_ntt_form == in_ntt_form) return;
  if (in_ntt_form) refuse_argument("an operand is not in NTT form", "call transform_to_ntt");
  refuse_argument("an operand is in NTT form", "call transform_from_ntt");
}

void refuse_transparent() { throw std::logic_error("result ciphertext is transparent"); }

bool has_scale(const SEALContext& context) { return context.key_context_data()->parms().scheme() == scheme_type::ckks; }

void require_batching(const SEALContext& context) {
  if (context.key_context_data()->qualifiers().using_batching) return;
  refuse_state("rotations need slots, which the parameters do not have", "use PlainModulus::Batching");
}

bool ciphertext_form(const SEALContext& context) {
  return context.key_context_data()->parms().scheme() != scheme_type::bfv;
}

void require_scale_within(const SEALContext::ContextData& data, double scale) {
  const bool is_valid =
      std::isfinite(scale) && scale > 0 && static_cast<int>(std::log2(scale)) < data.total_coeff_modulus_bit_count();
  if (!is_valid) refuse_argument("the scale is not positive and finite, or not below the modulus", "rescale first");
}

void require_words(const Ciphertext& ciphertext) {
  if (ciphertext.size() == 0) refuse_argument("the ciphertext is empty", "encrypt a plaintext, or write its words");
  const CiphertextObject* object = Access::object(ciphertext);
  if (object != nullptr && std::holds_alternative<std::monostate>(object->value))
    refuse_argument("a part of a key was given for a ciphertext", "encrypt a plaintext");
}

}  // namespace seal::detail
