// SPDX-License-Identifier: Apache-2.0
// Converts leveled objects to and from the numbers that src/io writes and reads. A polynomial is passed limb by limb. A
// limb consists of canonical residues in [0, q), in the evaluation domain and in bit-reversed order. A uniform
// component is passed as its public seed. This file checks all numbers from outside except residues, which the
// LimbSource checks. scheme/*/wire.h explains the numbers of a noise bound.
#pragma once

#include <functional>

#include "base/result.h"
#include "rlwe/ciphertext.h"

namespace ringfort::wire {

// A sink receives one limb. A source writes one limb, or returns false if no limb is left or a residue is not below q.
using LimbSink = std::function<void(u64 q, std::span<const u64> residues)>;
using LimbSource = std::function<bool(u64 q, std::span<u64> residues)>;

// The numbers of a noise bound in a file. A double is passed as its bits.
inline constexpr u32 kBoundNumbers = 3;
using BoundNumbers = std::array<u64, kBoundNumbers>;

struct ParameterFacts {
  std::string scheme;  // "ckks", "bfv", "bgv"
  ChainParameters chain;
  std::vector<u64> numbers;  // numbers that only the scheme defines
};

[[nodiscard]] Failure damaged(Code code, const std::string& problem);
// Calls `call` and returns its result. If the call throws an Error, returns the Error as a Failure.
template <class Call>
auto caught(Call call) -> Result<decltype(call())> {
  try {
    return call();
  } catch (const Error& error) { return Failure{error.code(), error.problem(), error.fix()}; }
}

// Checks ring degree, primes, levels, digits and security without building anything. Failures: io_range,
// insecure_parameters.
[[nodiscard]] Result<Done> check_chain(const ChainParameters& chain);

// Returns the moduli of `limbs`, in order. The moduli and n determine how many bytes a polynomial has.
[[nodiscard]] std::vector<u64> moduli(const KeyContext::State& context, Limbs limbs);

struct Seeded {  // a key's identity and the seed of its uniform component
  u64 key_id = 0;
  PublicSeed seed;
};

// Returns the primes of a public key of this origin. It must not be `evaluated` or `fresh_secret`.
[[nodiscard]] Limbs limbs_of_public_key(const Chain& chain, Origin origin) noexcept;

[[nodiscard]] Result<SecretKey> import_secret_key(const SharedKeyContext& context, u64 key_id,
                                                  std::span<const i8> coefficients);

// These functions pass one polynomial to the sink, or read one from the source. It has the primes of
// limbs_of_public_key. `origin` is that of encryptions under the key.
void export_public_key(const PublicKey& key, const LimbSink& sink);
[[nodiscard]] Result<PublicKey> import_public_key(const SharedKeyContext& context, const Seeded& of, Origin origin,
                                                  const LimbSource& source);

// These functions pass one polynomial for each digit to the sink, or read it from the source. The polynomials are over
// special and data primes.
void export_key_switching_key(const KeyContext::State& context, const KeySwitchingKey& key, const LimbSink& sink);
[[nodiscard]] Result<KeySwitchingKey> import_key_switching_key(const KeyContext::State& context, const PublicSeed& seed,
                                                               const LimbSource& source);
[[nodiscard]] Result<RelinearizationKey> import_relinearization_key(const SharedKeyContext& context, const Seeded& of,
                                                                    const LimbSource& source);

// The steps that have keys, and the requested rotations. Each is normalised by normal_step (key_plan.h), and none
// occurs twice. import_plan computes how the rotations are composed of the steps. Failures: io_range, unsupported.
struct GaloisFacts {
  std::vector<std::int32_t> steps, rotations;
  bool conjugation = false;
};
[[nodiscard]] GaloisFacts facts(const GaloisKeys& keys);
[[nodiscard]] Result<KeyPlan> import_plan(const SharedKeyContext& context, const GaloisFacts& facts);
// Returns the Galois elements of a plan's keys (the g of x -> x^g), in the order in which files contain the keys.
[[nodiscard]] std::vector<u32> elements(const KeyPlan& plan, u32 n);

// A ciphertext without its noise bound. If it has a seed, only component 0 is passed.
struct RlweFacts {
  u64 key_id = 0;
  u32 level = 0;
  u32 components = 0;
  Origin origin = Origin::evaluated;
  std::optional<PublicSeed> seed{};
};
[[nodiscard]] RlweFacts facts(const RlweCiphertext& ciphertext);
[[nodiscard]] Result<Done> check_rlwe(const KeyContext::State& context, const RlweFacts& facts);
void export_rlwe(const RlweCiphertext& ciphertext, const LimbSink& sink);
[[nodiscard]] Result<RlweCiphertext> import_rlwe(const SharedKeyContext& context, const RlweFacts& facts,
                                                 const LimbSource& source);

}  // namespace ringfort::wire
