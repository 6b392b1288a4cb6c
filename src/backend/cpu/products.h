// SPDX-License-Identifier: Apache-2.0
// The fused sums of products of `cpu`, and automorphisms.
#pragma once

#include "backend/backend.h"

namespace ringfort::cpu {

Status inner_product(Stream s, const InnerProduct& product) noexcept;
Status gadget_product(Stream s, const GadgetProduct& product) noexcept;
Status tensor(Stream s, const View& out, const View& a, const View& b) noexcept;
Status automorphism(Stream s, const View& out, const View& a, u32 galois, Domain domain) noexcept;

}  // namespace ringfort::cpu
