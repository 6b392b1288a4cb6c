// SPDX-License-Identifier: Apache-2.0
// Plaintexts and phases under the secret key. The phases are for decryption alone: nothing outside the client sees
// them, and they are wiped: with its ciphertext, a phase gives the key away.
#pragma once

#include "math/divisor.h"
#include "scheme/rgsw/state.h"

namespace ringfort::rgsw {

// c0 - t c1 mod 2^bits, for n values each; schoolbook, no branch or index depends on t.
[[nodiscard]] Secret<u32> phase_mod_power(std::span<const i8> secret, std::span<const u32> c0, std::span<const u32> c1,
                                          u32 bits);

// How a count lies in a phase modulo 2^bits.
struct Scaled {
  u64 q;
  u32 bits;
  u64 last;  // of the largest count, with its error
  u64 half;  // the scale's
  Divisor<u64> scale;
};
[[gnu::noinline]] void counts_of(std::span<const u32> phase, const Scaled& by, std::span<u32> counts) noexcept;

// The integer at gadget value g in a residue: `lowest` is what the least one has.
struct Digit {
  u64 q, lowest, half;
  Divisor<u64> g;
};
[[gnu::noinline]] u64 value_of(u64 phase, const Digit& of) noexcept;

// c0 - t c1 of one row of one bit, residues mod q in the coefficient domain.
[[nodiscard]] Secret<u64> row_phase(const SecretKey::State& key, const EncryptedBits::State& bits, u32 index, u32 row,
                                    Workspace& work);

// The gadget row that holds every integer of [low, high] with the widest margin; Error(noise_bound_exceeded) where none
// does.
[[nodiscard]] u32 decryption_row(const Context::State& context, i64 low, i64 high, double deviation);

}  // namespace ringfort::rgsw
