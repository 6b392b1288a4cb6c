// SPDX-License-Identifier: Apache-2.0
// Searches for two patterns that compilers emit for 64-bit words on RV32. In the first pattern, an sltu (1 if one word
// is less than another) computes a carry, and one of the three instructions after the sltu adds or subtracts this
// carry. In the second pattern, an `or` joins the results of the two preceding xor instructions, to compare 64-bit
// words.
#include "doubles.h"

#include <algorithm>
#include <span>

#include "fields.h"
#include "words.h"

namespace ringfort::pim {
namespace {

bool is_register(const Fields& f, u32 funct3, u32 funct7) {
  return f.opcode == kRegister && f.funct3 == funct3 && f.funct7 == funct7 && f.rd != 0;
}

bool uses(const Fields& f, u32 reg) { return f.rs1 == reg || f.rs2 == reg; }

bool carries(std::span<const u32> words, std::size_t i) {
  constexpr std::size_t kNear = 3;
  const Fields carry(words[i]);
  if (!is_register(carry, 3, 0)) return false;
  for (std::size_t at = i + 1; at < std::min(words.size(), i + 1 + kNear); ++at) {
    const Fields f(words[at]);
    if ((is_register(f, 0, 0) || is_register(f, 0, 32)) && uses(f, carry.rd)) return true;
    if (f.rd == carry.rd) return false;
  }
  return false;
}

bool compares_both_halves(std::span<const u32> words, std::size_t i) {
  if (i + 2 >= words.size()) return false;
  const Fields first(words[i]), second(words[i + 1]), both(words[i + 2]);
  return is_register(first, 4, 0) && is_register(second, 4, 0) && is_register(both, 6, 0) && first.rd != second.rd &&
         uses(both, first.rd) && uses(both, second.rd);
}

}  // namespace

std::vector<u8> in_functions_of_64_bit_words(const Program& program) {
  const std::span<const u32> words(program.instructions);
  std::vector<u8> found(words.size(), 0);
  for (const auto& [name, symbol] : program.symbols) {
    if (symbol.address < kIramBase || symbol.bytes == 0) continue;
    const std::size_t first = std::min<std::size_t>((symbol.address - kIramBase) / 4, words.size()),
                      end = std::min<std::size_t>(first + symbol.bytes / 4, words.size());
    const auto function = words.subspan(first, end - first);
    bool wide = false;
    for (std::size_t i = 0; i < function.size() && !wide; ++i)
      wide = carries(function, i) || compares_both_halves(function, i);
    if (wide)
      std::fill(found.begin() + static_cast<std::ptrdiff_t>(first), found.begin() + static_cast<std::ptrdiff_t>(end),
                1);
  }
  return found;
}

}  // namespace ringfort::pim
