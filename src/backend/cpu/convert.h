// SPDX-License-Identifier: Apache-2.0
// The verbs of `cpu` that move coefficients or pass between limbs.
#pragma once

#include "backend/backend.h"

namespace ringfort::cpu {

Status automorphism(Stream s, const View& out, const View& a, u32 galois, Domain domain) noexcept;
Status base_convert(Stream s, const View& out, const View& a, Conversion kind) noexcept;

}  // namespace ringfort::cpu
