// SPDX-License-Identifier: Apache-2.0
// The state of the machine between two instructions: the registers, the data memories (vdm and sdm), and which
// registers have been written.
#pragma once

#include <array>
#include <vector>

#include "sim/image.h"
#include "sim/isa_tables.h"
#include "sim/machine.h"
#include "sim/word.h"

namespace ringfort::rpu {

struct alignas(64) Vector {
  std::array<u128, kVectorLength> element{};
};

struct Written {
  u64 vector = 0, scalar = 0, address = 0, modulus = 0;
};

struct State {
  explicit State(const Machine& machine) : v(kRegisters), vdm(machine.vdm_words), sdm(machine.sdm_words) {}

  std::vector<Vector> v;
  std::array<u128, kRegisters> s{};
  std::array<u32, kRegisters> a{};
  std::array<Modulus, kRegisters> m{};
  std::vector<u128> vdm;
  std::vector<u128> sdm;
  Written written;
};

// Copies the data of the image into the memories. Throws Refusal if the machine's memories are too small.
void load_data(State& state, const Image& image);

}  // namespace ringfort::rpu
