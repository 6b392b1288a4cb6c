// SPDX-License-Identifier: Apache-2.0
// Encryptions of zero for the leveled schemes. For the secret s, they satisfy c0 + c1 s = f e with a small error e. The
// factor f is BGV's plain modulus, or 1 in the other schemes. Keys, ciphertexts and rows of key-switching keys are made
// from them. Errors (centred binomial, k = 21) and ternary randomness are drawn once, as integers, and then reduced
// modulo the prime of every limb (lifted). The uniform component is expanded from a public seed, limb by limb. The
// address of a sample within its seeds is (purpose, object 0, limb, digit). The caller must have called require_secure
// (keys.h), directly or through the context.
#pragma once

#include "rlwe/workspace.h"
#include "rlwe/zero.h"

namespace ringfort {

// Returns the polynomial with these small coefficients, in the evaluation domain over `limbs`. Its memory is secret:
// its destructor wipes it.
[[nodiscard]] Poly<Eval> load_small(const Ring& ring, Limbs limbs, std::span<const i8> coefficients, Workspace& work);
// Writes small coefficients to every limb of one polynomial.
void upload_small(const Ring& ring, Slice<Coeff> to, std::span<const i8> coefficients, Workspace& work);

class ZeroSampler {
 public:
  ZeroSampler(const Ring& ring, u64 error_factor, Workspace& work)
      : ring_(ring),
        factor_(error_factor),
        work_(work),
        cleared_(work) {}

  // Writes row = (c0, c1), where c1 = a is expanded from the public seed, and c0 = -a s + f e. `secret` must cover the
  // limbs of `row`.
  void under_secret(Slice<Eval> row, Slice<Eval> secret, const SampleSeeds& seeds, u16 digit) const;
  // Writes row = r (b, a) + f (e_0, e_1), where (b, a) is the public key, and r is ternary.
  void under_public(Slice<Eval> row, Slice<Eval> key, const SecretSeed& hidden) const;
  // Does the same for a key that has one prime p before the primes of `row`, and divides the result by p. The division
  // is that of Ring::mod_down: it rounds to multiples of f.
  void under_public_divided(Slice<Eval> row, Slice<Eval> key, const SecretSeed& hidden) const;

 private:
  void draw(Slice<Coeff> poly, const SecretSeed& seed, const StreamAddress& address) const;
  [[nodiscard]] Slice<Eval> small(Slice<Coeff> poly, const SecretSeed& seed, const StreamAddress& address) const;
  [[nodiscard]] std::vector<u64> inverses(u32 of, Limbs in) const;
  const Ring& ring_;
  u64 factor_;
  Workspace& work_;
  Cleared cleared_;  // wipes errors and randomness on the host
};

}  // namespace ringfort
