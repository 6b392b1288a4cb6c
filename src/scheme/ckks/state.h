// SPDX-License-Identifier: Apache-2.0
// States of the public CKKS objects, and bounds of results. If a verb increases the bound or lowers the level, it
// checks the bound of its result before it computes. Decryption computes a phase. In the canonical embedding
// (embedding.h), the phase is scale * values + e. The bound, an Accuracy, guarantees |values| <= magnitude and
// |e| <= error.
#pragma once

#include <cmath>

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
  std::vector<double> planned_errors;  // by the number of products so far, see planned_errors()
};

struct Accuracy {
  Scale scale;
  double magnitude = 0;
  double error = 0;
  [[nodiscard]] double value() const noexcept { return scale.high * magnitude; }
  [[nodiscard]] double log2_phase() const noexcept { return std::log2(value() + error); }
  [[nodiscard]] double precision_bits() const noexcept;
  // Returns the bound of every object of an unguarded context (ChainParameters::unguarded_reason).
  [[nodiscard]] static Accuracy unknown(const Scale& scale) noexcept;
};

struct Plaintext::State {
  RlweCiphertext rlwe;  // one component, with context and level
  Accuracy bound;
  // True if encode_public made the plaintext. Encryption rejects such a plaintext: its public magnitude was computed
  // from the values, and would reveal something about secret values.
  bool of_the_public = false;
  bool decrypted = false;  // if true, decoding checks values against the bound
  double step = 0;         // decoding rounds to multiples of `step`; 0: no rounding
};

struct Ciphertext::State {
  RlweCiphertext rlwe;
  Accuracy bound;
};

// Throws noise_bound_exceeded if error > scale * magnitude.
void require_certain(const Accuracy& bound, std::string_view what);
// Returns `bound` if it is acceptable; otherwise throws noise_bound_exceeded. A phase must be below half the modulus of
// the level, and error <= scale * magnitude or error <= scale / 4. Returns Accuracy::unknown if the context is
// unguarded.
[[nodiscard]] Accuracy admitted(const Accuracy& bound, const KeyContext::State& context, u32 level,
                                std::string_view what);
// Tells whether encode() corrects its coefficients to the exact scale `meant`. encode() first encodes at the double
// meant.high. The correction multiplies the coefficients by meant / meant.high, and adds a rounding error. It reduces
// the error only if the encoder's transform computes in integers of 128 bits. After a transform in doubles, encode()
// does not correct (encode.h).
[[nodiscard]] bool completes_scale(u32 slots, const Scale& meant) noexcept;
// Returns the bound of encodings at `scale`. If `scale` equals the high double of the level's scale, the exact scale of
// the level is meant. If encode() did not correct its coefficients to the exact scale (completes_scale), the difference
// between the two scales counts as error.
[[nodiscard]] Accuracy encoded_bound(const Context::State& context, u32 level, double scale, double magnitude);
// Throws parameters_mismatch unless the scales of a and b have the same high double. sum() adds the difference of their
// low doubles to the error.
void require_equal_scales(const Accuracy& a, const Accuracy& b, std::string_view what);
// Throws unless the plaintext has the context of the ciphertext, and the level of the ciphertext or a higher one.
void require_fits(const Ciphertext::State& a, const Plaintext::State& b, std::string_view what);

// Returns the product of the primes by which rescaling from `level` divides.
[[nodiscard]] Scale last_product(const KeyContext::State& context, u32 level) noexcept;
[[nodiscard]] Scale level_scale(const Context::State& context, u32 level, double scale);

// Returns a bound on values whose measured absolute value is at most `magnitude`. The measured absolute value of a
// complex number is rounded. Therefore the bound for complex numbers is slightly larger.
[[nodiscard]] double rounded_up(double magnitude, bool complex) noexcept;

// Returns bounds on the errors of values. Element k is for sums of up to four results of k successive products.
// choose() promises these bounds (ringfort/parameters.h).
[[nodiscard]] std::vector<double> planned_errors(const Parameters& parameters);

[[nodiscard]] Accuracy sum(const Accuracy& a, const Accuracy& b) noexcept;
[[nodiscard]] Accuracy product(const Accuracy& a, const Accuracy& b) noexcept;
[[nodiscard]] Accuracy upscaled(const Accuracy& bound, const Scale& factor) noexcept;
// Returns the bound after an exact division. It does not include the rounding of the coefficients.
[[nodiscard]] Accuracy divided(const Accuracy& bound, const Scale& divisor) noexcept;
[[nodiscard]] Accuracy with_error(const Accuracy& bound, double added) noexcept;
// These functions return the bound after relinearization, and the bound after a division by the primes of the level.
// The caller must pass the bound to admitted(). rescaled() throws noise_bound_exceeded if the scale falls below 2.
[[nodiscard]] Accuracy relinearized(const Accuracy& bound, const KeyContext::State& context, u32 level) noexcept;
[[nodiscard]] Accuracy rescaled(const Accuracy& bound, const KeyContext::State& context, u32 level, u32 components);

// Tells how to compose the coefficients of phases from residues. `level` is the lowest level whose modulus is large
// enough. If phases have more than 126 bits, `shift` is the number of low bits to drop.
struct Composition {
  u32 level = 0;
  u32 shift = 0;
};
// Returns the Composition for phases below 2^log2_phase, or below half the modulus of the level `most`. Its level is at
// most `most`. Throws bound_violated for phases of more than 1150 bits: they are no values.
[[nodiscard]] Composition composition(const KeyContext::State& context, double log2_phase, u32 most);
// Composes the polynomial in `scratch` from its limbs. Returns its centred coefficients divided by 2^shift. The
// quotients must be below 2^126. Clobbers `scratch`.
[[nodiscard]] Secret<i128> composed(const KeyContext::State& context, Slice<Eval> scratch, u32 shift, Workspace& work);
// Returns a plaintext with these coefficients, over the data primes of a level.
[[nodiscard]] Plaintext lifted(const SharedKeyContext& context, std::span<const i128> coefficients, u32 level,
                               const Accuracy& bound);

// These functions return the bounds of results. They throw for operands that the verb rejects.
[[nodiscard]] Accuracy product_bound(const Ciphertext& a, const Ciphertext& b, std::string_view what);
[[nodiscard]] Accuracy relinearized_bound(const Ciphertext& a, const RelinearizationKey& key);
[[nodiscard]] Accuracy rescaled_bound(const Ciphertext& a);
[[nodiscard]] Accuracy rotated_bound(const Ciphertext& a, const GaloisKeys& keys, std::size_t steps);

// Limits of the values that a decryption decodes. All values are at most `limit` in absolute value. Their error is at
// most raw_error before rounding, and at most `error` after rounding to multiples of `step`.
struct Shown {
  double limit = 0, raw_error = 0, step = 0, error = 0;
};
// `hidden` is the error, in units of the phase, that rounding must hide.
[[nodiscard]] Shown shown(const Context::State& context, const Accuracy& bound, double hidden) noexcept;
// Returns the error, in units of the phase, that rounding must hide when the key's owner decrypts. It is the error of
// the bound, or more if the bound is untrusted.
[[nodiscard]] double hidden_from_owner(const Context::State& context, const Ciphertext::State& ciphertext) noexcept;

// If `out` is no operand, takes the memory of `out` for the result, and leaves `out` empty until store() is called. If
// `out` is an operand, takes nothing.
[[nodiscard]] RlweCiphertext take_memory(Ciphertext& out, const Ciphertext& a);
[[nodiscard]] RlweCiphertext take_memory(Ciphertext& out, const Ciphertext& a, const Ciphertext& b);
void store(Ciphertext& out, const Accuracy& bound, RlweCiphertext&& ciphertext);

}  // namespace ringfort::ckks
