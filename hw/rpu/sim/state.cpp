// SPDX-License-Identifier: Apache-2.0
// Copies the initial data of a program into the memories of the machine.
#include "sim/state.h"

#include <algorithm>

#include "sim/refusal.h"

namespace ringfort::rpu {
namespace {

void check_room(const char* memory, u32 asked, std::size_t have) {
  if (asked > have)
    throw Refusal("the program needs " + std::to_string(asked) + " words of " + memory + ", the machine has " +
                      std::to_string(have),
                  std::string("enlarge ") + memory + "_words or use less data");
}

}  // namespace

void load_data(State& state, const Image& image) {
  check_room("vdm", image.vdm_words, state.vdm.size());
  check_room("sdm", image.sdm_words, state.sdm.size());
  for (const Segment& segment : image.segments) {
    auto& memory = segment.space == Space::vdm ? state.vdm : state.sdm;
    std::copy(segment.words.begin(), segment.words.end(), memory.begin() + segment.address);
  }
}

}  // namespace ringfort::rpu
