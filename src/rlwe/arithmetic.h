// SPDX-License-Identifier: Apache-2.0
// Arithmetic on the residues of ciphertexts of CKKS, BFV and BGV: sums, products and rescaling. For a ciphertext
// (a0, a1), decryption with the secret s computes a0 + a1 s, and rounds it. For a = (a0, a1) and b = (b0, b1),
//   (a0 + a1 s)(b0 + b1 s) = a0 b0 + (a0 b1 + a1 b0) s + a1 b1 s^2.
// Therefore the tensor product is (a0 b0, a0 b1 + a1 b0, a1 b1). relinearize() (key_switch.h) reduces it to two
// components. A ciphertext of k components is a polynomial of degree k - 1 in s. The tensor product of k and l
// components is the product of these polynomials. It has k + l - 1 components, and no verb reduces it if these are more
// than 3.
//
// A verb that returns a ciphertext leaves its operands unchanged, even if it fails. If the memory of `reuse` fits, the
// result uses it. Operands have the same context, key and level (operands.h checks this).
#pragma once

#include <span>

#include "rlwe/ciphertext.h"

namespace ringfort {

[[nodiscard]] RlweCiphertext add(const RlweCiphertext& a, const RlweCiphertext& b, Workspace& work,
                                 RlweCiphertext&& reuse = {});
[[nodiscard]] RlweCiphertext subtract(const RlweCiphertext& a, const RlweCiphertext& b, Workspace& work,
                                      RlweCiphertext&& reuse = {});
[[nodiscard]] RlweCiphertext negate(const RlweCiphertext& a, Workspace& work, RlweCiphertext&& reuse = {});
// Returns the tensor product.
[[nodiscard]] RlweCiphertext multiply(const RlweCiphertext& a, const RlweCiphertext& b, Workspace& work,
                                      RlweCiphertext&& reuse = {});

// These functions combine a ciphertext with `plain`, which is one polynomial over the limbs of `a`.
[[nodiscard]] RlweCiphertext add_plain(const RlweCiphertext& a, Slice<Eval> plain, Workspace& work,
                                       RlweCiphertext&& reuse = {});
[[nodiscard]] RlweCiphertext subtract_plain(const RlweCiphertext& a, Slice<Eval> plain, Workspace& work,
                                            RlweCiphertext&& reuse = {});
[[nodiscard]] RlweCiphertext multiply_plain(const RlweCiphertext& a, Slice<Eval> plain, Workspace& work,
                                            RlweCiphertext&& reuse = {});

// Returns the residues of an integer modulo the primes of the ciphertext.
[[nodiscard]] std::vector<u64> residues_of(i64 value, const RlweCiphertext& ciphertext);
// Multiplies by a scalar. `residues` has the residue of the scalar for each limb of `a`.
[[nodiscard]] RlweCiphertext multiply_scalar(const RlweCiphertext& a, std::span<const u64> residues, Workspace& work,
                                             RlweCiphertext&& reuse = {});

// These functions add something to `sum`: the ciphertext `a`, the product of `a` and `b`, or the product of `a` and the
// polynomial `plain`. If `sum` has as many components as the result, and no other object shares its memory, the result
// is written to this memory. A product and its addition then need one reduction. An error leaves `sum` undefined.
void add_to(RlweCiphertext& sum, const RlweCiphertext& a, Workspace& work);
void add_product_to(RlweCiphertext& sum, const RlweCiphertext& a, const RlweCiphertext& b, Workspace& work);
void add_plain_product_to(RlweCiphertext& sum, const RlweCiphertext& a, Slice<Eval> plain, Workspace& work);
// Writes the tensor product of k components and l components to the k + l - 1 polynomials `out`, which are neither `a`
// nor `b`. Two pairs are one verb of the device.
void tensor(const Ring& ring, Stream s, Slice<Eval> out, Slice<Eval> a, Slice<Eval> b);
// Adds the tensor product to the first k + l - 1 polynomials of `sum`. For each component b_i, it adds a0 b_i, a1 b_i
// .. to the components i, i + 1 ..
void add_tensor(const Ring& ring, Stream s, Slice<Eval> sum, Slice<Eval> a, Slice<Eval> b);

// Divides by the last group of primes (chain.h), which the next lower level lacks, and rounds. The rounding error is a
// multiple of f, as all errors are. The factor f is BGV's plain modulus, or 1 in other schemes (keys.h).
[[nodiscard]] RlweCiphertext rescale(const RlweCiphertext& a, Workspace& work, RlweCiphertext&& reuse = {});

}  // namespace ringfort
