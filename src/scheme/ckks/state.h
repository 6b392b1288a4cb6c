// SPDX-License-Identifier: Apache-2.0
// State of the public CKKS objects, and bounds of results. Every verb checks the bound of its result before it
// computes. In the canonical embedding a phase is scale * values + e, where the bound (Accuracy) guarantees |values| <=
// magnitude and |e| <= error.
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
  std::vector<double> planned_errors;  // by products so far, see planned_errors()
};

struct Accuracy {
  Scale scale;
  double magnitude = 0;
  double error = 0;
  [[nodiscard]] double value() const noexcept { return scale.high * magnitude; }
  [[nodiscard]] double precision_bits() const noexcept;
};

struct Plaintext::State {
  RlweCiphertext rlwe;  // one component, with context and level
  Accuracy bound;
  bool of_the_public = false;  // encode_public made it: encryption rejects it, because its magnitude is measured
  bool decrypted = false;      // if true, decoding checks values against the bound
  double step = 0;             // decoding rounds to multiples of `step`; 0: no rounding
};

struct Ciphertext::State {
  RlweCiphertext rlwe;
  Accuracy bound;
};

// Throws noise_bound_exceeded if the error is above the bound on values (magnitude).
void require_certain(const Accuracy& bound, std::string_view what);
// Returns `bound`, or throws noise_bound_exceeded. Phases must be below half the modulus of the level, and the error
// must be at most the bound on values (magnitude), or at most 1/4 in units of values.
[[nodiscard]] Accuracy admitted(const Accuracy& bound, const KeyContext::State& context, u32 level,
                                std::string_view what);
// Tells whether encode() corrects its coefficients. `meant` is the exact scale. encode() first uses the double
// meant.high; the correction multiplies the coefficients by meant / meant.high. The correction adds a rounding.
// Therefore it helps only if the encoder uses integers.
[[nodiscard]] bool completes_scale(u32 slots, const Scale& meant) noexcept;
// Returns the bound of encodings at `scale`. If `scale` is the double of the level's scale, it means the exact scale.
// If the encoding was not corrected for the exact scale (completes_scale), the difference of the two scales counts as
// error.
[[nodiscard]] Accuracy encoded_bound(const Context::State& context, u32 level, double scale, double magnitude);
// Throws parameters_mismatch unless the two scales have the same high double. sum() counts the difference of the low
// doubles as error.
void require_equal_scales(const Accuracy& a, const Accuracy& b, std::string_view what);
// Throws unless the plaintext has the ciphertext's context, and its level or a higher one.
void require_fits(const Ciphertext::State& a, const Plaintext::State& b, std::string_view what);

// Returns the product of the primes by which rescaling from `level` divides.
[[nodiscard]] Scale last_product(const KeyContext::State& context, u32 level) noexcept;
[[nodiscard]] Scale level_scale(const Context::State& context, u32 level, double scale);

// Returns a bound on values whose measured absolute value is at most `magnitude`. For complex numbers the bound is
// slightly larger, because the measured absolute value is rounded.
[[nodiscard]] double rounded_up(double magnitude, bool complex) noexcept;

// Returns the errors of slots after 0, 1, 2 .. products of the circuit for which Parameters were chosen.
[[nodiscard]] std::vector<double> planned_errors(const Parameters& parameters);

[[nodiscard]] Accuracy sum(const Accuracy& a, const Accuracy& b) noexcept;
[[nodiscard]] Accuracy product(const Accuracy& a, const Accuracy& b) noexcept;
[[nodiscard]] Accuracy upscaled(const Accuracy& bound, const Scale& factor) noexcept;
// Returns the bound after an exact division; the rounding of coefficients is not included.
[[nodiscard]] Accuracy divided(const Accuracy& bound, const Scale& divisor) noexcept;
[[nodiscard]] Accuracy with_error(const Accuracy& bound, double added) noexcept;
// Return the bound after relinearization, and after division by the primes of the level. The caller must pass it to
// admitted(). `rescaled` throws noise_bound_exceeded for a scale below 2.
[[nodiscard]] Accuracy relinearized(const Accuracy& bound, const KeyContext::State& context, u32 level) noexcept;
[[nodiscard]] Accuracy rescaled(const Accuracy& bound, const KeyContext::State& context, u32 level, u32 components);

// The way to compose phases from residues: the lowest level whose modulus is large enough, and the number of low bits
// to drop if phases have more than 126 bits.
struct Composition {
  u32 level = 0;
  u32 shift = 0;
};
// Returns the plan for phases within `bound`; its level is at most `most`.
[[nodiscard]] Composition composition(const KeyContext::State& context, const Accuracy& bound, u32 most);
// Composes the polynomial in `scratch` from its limbs, and returns its centred coefficients / 2^shift, which must be
// below 2^126. Clobbers `scratch`.
[[nodiscard]] Secret<i128> composed(const KeyContext::State& context, Slice<Eval> scratch, u32 shift, Workspace& work);
// Returns a plaintext of these coefficients over the data primes of a level.
[[nodiscard]] Plaintext lifted(const SharedKeyContext& context, std::span<const i128> coefficients, u32 level,
                               const Accuracy& bound);

// These return the bounds of results, and throw for operands that the verb rejects.
[[nodiscard]] Accuracy product_bound(const Ciphertext& a, const Ciphertext& b, std::string_view what);
[[nodiscard]] Accuracy relinearized_bound(const Ciphertext& a, const RelinearizationKey& key);
[[nodiscard]] Accuracy rescaled_bound(const Ciphertext& a);
[[nodiscard]] Accuracy rotated_bound(const Ciphertext& a, const GaloisKeys& keys, std::size_t steps);

// Limits of decoded values of a decryption: |values| <= limit, and their error is at most raw_error before and `error`
// after rounding to `step`. Rounding must hide the error `hidden`: the error of the bound, or more if the bound is
// untrusted.
struct Shown {
  double limit = 0, raw_error = 0, step = 0, error = 0;
};
[[nodiscard]] Shown shown(const Context::State& context, const Accuracy& bound, double hidden) noexcept;
// Returns the error of the phase that decryption for the owner rounds away.
[[nodiscard]] double hidden_from_owner(const Context::State& context, const Ciphertext::State& ciphertext) noexcept;

// Takes the memory of `out` for the result, unless `out` is an operand. `out` is then empty until `store`.
[[nodiscard]] RlweCiphertext take_memory(Ciphertext& out, const Ciphertext& a);
[[nodiscard]] RlweCiphertext take_memory(Ciphertext& out, const Ciphertext& a, const Ciphertext& b);
void store(Ciphertext& out, const Accuracy& bound, RlweCiphertext&& ciphertext);

}  // namespace ringfort::ckks
