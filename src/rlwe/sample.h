// SPDX-License-Identifier: Apache-2.0
// Encryptions of zero, with phase c0 + c1 s = f e; f is 1, or BGV's plain modulus. From such samples the leveled
// schemes make keys, ciphertexts and rows of key-switching keys. Errors (centred binomial, k = 21) and ternary
// randomness are drawn once, as integers, and lifted to every limb. The uniform component is expanded from a public
// seed, limb by limb. The address of a sample is (purpose, object 0, limb, digit). The caller must have called
// check_sample.
#pragma once

#include "rlwe/workspace.h"
#include "rlwe/zero.h"

namespace ringfort {

// Returns small coefficients in the evaluation domain over `limbs`, in secret memory, which its destructor wipes.
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

  // Writes row = (c0, c1): c1 = a from the public seed, c0 = -a s + f e. `secret` must cover the limbs of `row`.
  void under_secret(Slice<Eval> row, Slice<Eval> secret, const SampleSeeds& seeds, u16 digit) const;
  // Writes row = r (b, a) + f (e_0, e_1), r ternary.
  void under_public(Slice<Eval> row, Slice<Eval> key, const SecretSeed& hidden) const;

 private:
  [[nodiscard]] Slice<Eval> small(Slice<Coeff> poly, const SecretSeed& seed, const StreamAddress& address) const;
  const Ring& ring_;
  u64 factor_;
  Workspace& work_;
  Cleared cleared_;  // wipes errors and randomness on the host
};

}  // namespace ringfort
