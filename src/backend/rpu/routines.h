// SPDX-License-Identifier: Apache-2.0
// The coefficient-wise kernels of device `rpu`. Each operand has `words` words, a multiple of 512, and a region of its
// own. The comments list the operands in the order of the regions. m0, m1 .. are the moduli of a run, and s0, s1 .. are
// its scalars. Residues are below their modulus, which is in m0. h is the least residue that represents a negative
// number. halve is the first stage of a long forward transform, and unite reverses it (transform_verb.cpp).
//
// The ring processor has no shift instruction. Instead, three instructions compute floor(x / 2^s) exactly
// (docs/notes/0011). A product with 1 modulo 2^s gives the low bits of x. A difference removes these bits from x. A
// product with 2^(-s), modulo the odd number 2^128 - 1, gives the quotient. All comparisons and shifts of base
// conversions and digits use these instructions.
#pragma once

#include <array>

#include "backend/rpu/kernel.h"

namespace ringfort::rpu_host {

enum class Routine : u8 {
  forward,
  inverse,  // transforms (transforms.h)
  add,
  subtract,           // out, a, b
  negate,             // out, a
  multiply,           // out, a, b
  multiply_add,       // out += a b
  scale,              // out = a s0
  scaled_difference,  // out = (a - b) s0
  dot,
  dot_add,         // out = (dot_add: +=) a_0 b_0 + a_1 b_1 ..: out, then all a, then all b; `count` products
  scaled_sum,      // out += a_0 s0 + a_1 s1 ..; `count` terms; the a_i may be any words
  first_fraction,  // v = a s0 mod m0, f = s4 + floor(v s1 / 2^71):  v, f, a
  fraction,        // v = a s0 mod m0, f += floor(v s1 / 2^71):      v, f, a
  shift,           // out = floor(a / m0), m0 = 2^s                  m1: kWide; s0: 1, s1: 2^(-s)
  digit,           // out = a mod m0, a = floor(a / m0):             out, a;      m0 = 2^b, m1: kWide
  lift,            // out = kOffset + a, minus q where a >= h         m0 = 2^K >= q, m1: kWide; s0: 2^K - h
  rounded_shift,   // out = kOffset + floor((a - kOffset) / m0 + 1/2)
  centred_digit,   // out = digit (mod m2), a = kOffset + (a - kOffset - digit) / m0
  last_digit,      // out = a - kOffset mod m0
  halve,           // x, y = (x + y s0) f, (x - y s0) g:             x, y, f, g
  unite,           // x, y = (x f + y g) s0, (x f - y g) s1:         x, y, f, g
};
inline constexpr std::size_t kRoutines = static_cast<std::size_t>(Routine::unite) + 1;

inline constexpr std::array<std::string_view, kRoutines> kRoutineNames = {"forward",
                                                                          "inverse",
                                                                          "add",
                                                                          "subtract",
                                                                          "negate",
                                                                          "multiply",
                                                                          "multiply_add",
                                                                          "scale",
                                                                          "scaled_difference",
                                                                          "dot",
                                                                          "dot_add",
                                                                          "scaled_sum",
                                                                          "first_fraction",
                                                                          "fraction",
                                                                          "shift",
                                                                          "digit",
                                                                          "lift",
                                                                          "rounded_shift",
                                                                          "centred_digit",
                                                                          "last_digit",
                                                                          "halve",
                                                                          "unite"};

// The modulus of sums and differences that must not wrap around. It is odd, so that powers of two have inverses.
inline constexpr u128 kWide = ~u128{0};
inline const rpu::Modulus kWideModulus(kWide);
// An offset that is added to signed values, so that they are not negative. It is a multiple of every base and of every
// 2^shift.
inline constexpr u128 kOffset = u128{1} << 126;
inline constexpr u32 kFractionShift = 71;  // shift in base conversion: 64 bits for a high word, and 7 more bits

// Returns 2^(-s) modulo 2^128 - 1.
[[nodiscard]] constexpr u128 inverse_power(u32 s) noexcept { return s == 0 ? 1 : u128{1} << (128 - s); }

[[nodiscard]] rpu::Plan routine_plan(Routine routine, u32 words, u32 count, Boundaries& boundaries);

struct RoutineNeeds {
  u32 moduli, scalars;
};
[[nodiscard]] RoutineNeeds routine_needs(Routine routine, u32 count) noexcept;

}  // namespace ringfort::rpu_host
