// SPDX-License-Identifier: Apache-2.0
// Fused sums of products, and automorphisms, of device `cpu`. Also declares fuses() for Polymul. backend/verbs.h
// defines the verbs.
#pragma once

#include "backend/backend.h"

namespace ringfort::cpu {

Status execute(Stream s, const verb::InnerProduct& v) noexcept;
Status execute(Stream s, const verb::GadgetProduct& v) noexcept;
Status execute(Stream s, const verb::Tensor& v) noexcept;
Status execute(Stream s, const verb::Automorphism& v) noexcept;
[[nodiscard]] bool fuses(const verb::InnerProduct& v) noexcept;
[[nodiscard]] bool fuses(const verb::GadgetProduct& v) noexcept;
[[nodiscard]] bool fuses(const verb::Polymul& v) noexcept;

}  // namespace ringfort::cpu
