// SPDX-License-Identifier: Apache-2.0
// Notation for breakdown rules (rules.h). The index of a coefficient has log2(n) bits. At any time each bit selects one
// of three things: the element of a vector, the vector of a block, or the block. A block is a set of vectors that the
// program loads, changes and stores together. A recipe divides a transform into passes over the memory. For each pass
// it states what the bits select at the start, the steps, and the place of each bit in memory at the end. From the
// recipe the generator derives addresses, roots and addressing modes. Therefore every recipe with its stages in the
// right order computes the transform. The steps are:
//   stage b      butterflies of coefficients whose indices differ in bit b. The bit must select vectors. A forward
//                transform has its stages from the highest bit to the lowest, an inverse transform from the lowest to
//                the highest
//   unfused b    stage b with three instructions per butterfly: product, sum, difference. It takes longer, but the
//                product does not wait for the addend
//   expose b     UNPKLO, UNPKHI: b becomes the lowest element bit, and the highest element bit takes the place of b
//   hide b       PKLO, PKHI: b becomes the highest element bit, and the lowest element bit takes the place of b
//   twist k      products of all coefficients with powers of psi. Without these products, groups of 2^k successive
//                coefficients need different roots in the stages below bit k; with them, all groups use the same roots.
//                In a forward transform the products follow the stages on bit k and above; in an inverse transform they
//                precede these stages
//   scale a..b   inverse only: products with psi^-(bits a .. b - 1 of the index), and with 1/n if a = 0
// The inverse transform multiplies before it adds (decimation in time). Therefore it has the same butterflies as the
// forward transform: addend +- factor * root. Its input is in bit-reversed order. Products with powers of psi (field.h)
// make the inverse transform negacyclic. All of these products are at its end, or some of them are between its passes.
// hw/rpu/README.md explains the terms.
#pragma once

#include <vector>

#include "sim/instruction.h"

namespace ringfort::rpu {

inline constexpr u32 kElementBits = 9;

enum class StepKind : u8 { stage, unfused, expose, hide, twist, scale };

struct Step {
  StepKind kind;
  u32 bit;
  u32 end = 0;  // for `scale a..b`: bit is a, and end is b
};

using BitMap = std::vector<u32>;  // element k: the index bit at bit k of the address

struct Pass {
  BitMap element_bits;  // index bits that select the element at the start of the pass, lowest bit first
  // index bits that select the vector of a block at the start of the pass, highest bit first
  std::vector<u32> vector_bits;
  std::vector<Step> steps;
  BitMap after;  // the places of the index bits in memory after the pass
};

struct Recipe {
  u32 bits = 0;  // log2(n)
  bool inverse = false;
  BitMap before;
  std::vector<Pass> passes;

  [[nodiscard]] const BitMap& map(std::size_t pass) const { return pass == 0 ? before : passes[pass - 1].after; }
};

// The index bits that select elements and vectors during a pass.
struct Layout {
  BitMap element_bits;
  std::vector<u32> vector_bits;

  [[nodiscard]] std::size_t slot_of(u32 bit) const;  // throws std::logic_error if the bit does not select vectors
  void step(const Step& step);
};

struct Access {
  Mode mode = Mode::linear;
  u8 value = 0;
};

// Returns the addressing mode that moves the element bits to their places in `map`. Throws std::logic_error if there is
// no such mode.
[[nodiscard]] Access access_of(const BitMap& element_bits, const BitMap& map);

[[nodiscard]] u32 address_bit_of(const BitMap& map, u32 bit);
[[nodiscard]] BitMap natural_map(u32 bits);

// Returns the places of the index bits after a pass that stores vectors at the addresses from which it has loaded
// vectors.
[[nodiscard]] BitMap stored_in_place(const BitMap& before, const Pass& pass);

// Returns the recipe of the inverse transform, without the steps `scale`: the passes and steps in the opposite order.
[[nodiscard]] Recipe mirrored(const Recipe& recipe);

// Tells whether a pass may write its results over its input: each block overwrites only words that it has loaded.
[[nodiscard]] bool in_place(const Recipe& recipe, std::size_t pass);

}  // namespace ringfort::rpu
