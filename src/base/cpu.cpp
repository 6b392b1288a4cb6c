// SPDX-License-Identifier: Apache-2.0
// Chooses the instruction set of the kernels (cpu.h).
#include "base/cpu.h"

#include <array>
#include <cstdlib>

namespace ringfort {

namespace {

constexpr std::array<std::string_view, 6> kIsaNames = {"ref", "generic", "avx2", "avx2-fma", "avx512", "ifma"};

}  // namespace

std::string_view isa_name(Isa isa) noexcept { return kIsaNames[static_cast<std::size_t>(isa)]; }

IsaChoice choose_isa(std::string_view cap, Isa machine) {
  IsaChoice choice{.requested = std::string(cap), .used = machine};
  if (cap.empty()) return choice;
  choice.known = false;
  for (std::size_t i = 0; i < kIsaNames.size(); ++i) {
    if (cap != kIsaNames[i]) continue;
    const Isa asked = static_cast<Isa>(i);
    choice.known = true;
    choice.lowered = asked > machine;
    choice.used = choice.lowered ? machine : asked;
  }
  return choice;
}

const IsaChoice& chosen_isa() {
  static const IsaChoice choice = [] {
    const char* cap = std::getenv("RINGFORT_CPU");
    return choose_isa(cap == nullptr ? "" : cap, machine_isa());
  }();
  return choice;
}

}  // namespace ringfort
