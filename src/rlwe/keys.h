// SPDX-License-Identifier: Apache-2.0
// States of the objects in ringfort/keys.h. `SchemeNeeds` contains what a context needs from its scheme: auxiliary
// primes, and the factor f of all errors. The factor f is BGV's plain modulus t, or 1 in other schemes.
//
// A key-switching key from s' to s (key_switch.h) has one row (b_d, a_d) for each digit d (chain.h), over special and
// data primes. The row satisfies b_d + a_d s = P g_d s' + f e_d with a small error e_d. P is the product of the special
// primes. The constant g_d is 1 modulo the primes of digit d, and 0 modulo the other data primes [HanKi20]. The
// polynomial a_d is expanded from the key's public seed.
#pragma once

#include <map>
#include <optional>

#include "ringfort/error.h"
#include "ringfort/keys.h"
#include "rlwe/chain.h"
#include "rlwe/key_noise.h"
#include "rlwe/sample.h"

namespace ringfort {

struct SchemeNeeds {
  std::vector<u64> auxiliary;  // BFV's auxiliary primes, which precede the special primes
  u64 error_factor = 1;
  // Numbers that give plaintexts their meaning, for example t. Contexts with equal parameters have equal numbers.
  std::vector<u64> meaning = {};
};

struct KeyContext::State {
  // Errors: invalid_argument, insecure_parameters, unsupported, device_unknown, out_of_memory.
  State(const ChainParameters& parameters, const SchemeNeeds& needs, std::string_view device);
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ChainParameters p;
  SchemeNeeds needs;
  Chain chain;
  Ring ring;
  KeyNoise noise;
  std::vector<u64> special_product;  // P modulo each prime of the ring
  [[nodiscard]] bool unguarded() const noexcept { return !p.unguarded_reason.empty(); }
  [[nodiscard]] WorkspacePool::Lease workspace(u32 threads = 1) const { return pool.lease(threads); }
  mutable WorkspacePool pool;
};

using SharedKeyContext = std::shared_ptr<const KeyContext::State>;

struct KeySwitchingKey {
  std::optional<PublicSeed> seed;  // none if the key was made of residues
  Poly<Eval> rows;                 // 2 polynomials for each digit, over the special primes and all data primes
};

struct SecretKey::State {
  SharedKeyContext context;
  u64 id = 0;
  std::shared_ptr<const Secret<i8>> coefficients;  // one copy for all devices
  Poly<Eval> ntt_form;                             // over special and data primes
};

struct PublicKey::State {
  SharedKeyContext context;
  u64 id = 0;
  std::optional<PublicSeed> seed;  // none if the key was made of residues
  Poly<Eval> pair;  // b and a, with b = -a s + f e, over Chain::under_public; in older keys over all data primes
  // Returns the origin of encryptions under this key.
  [[nodiscard]] Origin origin() const noexcept {
    return pair.limbs().count > context->chain.data_limbs ? Origin::fresh_public_divided : Origin::fresh_public;
  }
};

struct RelinearizationKey::State {
  SharedKeyContext context;
  u64 id = 0;
  KeySwitchingKey key;
};

struct GaloisKeys::State {
  SharedKeyContext context;
  u64 id = 0;
  KeyPlan plan;
  std::map<u32, KeySwitchingKey> keys;  // for each Galois element g, the key from s to s(x^(1/g))
};

// Returns the identity of a fresh secret. In an unguarded context, every object has the identity kNoIdentity.
inline constexpr u64 kNoIdentity = 0;
[[nodiscard]] u64 fresh_identity(const KeyContext::State& context);
// Returns the identity of an object that a file gives this identity.
[[nodiscard]] inline u64 identity_in(const KeyContext::State& context, u64 of_file) noexcept {
  return context.unguarded() ? kNoIdentity : of_file;
}
// Throws mode_forbidden if the context has bounds.
void require_unguarded(const KeyContext::State& context, std::string_view what);

// Throws invalid_argument for a key that was moved from.
void require_unmoved(bool has_state, std::string_view which);
// Throws parameters_mismatch for objects of different contexts.
void require_same(const SharedKeyContext& a, const SharedKeyContext& b, std::string_view what);
// Throws parameters_mismatch unless a and b, which identify secret keys, are equal.
void require_same_key(u64 a, u64 b, std::string_view what);
// Throws parameters_mismatch unless the two contexts have the same primes, digits, factor f and `meaning`. Their
// devices may differ.
void require_equal_parameters(const KeyContext::State& a, const KeyContext::State& b);
void require_special_primes(const KeyContext::State& context, std::string_view what);
// Every function that makes a key or an encryption under a secret key calls this function, directly or through the
// context. It throws insecure_parameters if the security tables do not allow the parameters. It does not throw if
// ChainParameters::insecure_reason is set.
void require_secure(const KeyContext::State& context, Limbs limbs);

[[nodiscard]] SecretKey make_secret_key(const SharedKeyContext& context, Secret<i8>&& coefficients, u64 id);
// Makes a key-switching key. `under` is the secret polynomial that decrypts the rows. `source` is the polynomial that
// the rows encrypt. Both polynomials are over the special primes and all data primes.
[[nodiscard]] KeySwitchingKey make_key_switching_key(const KeyContext::State& context, Slice<Eval> under,
                                                     Slice<Eval> source, Workspace& work);

}  // namespace ringfort
