// SPDX-License-Identifier: Apache-2.0
// Chooses the instruction set of the kernels (cpu.h).
#include "base/cpu.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>

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

// Takes no lock, not even that of a static variable, because a fork may come at any moment. The first choice is never
// destroyed.
const IsaChoice& chosen_isa() {
  static std::atomic<const IsaChoice*> choice{nullptr};
  if (const IsaChoice* const known = choice.load(std::memory_order_acquire)) return *known;
  const char* const cap = std::getenv("RINGFORT_CPU");
  auto mine = std::make_unique<const IsaChoice>(choose_isa(cap == nullptr ? "" : cap, machine_isa()));
  const IsaChoice* first = nullptr;
  if (!choice.compare_exchange_strong(first, mine.get(), std::memory_order_acq_rel)) return *first;
  return *mine.release();
}

}  // namespace ringfort
