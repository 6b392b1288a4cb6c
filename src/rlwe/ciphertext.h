// SPDX-License-Identifier: Apache-2.0
// The ciphertext of CKKS, BFV and BGV: 2 or 3 polynomials over the data primes of a level, in the evaluation domain.
// Verbs are in arithmetic.h, key_switch.h, rotation.h and encryption.h, checks of operands in operands.h. The scheme's
// ciphertext has this object and a noise bound.
#pragma once

#include <optional>

#include "rlwe/keys.h"

namespace ringfort {

// Tells how a ciphertext was made. If it is fresh, its noise bound follows from the parameters. The numbers are part of
// the file format.
enum class Origin : u8 { evaluated = 0, fresh_secret = 1, fresh_public = 2 };

struct RlweCiphertext {
  SharedKeyContext context;
  u64 key_id = 0;
  u32 level = 0;
  u32 components = 0;  // 0: empty
  Poly<Eval> polynomials;
  bool untrusted = false;  // the noise bound is only a claim in a file; results computed from it are untrusted, too
  Origin origin = Origin::evaluated;
  std::optional<PublicSeed> seed = std::nullopt;  // expands to component 1, if fresh under the secret key
  u32 count = 1;  // number of ciphertexts stored one after another; above 1 only in rlwe/batch.h

  // all(), part() and component() return slices on the context's device. If the polynomials are on another device, the
  // call first copies them.
  [[nodiscard]] Slice<Eval> all() const { return polynomials.part(0, components * count); }
  [[nodiscard]] Slice<Eval> part(u32 first, u32 some) const { return polynomials.part(first, some); }
  // Returns one component of every ciphertext.
  [[nodiscard]] Slice<Eval> component(u32 index) const { return all().strided(components, index, count); }
  // Returns all polynomials without the limbs above a lower level, as a view.
  [[nodiscard]] Slice<Eval> at_level(u32 lower_level) const { return all().limbs(context->chain.data(lower_level)); }
};

// State of an object that may be moved from. A moved-from object acts as an empty object, and its first write creates a
// new state.
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

// Returns a ciphertext of undefined words with the context, key, count and trust of `like`. Reuses the memory of
// `reuse` if this memory has the right shape and is not shared.
[[nodiscard]] RlweCiphertext make_ciphertext(const RlweCiphertext& like, u32 level, u32 components,
                                             RlweCiphertext&& reuse = {});
// The same function for two operands: the result has the level of `like`, and is untrusted if `like` or `other` is.
[[nodiscard]] RlweCiphertext make_ciphertext(const RlweCiphertext& like, const RlweCiphertext& other, u32 components,
                                             RlweCiphertext&& reuse = {});
[[nodiscard]] RlweCiphertext make_ciphertext(const SharedKeyContext& context, u64 key_id, u32 level, u32 components,
                                             RlweCiphertext&& reuse = {});

// Copies the words without the limbs above `level`; level <= a.level.
[[nodiscard]] RlweCiphertext copy(const RlweCiphertext& a, u32 level, Workspace& work, RlweCiphertext&& reuse = {});
// Returns a ciphertext that shares the words, with the same origin and seed. An empty ciphertext stays empty.
[[nodiscard]] RlweCiphertext clone(const RlweCiphertext& a);
// Returns the same ciphertext for another context with equal parameters. The first verb there copies the words. An
// empty ciphertext stays empty.
[[nodiscard]] RlweCiphertext to(const SharedKeyContext& target, const RlweCiphertext& a);

}  // namespace ringfort
