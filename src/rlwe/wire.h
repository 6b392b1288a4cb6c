// SPDX-License-Identifier: Apache-2.0
// What the io room writes and reads of leveled objects: numbers, never bytes. Polynomials pass limb by limb, canonical
// residues in [0, q), evaluation domain, bit-reversed order, polynomial by polynomial in the order of their limbs. A
// uniform half is its public seed: what was expanded once is expanded again. Every number from outside is checked here
// or, residues, by the source. Not here: what a ciphertext's bounds mean (scheme/*/wire.h).
#pragma once

#include <functional>

#include "base/result.h"
#include "rlwe/ciphertext.h"

namespace ringfort::wire {

// Takes one limb; gives one, false where there is none or a residue is not below q.
using LimbSink = std::function<void(u64 q, std::span<const u64> residues)>;
using LimbSource = std::function<bool(u64 q, std::span<u64> residues)>;

// Doubles pass as their bits.
inline constexpr u32 kBoundNumbers = 3;
using BoundNumbers = std::array<u64, kBoundNumbers>;

struct ParameterFacts {
  std::string scheme;  // "ckks", "bfv", "bgv"
  ChainParameters chain;
  std::vector<u64> numbers;  // of the scheme
};

[[nodiscard]] Failure damaged(Code code, const std::string& problem);
// Result of a call that reports by Error.
template <class Call>
auto caught(Call call) -> Result<decltype(call())> {
  try {
    return call();
  } catch (const Error& error) { return Failure{error.code(), error.problem(), error.fix()}; }
}

// Ring degree, primes, levels, digits and the security table, without building anything. Codes: io_range,
// insecure_parameters.
[[nodiscard]] Result<Done> check_chain(const ChainParameters& chain);

// Moduli of `limbs`, in order: with n they give the length of a polynomial.
[[nodiscard]] std::vector<u64> moduli(const KeyContext::State& context, Limbs limbs);

struct Seeded {  // a key's identity and the seed of its uniform half
  u64 key_id = 0;
  PublicSeed seed;
};

[[nodiscard]] Result<SecretKey> import_secret_key(const SharedKeyContext& context, u64 key_id,
                                                  std::span<const i8> coefficients);

// one polynomial over the data primes
void export_public_key(const PublicKey& key, const LimbSink& sink);
[[nodiscard]] Result<PublicKey> import_public_key(const SharedKeyContext& context, const Seeded& of,
                                                  const LimbSource& source);

// one for each digit, special and data primes
void export_key_switching_key(const KeyContext::State& context, const KeySwitchingKey& key, const LimbSink& sink);
[[nodiscard]] Result<KeySwitchingKey> import_key_switching_key(const KeyContext::State& context, const PublicSeed& seed,
                                                               const LimbSource& source);
[[nodiscard]] Result<RelinearizationKey> import_relinearization_key(const SharedKeyContext& context, const Seeded& of,
                                                                    const LimbSource& source);

// Steps of keys, rotations that were asked for, each step once and normal: the paths follow. Codes: io_range,
// unsupported.
struct GaloisFacts {
  std::vector<std::int32_t> steps, rotations;
  bool conjugation = false;
};
[[nodiscard]] GaloisFacts facts(const GaloisKeys& keys);
[[nodiscard]] Result<KeyPlan> import_plan(const SharedKeyContext& context, const GaloisFacts& facts);
// Elements of a plan's keys in the order of files.
[[nodiscard]] std::vector<u32> elements(const KeyPlan& plan, u32 n);

// A ciphertext without its bounds. Seeded: part 0 alone is passed on.
struct RlweFacts {
  u64 key_id = 0;
  u32 level = 0;
  u32 components = 0;
  Origin origin = Origin::evaluated;
  std::optional<PublicSeed> seed;
};
[[nodiscard]] RlweFacts facts(const RlweCiphertext& ciphertext);
[[nodiscard]] Result<Done> check_rlwe(const KeyContext::State& context, const RlweFacts& facts);
void export_rlwe(const RlweCiphertext& ciphertext, const LimbSink& sink);
[[nodiscard]] Result<RlweCiphertext> import_rlwe(const SharedKeyContext& context, const RlweFacts& facts,
                                                 const LimbSource& source);

}  // namespace ringfort::wire
