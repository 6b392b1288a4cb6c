// SPDX-License-Identifier: Apache-2.0
// Plaintexts and phases under the secret key. A phase and its ciphertext together reveal the key: phases never leave
// the client, and are wiped after decryption.
#pragma once

#include "math/divisor.h"
#include "scheme/rgsw/state.h"

namespace ringfort::rgsw {

// Returns c0 - t c1 mod 2^bits, n coefficients, by schoolbook multiplication; no branch or index depends on t.
[[nodiscard]] Secret<u32> phase_mod_power(std::span<const i8> secret, std::span<const u32> c0, std::span<const u32> c1,
                                          u32 bits);

// Encoding of a count in a phase modulo 2^bits.
struct Scaled {
  u64 q;
  u32 bits;
  u64 last;  // largest value that is read as a count; a larger value is a zero count with a negative error
  u64 half;  // scale / 2
  Divisor<u64> scale;
};
[[gnu::noinline]] void counts_of(std::span<const u32> phase, const Scaled& by, std::span<u32> counts) noexcept;

// Encoding of an integer at gadget value g in a residue; the least integer has the residue `lowest`.
struct Digit {
  u64 q, lowest, half;
  Divisor<u64> g;
};
[[gnu::noinline]] u64 value_of(u64 phase, const Digit& of) noexcept;

// Returns c0 - t c1 of one row of one bit: residues mod q, coefficient domain.
[[nodiscard]] Secret<u64> row_phase(const SecretKey::State& key, const EncryptedBits::State& bits, u32 index, u32 row,
                                    Workspace& work);

// Returns the gadget row that holds every integer of [low, high] with the widest margin; throws noise_bound_exceeded if
// no row does.
[[nodiscard]] u32 decryption_row(const Context::State& context, i64 low, i64 high, double deviation);

}  // namespace ringfort::rgsw
