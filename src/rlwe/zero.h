// SPDX-License-Identifier: Apache-2.0
// Keys and encryptions of zero for Ring-GSW, over R_q. An encryption of zero has a small phase c0 - t c1, which
// decryption rounds. The secret t is ternary, and the error is centred binomial (k = 21, variance 10.5). The randomness
// of public-key encryption is ternary and centred. With randomness from {0, 1}, all samples would have the same large
// component ("coherent noise", docs/notes/0003). A sample has an address (object, digit) within a seed. The caller must
// have called check_sample. A Message contains what is added to a sample in the same pass as the error: multiples of
// gadget values (scheme/rgsw/state.h).
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

// Residues that are added to an encryption of zero. They are a constant for c0, a constant for c1, or a masked
// polynomial for c0.
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

// Makes samples with the stream and the memory of a workspace. The workspace must outlive the sampler. Only one thread
// may use a sampler. The destructor wipes everything except the samples.
class Sampler {
 public:
  Sampler(const Ring& ring, Workspace& work)
      : ring_(ring),
        work_(work),
        small_(work.allocate_secret<Coeff>(3, ring.limbs())),
        cleared_(work) {}

  [[nodiscard]] RlweSecret load(Secret<i8>&& coefficients) const;
  [[nodiscard]] RlwePublic make_public(const RlweSecret& secret) const;  // fresh seeds

  // Writes row = (c0, c1), where c1 = a is expanded from the public seed, and c0 = a t + e + message.
  void under_secret(Slice<Eval> row, const RlweSecret& secret, const SampleSeeds& seeds, const SampleAddress& at,
                    const Message& message) const;
  // Writes row = (r b + e0, r a + e1) + message, where (b, a) is the public key, and r is ternary.
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
