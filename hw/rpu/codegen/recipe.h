// SPDX-License-Identifier: Apache-2.0
// Notation for breakdown rules. The index of a coefficient has log2(n) bits. At any time each bit is in one of three
// places: it selects the element of a vector, the vector within a block, or the block. A recipe says where the bits are
// when a pass begins, lists steps, and says where the bits are in memory afterwards. The generator derives addresses,
// roots and modes from the recipe. Therefore every recipe whose stages are in order computes the transform.
//   stage b      butterflies on bit b, which must number vectors; highest bit first, lowest first in an inverse
//   part b       stage b with a product, a sum and a difference per butterfly: longer, but no product waits for addends
//   expose b     UNPKLO, UNPKHI: b becomes the lowest element bit, and the highest element bit takes the place of b
//   hide b       PKLO, PKHI: b becomes the highest element bit, and the lowest element bit takes the place of b
//   twist k      products after which all rows of 2^k coefficients use equal roots. They follow the stages on bit k
//                and above (in an inverse, they precede them)
//   scale a..b   inverse: products with psi^-(the index's bits a .. b - 1), and with 1/n if a = 0
// The inverse transform is decimated in time: it has the same butterflies, addend +- factor root, on bit-reversed
// input. The products with powers of psi that make it negacyclic are at its end, or some of them between its passes.
#pragma once

#include <vector>

#include "sim/instruction.h"

namespace ringfort::rpu {

inline constexpr u32 kElementBits = 9;

enum class StepKind : u8 { stage, part, expose, hide, twist, scale };

struct Step {
  StepKind kind;
  u32 bit;
  u32 end = 0;  // upper end of a scale
};

using BitMap = std::vector<u32>;  // the index bit at each address bit

struct Pass {
  BitMap element_bits;    // index bits that select the element at the start, lowest first
  std::vector<u32> held;  // index bits that number a block's vectors at the start, highest first
  std::vector<Step> steps;
  BitMap after;  // the map of the memory after the pass
};

struct Recipe {
  u32 bits = 0;  // log2(n)
  bool inverse = false;
  BitMap before;
  std::vector<Pass> passes;

  [[nodiscard]] const BitMap& map(std::size_t pass) const { return pass == 0 ? before : passes[pass - 1].after; }
};

// The bits that select elements and vectors during a pass.
struct Layout {
  BitMap element_bits;
  std::vector<u32> held;

  [[nodiscard]] std::size_t slot_of(u32 bit) const;  // throws std::logic_error if the bit does not number vectors
  void step(const Step& step);
};

struct Access {
  Mode mode = Mode::linear;
  u8 value = 0;
};

// Returns the mode that moves the element bits to their places in `map`. Throws std::logic_error if no mode does.
[[nodiscard]] Access access_of(const BitMap& element_bits, const BitMap& map);

[[nodiscard]] u32 place_of(const BitMap& map, u32 bit);
[[nodiscard]] BitMap natural_map(u32 bits);

// Returns the map of the memory after a pass that stores its vectors at the places from which it has loaded vectors.
[[nodiscard]] BitMap stored_in_place(const BitMap& before, const Pass& pass);

// Returns the recipe backwards: the inverse transform from the recipe's end to its beginning, without scales.
[[nodiscard]] Recipe mirrored(const Recipe& recipe);

// Tells whether the pass needs no second buffer, because each block overwrites only words that it has loaded.
[[nodiscard]] bool in_place(const Recipe& recipe, std::size_t pass);

}  // namespace ringfort::rpu
