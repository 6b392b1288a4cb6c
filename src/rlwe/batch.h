// SPDX-License-Identifier: Apache-2.0
// Verbs on several ciphertexts. Some devices are faster with batches (Capabilities::wants_batches). For them,
// consecutive ciphertexts with equal levels, components and keys are copied into a batch, computed together and copied
// back. Other devices compute one ciphertext after the other. The bits of the results do not depend on the device.
#pragma once

#include <functional>

#include "rlwe/power.h"
#include "rlwe/rotation.h"

namespace ringfort {

// Ciphertexts of the same context. The caller owns them.
using RlweCiphertexts = std::vector<const RlweCiphertext*>;

// Computes result[i] = verb(*a[i], *b[i]). A ciphertext is untrusted if only a file claims its noise bound. A batch is
// never marked as untrusted. Therefore for_each marks each result of a batch whose operand is untrusted. A verb marks
// the results that it computes one by one.
using RlweVerb = std::function<RlweCiphertext(const RlweCiphertext& a, const RlweCiphertext& b)>;
[[nodiscard]] std::vector<RlweCiphertext> for_each(const RlweCiphertexts& a, const RlweCiphertexts& b, Workspace& work,
                                                   const RlweVerb& verb);

// Relinearizes each ciphertext. Copies ciphertexts of 2 components.
[[nodiscard]] std::vector<RlweCiphertext> relinearize(const RlweCiphertexts& a, const KeySwitchingKey& key,
                                                      Workspace& work);
[[nodiscard]] std::vector<RlweCiphertext> rescale(const RlweCiphertexts& a, Workspace& work);
[[nodiscard]] std::vector<RlweCiphertext> rotate(const RlweCiphertexts& a, std::span<const RotationStep> path,
                                                 Workspace& work);

// Returns bases[i]^exponent for all i. exponent >= 1. products(x, y) multiplies x[i] by y[i] for all i.
template <class C, class F>
std::vector<C> powers(std::vector<C> bases, u32 exponent, F products) {
  const auto clones = [](const std::vector<C>& all) {
    std::vector<C> copies;
    for (const C& each : all) copies.push_back(each.clone());
    return copies;
  };
  return power_by_squares(std::move(bases), exponent, clones, products,
                          [&](const std::vector<C>& x) { return products(x, x); });
}

}  // namespace ringfort
