// SPDX-License-Identifier: Apache-2.0
// The table of the kernels of the encoders (kernels.h) for an instruction set. avx2.cpp and avx512.cpp include this
// file, and have different compiler flags. Therefore everything is in an unnamed namespace, and each of these files has
// its own copy.
#pragma once

#include "ring/encoding/convert.h"
#include "ring/encoding/kernels.h"
#include "ring/encoding/residues.h"
#include "ring/encoding/rounding.h"
#include "ring/encoding/slots.h"
#include "ring/encoding/transform.h"

namespace ringfort::encoding {

namespace {

// Lines is the struct of vectors of 32-bit words (slots.h). Lanes is the struct of vectors of 64-bit words (convert.h).
template <class Lines, class Lanes>
constexpr Kernels table() {
  return {
      .to_slots = &Transform<Lanes::kLanes>::all_to_slots,
      .from_slots = &Transform<Lanes::kLanes>::all_from_slots,
      .round_reversed = &Rounding<Lanes::kLanes>::round_reversed,
      .above32 = &above<std::uint32_t>,
      .above64 = &above<std::uint64_t>,
      .add64 = &Residues<Lanes>::add,
      .subtract64 = &Residues<Lanes>::subtract,
      .lanes = Lines::kLanes,
      .scatter = &Slots<Lines>::scatter,
      .gather = &Slots<Lines>::gather,
      .reduce = &Slots<Lines>::reduce,
      .centre = &Slots<Lines>::centre,
      .convert_to_plain = &ToPlain<Lanes>::convert,
  };
}

}  // namespace

}  // namespace ringfort::encoding
