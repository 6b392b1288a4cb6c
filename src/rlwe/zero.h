// SPDX-License-Identifier: Apache-2.0
// Keys and encryptions of zero for Ring-GSW, over R_q: phase(c0, c1) = c0 - t c1 is small. The secret t is ternary, and
// the error is centred binomial (k = 21, variance 10.5). The randomness of public-key encryption is ternary and
// centred; with 0/1 randomness, all samples would have the same large component ("coherent noise", docs/notes/0003). A
// sample has an address (object, digit) within a seed. The caller must have called check_sample. The gadget is added in
// the same pass as the error, as public constants (`Message`).
#pragma once

#include "math/random.h"
#include "rlwe/workspace.h"

namespace ringfort {

inline constexpr double kErrorVariance = 10.5;  // variance of the centred binomial distribution of 42 bits: 42 / 4

struct RlweSecret {
  Secret<i8> coefficients;  // n, in {-1, 0, 1}
  Poly<Eval> ntt_form;
};

struct RlwePublic {
  PublicSeed seed;
  Poly<Eval> polynomials;  // b = a t + e, a
};

struct SampleAddress {
  u64 object = 0;
  u16 digit = 0;
};

// Residues that are added to an encryption of zero: a constant to c0 or to c1, or a masked polynomial to c0.
struct Message {
  u64 c0_constant = 0;
  u64 c1_constant = 0;             // public-key samples only
  const u64* c0_addend = nullptr;  // secret-key samples only
  u64 c0_mask = 0;
};

// The seeds of one encryption call, fresh for each call.
struct SampleSeeds {
  PublicSeed open;    // expands to c1 of secret-key samples
  SecretSeed hidden;  // expands to errors and randomness
};

[[nodiscard]] Secret<i8> sample_secret(u32 n, const SecretSeed& seed);

// Makes samples with the workspace's stream and memory; the workspace must outlive it. For one thread. The destructor
// wipes everything but the samples.
class Sampler {
 public:
  Sampler(const Ring& ring, Workspace& work)
      : ring_(ring),
        work_(work),
        small_(work.allocate_secret<Coeff>(3, ring.limbs())),
        cleared_(work) {}

  [[nodiscard]] RlweSecret load(Secret<i8>&& coefficients) const;
  [[nodiscard]] RlwePublic make_public(const RlweSecret& secret) const;  // fresh seeds

  // Writes row = (c0, c1): c1 = a from the public seed, c0 = a t + e + message.
  void under_secret(Slice<Eval> row, const RlweSecret& secret, const SampleSeeds& seeds, const SampleAddress& at,
                    const Message& message) const;
  // Writes row = (r b + e0, r a + e1) + message.
  void under_public(Slice<Eval> row, const RlwePublic& key, const SampleSeeds& seeds, const SampleAddress& at,
                    const Message& message) const;

 private:
  void upload_error(u32 slot, Purpose purpose, const SampleSeeds& seeds, const SampleAddress& at, SmallLift lift) const;
  const Ring& ring_;
  Workspace& work_;
  Scratch<Coeff> small_;  // r, e0, e1
  Cleared cleared_;       // wipes r, e0 and e1 on the host
};

}  // namespace ringfort
