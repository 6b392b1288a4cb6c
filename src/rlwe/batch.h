// SPDX-License-Identifier: Apache-2.0
// One verb on several ciphertexts. Where the device gains by it (Capabilities::wants_batches), those of one level are
// copied into one batch, go through the verb together, and are copied out; elsewhere they go one after another. The
// bits are the same.
#pragma once

#include <functional>

#include "rlwe/ciphertext.h"
#include "rlwe/power.h"

namespace ringfort {

// Of one context; borrowed.
using Blocks = std::vector<const Block*>;

// result[i] = verb(*a[i], *b[i]). The verb does not read claims; a result is claimed if one of its operands is.
using BlockVerb = std::function<Block(const Block& a, const Block& b)>;
[[nodiscard]] std::vector<Block> for_each(const Blocks& a, const Blocks& b, Workspace& work, const BlockVerb& verb);

// 2 parts are copied
[[nodiscard]] std::vector<Block> relinearize(const Blocks& a, const SwitchKey& key, Workspace& work);
[[nodiscard]] std::vector<Block> rescale(const Blocks& a, Workspace& work);
[[nodiscard]] std::vector<Block> rotate(const Blocks& a, std::span<const RotationStep> path, Workspace& work);

// bases[i]^exponent, exponent >= 1. products(x, y) multiplies pair by pair.
template <class C, class F>
std::vector<C> powers(std::vector<C> bases, u32 exponent, F products) {
  const auto clones = [](const std::vector<C>& all) {
    std::vector<C> copies;
    for (const C& each : all) copies.push_back(each.clone());
    return copies;
  };
  return power(std::move(bases), exponent, clones, products, [&](const std::vector<C>& x) { return products(x, x); });
}

}  // namespace ringfort
