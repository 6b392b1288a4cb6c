// SPDX-License-Identifier: Apache-2.0
// What the public CKKS objects hold, and what every verb does before it computes: the bound of its result is admitted
// or refused. Phase = scale * values + error, all in the canonical embedding: |values| <= magnitude, |error| <= error.
#pragma once

#include "ringfort/ckks.h"
#include "rlwe/ciphertext.h"
#include "scheme/ckks/encode.h"
#include "scheme/ckks/rounding.h"
#include "scheme/ckks/scale.h"

namespace ringfort::ckks {

struct Context::State {
  State(const Parameters& parameters, std::string_view device);
  Parameters p;
  KeyContext keys;
  SlotEncoder encoder;
  std::vector<Scale> scales;           // by level
  std::vector<double> planned_errors;  // of slots, after 0, 1, 2 .. products of the promise's circuit
};

struct Accuracy {
  Scale scale;
  double magnitude = 0;
  double error = 0;
  [[nodiscard]] double value() const noexcept { return scale.high * magnitude; }
  [[nodiscard]] double precision_bits() const noexcept;
};

struct Plaintext::State {
  RlweCiphertext rlwe;  // one part; context and level
  Accuracy bound;
  bool of_the_public = false;  // its magnitude was measured: not for encryption
  bool decrypted = false;      // decoded values are held against the bound
  double step = 0;             // and rounded to this, where it is not 0
};

struct Ciphertext::State {
  RlweCiphertext rlwe;
  Accuracy bound;
};

// Throws noise_bound_exceeded unless the error is at most the largest value.
void require_certain(const Accuracy& bound, std::string_view what);
// Returns `bound` if phases within it are below half the modulus of the level, and certain or off by less than a
// quarter; else throws noise_bound_exceeded.
[[nodiscard]] Accuracy admitted(const Accuracy& bound, const KeyContext::State& context, u32 level,
                                std::string_view what);
// Whether an encoding is multiplied from the double next to a scale to the scale: where it is finer than that (and one
// rounding more).
[[nodiscard]] bool completes_scale(u32 slots, const Scale& meant) noexcept;
// Of encodings at `scale`: that of the level where it is the double next to it; elsewhere the difference is error.
[[nodiscard]] Accuracy encoded_bound(const Context::State& context, u32 level, double scale, double magnitude);
// Scales that are added must be one double (parameters_mismatch); what they differ by beyond becomes error (sum).
void require_equal_scales(const Accuracy& a, const Accuracy& b, std::string_view what);
// A plaintext of the ciphertext's context and level.
void require_fits(const Ciphertext::State& a, const Plaintext::State& b, std::string_view what);

// The primes that rescaling from `level` divides by, as one number.
[[nodiscard]] Scale last_product(const KeyContext::State& context, u32 level) noexcept;
[[nodiscard]] Scale level_scale(const Context::State& context, u32 level, double scale);

// What values are within that were found to be at most `magnitude`: parts and moduli of complex numbers are rounded.
[[nodiscard]] double rounded_up(double magnitude, bool complex) noexcept;

// Of slots, after as many products as the promise's circuit can have.
[[nodiscard]] std::vector<double> planned_errors(const Parameters& parameters);

[[nodiscard]] Accuracy sum(const Accuracy& a, const Accuracy& b) noexcept;
[[nodiscard]] Accuracy product(const Accuracy& a, const Accuracy& b) noexcept;
[[nodiscard]] Accuracy upscaled(const Accuracy& bound, const Scale& factor) noexcept;
// Divided, before the rounding of coefficients is added.
[[nodiscard]] Accuracy divided(const Accuracy& bound, const Scale& divisor) noexcept;
[[nodiscard]] Accuracy with_error(const Accuracy& bound, double added) noexcept;
// Three components of a level switched to two; divided by the primes of the level, before it is admitted
// (noise_bound_exceeded: no scale is left).
[[nodiscard]] Accuracy relinearized(const Accuracy& bound, const KeyContext::State& context, u32 level) noexcept;
[[nodiscard]] Accuracy rescaled(const Accuracy& bound, const KeyContext::State& context, u32 level, u32 components);

// How phases within a bound are read: from the lowest level that holds them; those of more than 126 bits without the
// last `shift`.
struct Composition {
  u32 level = 0;
  u32 shift = 0;
};
// level: at most `most`.
[[nodiscard]] Composition composition(const KeyContext::State& context, const Accuracy& bound, u32 most);
// A polynomial's centred coefficients / 2^shift, then below 2^126: over the limbs of `scratch`, whose contents end.
[[nodiscard]] Secret<i128> composed(const KeyContext::State& context, Slice<Eval> scratch, u32 shift, Workspace& work);
// A plaintext of these coefficients over the data primes of a level.
[[nodiscard]] Plaintext lifted(const SharedKeyContext& context, std::span<const i128> coefficients, u32 level,
                               const Accuracy& bound);

// Of the results of verbs; what cannot be computed is refused.
[[nodiscard]] Accuracy product_bound(const Ciphertext& a, const Ciphertext& b, std::string_view what);
[[nodiscard]] Accuracy relinearized_bound(const Ciphertext& a, const RelinearizationKey& key);
[[nodiscard]] Accuracy rescaled_bound(const Ciphertext& a);
[[nodiscard]] Accuracy rotated_bound(const Ciphertext& a, const GaloisKeys& keys, std::size_t steps);

// What a decryption within `bound` shows: |decoded values| are at most `limit`, their raw error, and with rounding,
// `error`. `hidden` is the error to be rounded away, of phases: that of the bound, or more where the bound is a claim.
struct Shown {
  double limit = 0, raw_error = 0, step = 0, error = 0;
};
[[nodiscard]] Shown shown(const Context::State& context, const Accuracy& bound, double hidden) noexcept;
// The error of a ciphertext that its owner's decryption rounds away.
[[nodiscard]] double hidden_from_owner(const Context::State& context, const Ciphertext::State& ciphertext) noexcept;

// The memory of `out` for the result, unless it is an operand. `out` is then empty until `store`.
[[nodiscard]] RlweCiphertext take_memory(Ciphertext& out, const Ciphertext& a);
[[nodiscard]] RlweCiphertext take_memory(Ciphertext& out, const Ciphertext& a, const Ciphertext& b);
void store(Ciphertext& out, const Accuracy& bound, RlweCiphertext&& ciphertext);

}  // namespace ringfort::ckks
