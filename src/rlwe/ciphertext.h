// SPDX-License-Identifier: Apache-2.0
// The object of a leveled ciphertext, which CKKS, BFV and BGV share: 2 or 3 polynomials over the data primes of a
// level, evaluation domain. Not here: its verbs (arithmetic.h, key_switch.h, rotation.h, encryption.h), the checks of
// operands (operands.h), and noise bounds, which each scheme keeps.
#pragma once

#include <optional>

#include "rlwe/keys.h"

namespace ringfort {

// Tells how a ciphertext was made. Everybody who has the parameters knows the bound of a fresh ciphertext. The numbers
// are part of the file format.
enum class Origin : u8 { evaluated = 0, fresh_secret = 1, fresh_public = 2 };

struct RlweCiphertext {
  SharedKeyContext context;
  u64 key_id = 0;
  u32 level = 0;
  u32 components = 0;  // 0: empty
  Poly<Eval> polynomials;
  bool untrusted = false;  // its bound is a claim of a file's writer; verbs keep the mark
  Origin origin = Origin::evaluated;
  std::optional<PublicSeed> seed = std::nullopt;  // fresh under the secret key: component 1 is expanded from it
  u32 count = 1;                                  // ciphertexts, one after another; above 1 only in rlwe/batch.h

  // Slices are on the context's device: polynomials that are elsewhere are copied there first.
  [[nodiscard]] Slice<Eval> all() const { return polynomials.part(0, components * count); }
  [[nodiscard]] Slice<Eval> part(u32 first, u32 some) const { return polynomials.part(first, some); }
  // Returns one component of every ciphertext.
  [[nodiscard]] Slice<Eval> component(u32 index) const { return all().strided(components, index, count); }
  // Views the ciphertext at a lower level; no word moves.
  [[nodiscard]] Slice<Eval> at_level(u32 lower_level) const { return all().limbs(context->chain.data(lower_level)); }
};

// State of an object that may be moved from: a moved-from object reads as empty; the first write creates a new state.
template <class State>
[[nodiscard]] const State& contents(const std::unique_ptr<State>& state) noexcept {
  static const State empty;
  return state ? *state : empty;
}
template <class State>
[[nodiscard]] State& contents(std::unique_ptr<State>& state) {
  if (!state) state = std::make_unique<State>();
  return *state;
}

[[nodiscard]] std::size_t ciphertext_bytes(const RlweCiphertext& ciphertext) noexcept;
// Returns the name of the context's device, or nothing for an empty ciphertext.
[[nodiscard]] std::string device_of(const RlweCiphertext& ciphertext);

// Returns a ciphertext of undefined words with the context, key, count and trust of `like`. It reuses the memory of
// `reuse` if that has the shape and is not shared.
[[nodiscard]] RlweCiphertext make_ciphertext(const RlweCiphertext& like, u32 level, u32 components,
                                             RlweCiphertext&& reuse = {});
// Returns one at the level of `like`; untrusted if either operand is untrusted.
[[nodiscard]] RlweCiphertext make_ciphertext(const RlweCiphertext& like, const RlweCiphertext& other, u32 components,
                                             RlweCiphertext&& reuse = {});
[[nodiscard]] RlweCiphertext make_ciphertext(const SharedKeyContext& context, u64 key_id, u32 level, u32 components,
                                             RlweCiphertext&& reuse = {});

// Copies the words without the limbs above `level`; level <= a.level.
[[nodiscard]] RlweCiphertext copy(const RlweCiphertext& a, u32 level, Workspace& work, RlweCiphertext&& reuse = {});
// Returns a ciphertext that shares the words, with the same origin and seed. An empty ciphertext stays empty.
[[nodiscard]] RlweCiphertext clone(const RlweCiphertext& a);
// Returns the ciphertext as one of `target`, which has equal parameters. The first verb there copies the words. An
// empty ciphertext stays empty.
[[nodiscard]] RlweCiphertext to(const SharedKeyContext& target, const RlweCiphertext& a);

}  // namespace ringfort
