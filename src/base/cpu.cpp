// SPDX-License-Identifier: Apache-2.0
// Detection uses the compiler's run-time library, which also checks that the operating system saves the registers.
#include "base/cpu.h"

#include <array>
#include <cstdlib>

namespace ringfort {

namespace {

constexpr std::array<std::string_view, 6> kIsaNames = {"ref", "generic", "avx2", "avx2-fma", "avx512", "ifma"};

}  // namespace

std::string_view isa_name(Isa isa) noexcept { return kIsaNames[static_cast<std::size_t>(isa)]; }

Isa machine_isa() noexcept {
#if defined(__x86_64__)
  const bool avx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  const bool fma = avx2 && __builtin_cpu_supports("fma");
  const bool avx512 = fma && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  const bool ifma = avx512 && __builtin_cpu_supports("avx512ifma") && __builtin_cpu_supports("avx512vbmi") &&
                    __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq") &&
                    __builtin_cpu_supports("avx512bitalg");
  if (ifma) return Isa::ifma;
  if (avx512) return Isa::avx512;
  if (fma) return Isa::fma;
  if (avx2) return Isa::avx2;
#endif
  return Isa::generic;
}

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
