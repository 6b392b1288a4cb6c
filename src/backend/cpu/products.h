// SPDX-License-Identifier: Apache-2.0
// Fused sums of products, and automorphisms, of device `cpu`; fuses() also for Polymul. The verbs are those of
// backend/verbs.h.
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
