// SPDX-License-Identifier: Apache-2.0
// Encodes the instructions of a schedule as a kernel, and lays out the words of the scalar data memory.
#include "codegen/link.h"

#include "codegen/scalar_loads.h"

namespace ringfort::rpu {

void add_kernel(Image& image, const std::string& name, const Schedule& schedule) {
  image.kernels.push_back({name, static_cast<u32>(image.code.size()), static_cast<u32>(schedule.code.size())});
  for (const Instruction& instruction : schedule.code) image.code.push_back(encode(instruction));
}

void add_scalar_memory(Image& image, const std::vector<u128>& moduli, const std::vector<u128>& scalars) {
  std::vector<u128> words{0};
  for (const u128 modulus : moduli) {
    words.push_back(modulus);
    words.push_back(Modulus(modulus).reduction_constant());
  }
  image.segments.push_back({Space::sdm, kZeroWord, words});
  image.symbols.push_back({"zero", Space::sdm, kZeroWord, 1});
  image.symbols.push_back({"moduli", Space::sdm, modulus_word(0), 2 * static_cast<u32>(moduli.size())});
  image.sdm_words = static_cast<u32>(words.size());
  if (scalars.empty()) return;
  image.segments.push_back({Space::sdm, scalar_word(0), scalars});
  image.symbols.push_back({"scalars", Space::sdm, scalar_word(0), static_cast<u32>(scalars.size())});
  image.sdm_words = scalar_word(static_cast<u32>(scalars.size()));
}

}  // namespace ringfort::rpu
