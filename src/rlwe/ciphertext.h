// SPDX-License-Identifier: Apache-2.0
// The ciphertext of CKKS, BFV and BGV: 2 or more polynomials over the data primes of a level, in the evaluation domain.
// The ciphertext of a scheme has this object and a noise bound. The verbs are in arithmetic.h, key_switch.h, rotation.h
// and encryption.h. The checks of operands are in operands.h.
#pragma once

#include <optional>

#include "rlwe/keys.h"

namespace ringfort {

// The largest number of components. It is the limit of SEAL. Each further component multiplies the rounding errors of
// divisions by the norm of the secret. A file states the number in 8 bits.
inline constexpr u32 kMostComponents = 16;

struct RlweCiphertext {
  SharedKeyContext context;
  u64 key_id = 0;
  u32 level = 0;
  u32 components = 0;  // 0 if the ciphertext is empty
  Poly<Eval> polynomials;
  bool untrusted = false;  // a file claims the noise bound; results computed from it are also untrusted
  Origin origin = Origin::evaluated;
  std::optional<PublicSeed> seed = std::nullopt;  // expands to component 1; only if fresh under the secret key
  u32 count = 1;  // number of ciphertexts, one after the other; above 1 only in rlwe/batch.h

  // all(), slice() and component() return slices on the device of the context. If the polynomials are on another
  // device, the call first copies them.
  [[nodiscard]] Slice<Eval> all() const { return polynomials.polynomials(0, components * count); }
  [[nodiscard]] Slice<Eval> slice(u32 first, u32 some) const { return polynomials.polynomials(first, some); }
  // Returns one component of every ciphertext.
  [[nodiscard]] Slice<Eval> component(u32 index) const { return all().strided(components, index, count); }
  // Returns all polynomials without the limbs above a lower level. The result is a view.
  [[nodiscard]] Slice<Eval> at_level(u32 lower_level) const { return all().limbs(context->chain.data(lower_level)); }
};

// The state of an object that may be moved from. A moved-from object acts as an empty object. Its first write creates a
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
// Returns the name of the device of the context, or an empty text for an empty ciphertext.
[[nodiscard]] std::string device_of(const RlweCiphertext& ciphertext);

// Returns a ciphertext of undefined words. It has the context, key, count and trust of `like`. If the memory of `reuse`
// has the right shape and is not shared, the result uses it.
[[nodiscard]] RlweCiphertext make_ciphertext(const RlweCiphertext& like, u32 level, u32 components,
                                             RlweCiphertext&& reuse = {});
// Does the same for two operands. The result has the level of `like`. It is untrusted if `like` or `other` is
// untrusted.
[[nodiscard]] RlweCiphertext make_ciphertext(const RlweCiphertext& like, const RlweCiphertext& other, u32 components,
                                             RlweCiphertext&& reuse = {});
[[nodiscard]] RlweCiphertext make_ciphertext(const SharedKeyContext& context, u64 key_id, u32 level, u32 components,
                                             RlweCiphertext&& reuse = {});

// Copies the words without the limbs above `level`. Requires level <= a.level.
[[nodiscard]] RlweCiphertext copy(const RlweCiphertext& a, u32 level, Workspace& work, RlweCiphertext&& reuse = {});
// Returns a ciphertext that shares the words and has the same origin and seed. An empty ciphertext remains empty.
[[nodiscard]] RlweCiphertext clone(const RlweCiphertext& a);
// Returns the ciphertext for another context with equal parameters. The first verb there copies the words. Throws
// invalid_argument for an empty ciphertext, and parameters_mismatch for other parameters.
[[nodiscard]] RlweCiphertext to(const SharedKeyContext& target, const RlweCiphertext& a);

}  // namespace ringfort
