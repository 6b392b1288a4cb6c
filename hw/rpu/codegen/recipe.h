// SPDX-License-Identifier: Apache-2.0
// The notation for breakdown rules. An index has log2(n) bits; at any time each stands in one of three places: in the
// lanes of the vectors, in the number of a vector within its block, or in the number of the block. A recipe says which
// bits stand where when a pass begins, what happens to them, and where they stand in memory afterwards; which words,
// roots and modes that takes follows from it, so that every recipe whose stages are in order computes the transform.
//   stage b      butterflies on bit b, which must number vectors; highest bit first, lowest first in an inverse
//   part b       the same as a product, a sum and a difference: longer, but the factor's half may begin first
//   expose b     UNPKLO, UNPKHI: b enters the lanes at the bottom, the top bit of the lanes takes its place
//   hide b       PKLO, PKHI: b enters the lanes at the top, the bottom bit of the lanes takes its place
//   twist k      all bits from k on are done (forward: the higher ones): products that make all rows of 2^k alike
//   scale a..b   inverse: products with psi^-(the index's bits a .. b - 1), and with 1/n where a = 0
// The inverse transform is decimated in time: the same butterflies, addend +- factor root, from bit-reversed
// input; the powers of psi that make it negacyclic are products at its end, or in between.
#pragma once

#include <vector>

#include "sim/instruction.h"

namespace ringfort::rpu {

inline constexpr u32 kLaneBits = 9;

enum class StepKind : u8 { stage, part, expose, hide, twist, scale };

struct Step {
  StepKind kind;
  u32 bit;
  u32 end = 0;  // of a scale
};

using BitMap = std::vector<u32>;  // the index bit at each address bit

struct Pass {
  BitMap lanes;           // index bits in the lanes at first, lane bit 0 first
  std::vector<u32> held;  // index bits that number a block's vectors at first, most significant first
  std::vector<Step> steps;
  BitMap after;  // the memory behind the pass
};

struct Recipe {
  u32 bits = 0;  // log2(n)
  bool inverse = false;
  BitMap before;
  std::vector<Pass> passes;

  [[nodiscard]] const BitMap& map(std::size_t pass) const { return pass == 0 ? before : passes[pass - 1].after; }
};

// Which bits stand in lanes and vector numbers while a pass goes on.
struct Layout {
  BitMap lanes;
  std::vector<u32> held;

  [[nodiscard]] std::size_t slot_of(u32 bit) const;  // throws std::logic_error where the bit does not number vectors
  void step(const Step& step);
};

struct Access {
  Mode mode = Mode::linear;
  u8 value = 0;
};

// The mode that moves the lanes' bits to where `map` has them. Throws std::logic_error where none does.
[[nodiscard]] Access access_of(const BitMap& lanes, const BitMap& map);

[[nodiscard]] u32 place_of(const BitMap& map, u32 bit);
[[nodiscard]] BitMap natural_map(u32 bits);

// The memory behind a pass that stores every vector where it has loaded one.
[[nodiscard]] BitMap stored_in_place(const BitMap& before, const Pass& pass);

// Backwards: the inverse transform from where the recipe ends to where it begins, without its scales.
[[nodiscard]] Recipe mirrored(const Recipe& recipe);

// True where a block overwrites what it has loaded and nothing else, so that the pass needs no second buffer.
[[nodiscard]] bool in_place(const Recipe& recipe, std::size_t pass);

}  // namespace ringfort::rpu
