// SPDX-License-Identifier: Apache-2.0
// The verbs of `cpu` that pass between limbs, fused division and key switching among them.
#pragma once

#include "backend/backend.h"

namespace ringfort::cpu {

Status base_convert(Stream s, const View& out, const View& a, Conversion kind) noexcept;
Status mod_down(Stream s, const ModDown& division) noexcept;
Status key_switch(Stream s, const KeySwitch& sum) noexcept;

}  // namespace ringfort::cpu
