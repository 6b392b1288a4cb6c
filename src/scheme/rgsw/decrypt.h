// SPDX-License-Identifier: Apache-2.0
// Phases of Ring-GSW ciphertexts (c0 - t c1 for the secret t), and their decryption to plaintexts. A phase together
// with its ciphertext reveals the secret key. Therefore no code outside scheme/rgsw has phases, and decryption wipes
// them.
#pragma once

#include "math/divisor.h"
#include "scheme/rgsw/state.h"

namespace ringfort::rgsw {

// Returns the n coefficients of c0 - t c1 mod 2^bits. It uses schoolbook multiplication. No branch and no index depends
// on t.
[[nodiscard]] Secret<u32> phase_mod_power(std::span<const i8> secret, std::span<const u32> c0, std::span<const u32> c1,
                                          u32 bits);

// The encoding of a count in a phase modulo 2^bits.
struct Scaled {
  u64 q;
  u32 bits;
  u64 last;  // largest value that is read as a count; a larger value is a count of 0 with a negative error
  u64 half;  // scale / 2
  Divisor<u64> scale;
};
[[gnu::noinline]] void counts_of(std::span<const u32> phase, const Scaled& by, std::span<u32> counts) noexcept;

// The encoding of an integer in a phase: the residue is the integer times the gadget value g (state.h). The smallest
// integer of the range has the residue `lowest`.
struct Digit {
  u64 q, lowest, half;
  Divisor<u64> g;
};
[[gnu::noinline]] u64 value_of(u64 phase, const Digit& of) noexcept;

// Returns c0 - t c1 of one row of one bit, as residues modulo q in the coefficient domain.
[[nodiscard]] Secret<u64> row_phase(const SecretKey::State& key, const EncryptedBits::State& bits, u32 index, u32 row,
                                    Workspace& work);

// Returns the gadget row from which every integer of [low, high] can be decrypted. If several rows are possible, it is
// the row with the widest margin. Throws noise_bound_exceeded if no row is possible.
[[nodiscard]] u32 decryption_row(const Context::State& context, i64 low, i64 high, double deviation);

}  // namespace ringfort::rgsw
