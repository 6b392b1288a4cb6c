// SPDX-License-Identifier: Apache-2.0
// One verb on several ciphertexts. Where the device gains by it (Capabilities::wants_batches), those of one level are copied into one
// batch, go through the verb together, and are copied out; elsewhere they go one after another. The bits are the same.
#pragma once

#include <functional>

#include "rlwe/ciphertext.h"

namespace ringfort {

// Of one context; borrowed.
using Blocks = std::vector<const Block*>;

// result[i] = verb(*a[i], *b[i]). The verb does not read claims; a result is claimed if one of its operands is.
using BlockVerb = std::function<Block(const Block& a, const Block& b)>;
[[nodiscard]] std::vector<Block> for_each(const Blocks& a, const Blocks& b, Workspace& work, const BlockVerb& verb);

[[nodiscard]] std::vector<Block> relinearize(const Blocks& a, const SwitchKey& key, Workspace& work);   // 2 parts are copied
[[nodiscard]] std::vector<Block> rescale(const Blocks& a, Workspace& work);
[[nodiscard]] std::vector<Block> rotate(const Blocks& a, std::span<const RotationStep> path, Workspace& work);

// Powers by squares, low bits first: what they give is no deeper than the square. products(x, y): of pairs. exponent >= 1.
template <class C, class F>
std::vector<C> powers(std::vector<C> square, u32 exponent, F products) {
  std::vector<C> power;
  for (u32 rest = exponent; rest != 0; rest >>= 1) {
    if ((rest & 1) != 0 && !power.empty()) power = products(power, square);
    else if ((rest & 1) != 0) for (const C& each : square) power.push_back(each.clone());
    if (rest > 1) square = products(square, square);
  }
  return power;
}

}  // namespace ringfort
