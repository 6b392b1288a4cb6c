// SPDX-License-Identifier: Apache-2.0
// Operands and results of operations: turns ciphertexts, plaintexts and keys of this interface into those of Ringfort,
// and back. Operands of another SEALContext with equal parameters are brought over.
#pragma once

#include <optional>

#include "errors.h"
#include "objects.h"
#include "plaintext_state.h"
#include "ringfort/residues.h"

namespace seal::detail {

// The types of Ringfort's scheme whose context is Context.
template <class Context>
struct TypesOf;
template <>
struct TypesOf<rf::ckks::Context> {
  using Encoder = rf::ckks::Encoder;
  using Plaintext = rf::ckks::Plaintext;
  using Ciphertext = rf::ckks::Ciphertext;
  using Encryptor = rf::ckks::Encryptor;
  using Decryptor = rf::ckks::Decryptor;
  using Evaluator = rf::ckks::Evaluator;
};
template <class Scheme>
struct TypesOf<rf::integers::Context<Scheme>> {
  using Encoder = rf::integers::Encoder<Scheme>;
  using Plaintext = rf::integers::Plaintext<Scheme>;
  using Ciphertext = rf::integers::Ciphertext<Scheme>;
  using Encryptor = rf::integers::Encryptor<Scheme>;
  using Decryptor = rf::integers::Decryptor<Scheme>;
  using Evaluator = rf::integers::Evaluator<Scheme>;
};

template <class Context>
inline constexpr bool is_ckks = std::is_same_v<Context, rf::ckks::Context>;

// An object of the caller, or one that was made for the operation.
template <class Object>
class Held {
 public:
  Held(const Object& lent) : lent_(&lent) {}                       // NOLINT(google-explicit-constructor)
  Held(Object&& made) : made_(std::move(made)), lent_(nullptr) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] const Object& get() const noexcept { return made_ ? *made_ : *lent_; }
  operator const Object&() const noexcept { return get(); }  // NOLINT(google-explicit-constructor)

 private:
  std::optional<Object> made_;
  const Object* lent_;
};

// Returns a key for the context. A key of another SEALContext with equal parameters is brought over.
template <class Key>
[[nodiscard]] Held<Key> key_for(const SEALContext& context, const SharedState& of, const Key& key) {
  if (of == context.state()) return key;
  return key.to(state_of(context).keys());
}

[[nodiscard]] inline std::size_t degree_of(const SEALContext& context) {
  return context.key_context_data()->parms().poly_modulus_degree();
}

// Throw std::invalid_argument.
void require_valid(const SEALContext& context, const Ciphertext& ciphertext);
void require_valid(const SEALContext& context, const Plaintext& plain);
void require_pool(const MemoryPoolHandle& pool);
void require_equal_parameters(const Ciphertext& a, const Ciphertext& b);
void require_equal_scale(double a, double b);
// `in_ntt_form`: the form that the operands should have.
void require_form(bool is_ntt_form, bool in_ntt_form);
// Throws std::logic_error with the text of SEAL. Programs compare this text, and then use encrypt_zero.
[[noreturn]] void refuse_transparent();
// Tells whether the scheme is CKKS: plaintexts and ciphertexts have scales, and plaintexts are in NTT form.
[[nodiscard]] bool has_scale(const SEALContext& context);
// Throws std::logic_error unless the parameters have slots.
void require_batching(const SEALContext& context);
// Returns whether operations need ciphertexts in NTT form: in CKKS and, since SEAL 4.1, in BGV.
[[nodiscard]] bool ciphertext_form(const SEALContext& context);
// Throws std::invalid_argument if a scale is not positive and finite, or too large for the parameters.
void require_scale_within(const SEALContext::ContextData& data, double scale);

// Throws std::invalid_argument for an empty ciphertext and for a part of a key.
void require_words(const Ciphertext& ciphertext);

// The facts of a ciphertext besides its words. BFV ignores scale and factor, CKKS the factor, and BGV the scale.
struct WordsFacts {
  std::uint32_t level;
  double scale;
  std::uint64_t factor;
  bool is_ntt_form;
};

// Returns a ciphertext of these words.
template <class Ring>
[[nodiscard]] typename TypesOf<Ring>::Ciphertext ciphertext_of_words(const Ring& ring, const WordsFacts& facts,
                                                                     std::span<const std::uint64_t> words) {
  const rf::ResidueForm form = form_of(facts.is_ntt_form);
  if constexpr (is_ckks<Ring>) return rf::ciphertext_of(ring, facts.level, facts.scale, words, form);
  else if constexpr (std::is_same_v<Ring, rf::bgv::Context>)
    return rf::ciphertext_of(ring, facts.level, facts.factor, words, form);
  else return rf::ciphertext_of(ring, facts.level, words, form);
}

// Returns the ciphertext for the context `ring`, with words and a correction factor that the program wrote, if it did.
// Words that the program wrote have the scale and the factor that it sees.
template <class Ring>
[[nodiscard]] Held<typename TypesOf<Ring>::Ciphertext> with_words(const Ring& ring, const ContextState& state,
                                                                  const Ciphertext& ciphertext) {
  using Value = typename TypesOf<Ring>::Ciphertext;
  require_words(ciphertext);
  const CiphertextObject* object = Access::object(ciphertext);
  const auto level = static_cast<std::uint32_t>(ciphertext.coeff_modulus_size() - 1);
  if (object == nullptr || Access::is_changed(ciphertext)) {
    const Words& words = ciphertext.dyn_array();
    return ciphertext_of_words(ring,
                               {level, ciphertext.scale(), ciphertext.correction_factor(), ciphertext.is_ntt_form()},
                               {words.begin(), words.size()});
  }
  const auto* value = std::get_if<Value>(&object->value);
  if (value == nullptr || level != value->level())
    refuse_argument("the program gave a ciphertext another parms_id", "use mod_switch_to");
  if (object->context.get() != &state) return value->to(ring);
  return *value;
}

// Returns the ciphertext for the context `ring`, with the scale that the program sees.
template <class Ring>
[[nodiscard]] Held<typename TypesOf<Ring>::Ciphertext> taken(const SEALContext& context, const Ring& ring,
                                                             const Ciphertext& ciphertext) {
  auto held = with_words(ring, *context.state(), ciphertext);
  if constexpr (is_ckks<Ring>) {
    if (held.get().scale() != ciphertext.scale()) {
      held = rf::ckks::Evaluator(ring).declare_scale(held, ciphertext.scale());
    }
  }
  return held;
}

// Returns the plaintext for the context `ring`. A plaintext of CKKS keeps the scale of its encoding.
template <class Ring>
[[nodiscard]] Held<typename TypesOf<Ring>::Plaintext> taken(const SEALContext& context, const Ring& ring,
                                                            const Plaintext& plain) {
  using Value = typename TypesOf<Ring>::Plaintext;
  const auto object = plain.is_ntt_form() ? plain.object() : nullptr;
  const auto* value = object ? std::get_if<Value>(&object->value) : nullptr;
  if (value == nullptr) {
    if constexpr (is_ckks<Ring>) {
      if (!plain.is_ntt_form()) refuse_argument("a plaintext is not in NTT form", "encode it with CKKSEncoder");
      return rf::plaintext_of(ring, level_of(context, plain.parms_id()), plain.scale(),
                              {plain.data(), plain.coeff_count()});
    } else {
      return typename TypesOf<Ring>::Encoder(ring).encode_coefficients(signed_coefficients(plain, context));
    }
  }
  if (object->context != context.state()) return value->to(ring);
  return *value;
}

// Computes verb(evaluator, ring) with Ringfort's evaluator, and sets `out` to the result.
template <class Verb>
void evaluate(const SEALContext& context, Ciphertext& out, double scale, bool is_ntt_form, Verb&& verb) {
  translated([&] {
    with_ring(context, [&](const auto& ring) {
      const typename TypesOf<std::decay_t<decltype(ring)>>::Evaluator evaluator(ring);
      Access::set(out, context, verb(evaluator, ring), scale, is_ntt_form);
    });
  });
}

}  // namespace seal::detail
