// SPDX-License-Identifier: Apache-2.0
// The verbs of Evaluator that lower levels: mod_switch, mod_reduce and rescale.
#include <algorithm>

#include "operands.h"
#include "seal/evaluator.h"

namespace seal {

namespace {

using detail::evaluate;
using detail::taken;
namespace rf = ringfort;

// Returns the parameters of the next level. Throws std::invalid_argument at the end of the chain.
template <class Operand>
std::shared_ptr<const SEALContext::ContextData> next_of(const SEALContext& context, const Operand& operand) {
  const auto data = context.get_context_data(operand.parms_id());
  if (!data) detail::refuse_argument("the operand is not valid for the context", "make both with equal parameters");
  if (!data->next_context_data()) {
    detail::refuse_argument("the operand has the lowest level", "give coeff_modulus more primes");
  }
  return data->next_context_data();
}

// Returns the parameters of `target`. Throws std::invalid_argument if they are not in the chain, or above the operand.
template <class Operand>
std::shared_ptr<const SEALContext::ContextData> lower_of(const SEALContext& context, const Operand& operand,
                                                         const parms_id_type& target) {
  const auto from = context.get_context_data(operand.parms_id()), to = context.get_context_data(target);
  if (!from) detail::refuse_argument("the operand is not valid for the context", "make both with equal parameters");
  if (!to) detail::refuse_argument("the context has no parameters with this parms_id", "take one from its chain");
  if (from->chain_index() < to->chain_index()) {
    detail::refuse_argument("a higher level was requested", "levels only fall; encrypt again for a higher one");
  }
  return to;
}

void require_transform(const Plaintext& plain) {
  if (!plain.is_ntt_form()) detail::refuse_argument("the plaintext has no level", "call transform_to_ntt first");
}

void switch_to(const SEALContext& context, const Ciphertext& encrypted, const SEALContext::ContextData& target,
               Ciphertext& destination) {
  const bool form = detail::ciphertext_form(context);
  detail::require_form(encrypted.is_ntt_form(), form);
  if (detail::has_scale(context)) detail::require_scale_within(target, encrypted.scale());
  const auto level = static_cast<std::uint32_t>(target.parms().coeff_modulus().size() - 1);
  evaluate(context, destination, encrypted.scale(), form, [&](const auto& evaluator, const auto& ring) {
    return evaluator.mod_switch(taken(context, ring, encrypted), level);
  });
}

// Keeps the words of the target's primes, and drops the others.
void reduce_to(const SEALContext& context, const Ciphertext& encrypted, const SEALContext::ContextData& target,
               Ciphertext& destination) {
  if (detail::has_scale(context)) return switch_to(context, encrypted, target, destination);
  const std::size_t n = encrypted.poly_modulus_degree(), kept = n * target.parms().coeff_modulus().size();
  Ciphertext reduced(context, target.parms_id(), encrypted.size());
  reduced.resize(encrypted.size());
  for (std::size_t i = 0; i < encrypted.size(); ++i) std::copy_n(encrypted.data(i), kept, reduced.data(i));
  reduced.is_ntt_form() = encrypted.is_ntt_form();
  reduced.correction_factor() = encrypted.correction_factor();
  evaluate(context, destination, 1.0, encrypted.is_ntt_form(),
           [&](const auto&, const auto& ring) { return taken(context, ring, reduced).get().clone(); });
}

// Returns the plaintext's object; makes it from the words, if the program loaded or changed them.
std::shared_ptr<const detail::PlaintextObject> object_for(const SEALContext& context, const Plaintext& plain) {
  if (auto object = plain.object()) return object;
  if (!detail::has_scale(context)) {
    Plaintext transformed;
    const std::uint64_t t = context.first_context_data()->parms().plain_modulus().value();
    detail::set_coefficients(transformed, detail::signed_coefficients(plain, context), t);
    detail::transform_plain(transformed, context, plain.parms_id());
    return transformed.object();
  }
  return detail::translated([&] {
    const auto& ring = std::get<rf::ckks::Context>(detail::state_of(context).ring);
    const std::span<const std::uint64_t> words(plain.data(), plain.coeff_count());
    return std::make_shared<const detail::PlaintextObject>(
        context.state(), rf::plaintext_of(ring, detail::level_of(context, plain.parms_id()), plain.scale(), words),
        words.size());
  });
}

// A plaintext of Ringfort fits lower levels, too: only the words that the program sees change.
void switch_to(const SEALContext& context, const Plaintext& plain, const SEALContext::ContextData& target,
               Plaintext& destination) {
  const double scale = plain.scale();
  if (target.parms().scheme() == scheme_type::ckks) detail::require_scale_within(target, scale);
  const auto object = object_for(context, plain);
  const std::size_t count = target.parms().poly_modulus_degree() * target.parms().coeff_modulus().size();
  detail::PlaintextObject::Value value = std::visit(
      [](const auto& shared) -> detail::PlaintextObject::Value {
        if constexpr (std::is_same_v<decltype(shared), const std::monostate&>) {
          return shared;
        } else {
          return shared.clone();
        }
      },
      object->value);
  auto first_words = [object, count] {
    detail::Words words(count);
    std::copy_n(object->words().begin(), count, words.begin());
    return words;
  };
  auto lower =
      std::make_shared<detail::PlaintextObject>(object->context, std::move(value), count, std::move(first_words));
  lower->is_zero = object->is_zero;
  destination.set_object(std::move(lower), target.parms_id(), scale);
}

// Brings the operand to the level of `parms_id` with `lower`. An operand of this level is only copied.
template <class Operand>
void bring_to(const SEALContext& context, const Operand& operand, const parms_id_type& parms_id, Operand& destination,
              void (*lower)(const SEALContext&, const Operand&, const SEALContext::ContextData&, Operand&)) {
  detail::require_valid(context, operand);
  const auto target = lower_of(context, operand, parms_id);
  if (parms_id == operand.parms_id()) destination = operand;
  else lower(context, operand, *target, destination);
}

}  // namespace

void Evaluator::mod_switch_to_next(const Ciphertext& encrypted, Ciphertext& destination, Pool pool) const {
  detail::require_pool(pool);
  detail::require_valid(context_, encrypted);
  switch_to(context_, encrypted, *next_of(context_, encrypted), destination);
}

void Evaluator::mod_switch_to_next(const Plaintext& plain, Plaintext& destination) const {
  detail::require_valid(context_, plain);
  require_transform(plain);
  switch_to(context_, plain, *next_of(context_, plain), destination);
}

void Evaluator::mod_switch_to(const Ciphertext& encrypted, parms_id_type parms_id, Ciphertext& destination,
                              Pool pool) const {
  detail::require_pool(pool);
  bring_to(context_, encrypted, parms_id, destination, &switch_to);
}

void Evaluator::mod_switch_to(const Plaintext& plain, parms_id_type parms_id, Plaintext& destination) const {
  require_transform(plain);
  bring_to(context_, plain, parms_id, destination, &switch_to);
}

void Evaluator::mod_reduce_to_next(const Ciphertext& encrypted, Ciphertext& destination, Pool pool) const {
  detail::require_pool(pool);
  detail::require_valid(context_, encrypted);
  reduce_to(context_, encrypted, *next_of(context_, encrypted), destination);
}

void Evaluator::mod_reduce_to(const Ciphertext& encrypted, parms_id_type parms_id, Ciphertext& destination,
                              Pool pool) const {
  detail::require_pool(pool);
  bring_to(context_, encrypted, parms_id, destination, &reduce_to);
}

void Evaluator::rescale_to_next(const Ciphertext& encrypted, Ciphertext& destination, Pool pool) const {
  detail::require_pool(pool);
  detail::require_valid(context_, encrypted);
  const auto target = next_of(context_, encrypted);
  if (!detail::has_scale(context_)) {
    detail::refuse_argument("BFV and BGV have no scale to divide", "use mod_switch_to_next");
  }
  detail::require_form(encrypted.is_ntt_form(), true);
  const std::uint64_t prime = context_.get_context_data(encrypted.parms_id())->parms().coeff_modulus().back().value();
  const double scale = encrypted.scale() / static_cast<double>(prime);
  detail::translated([&] {
    const auto& ring = std::get<rf::ckks::Context>(detail::state_of(context_).ring);
    const rf::ckks::Evaluator evaluator(ring);
    detail::Access::set(destination, context_, evaluator.rescale(taken(context_, ring, encrypted)), scale, true);
  });
}

void Evaluator::rescale_to(const Ciphertext& encrypted, parms_id_type parms_id, Ciphertext& destination,
                           Pool pool) const {
  detail::require_pool(pool);
  detail::require_valid(context_, encrypted);
  (void)lower_of(context_, encrypted, parms_id);
  if (!detail::has_scale(context_)) {
    detail::refuse_argument("BFV and BGV have no scale to divide", "use mod_switch_to");
  }
  Ciphertext result = encrypted;
  while (result.parms_id() != parms_id) rescale_to_next_inplace(result, pool);
  destination = std::move(result);
}

}  // namespace seal
