// SPDX-License-Identifier: Apache-2.0
// Verbs that use only device memory, as launches of kernels and copies. Views must not be empty.
#pragma once

#include "backend/device/calls.h"

namespace ringfort::device {

Status compute(const Caller& on, const verb::Copy& v) noexcept;
Status compute(const Caller& on, const verb::Ntt& v) noexcept;
Status compute(const Caller& on, const verb::Intt& v) noexcept;
Status compute(const Caller& on, const verb::Add& v) noexcept;
Status compute(const Caller& on, const verb::Subtract& v) noexcept;
Status compute(const Caller& on, const verb::Multiply& v) noexcept;
Status compute(const Caller& on, const verb::MultiplyAdd& v) noexcept;
Status compute(const Caller& on, const verb::Negate& v) noexcept;
Status compute(const Caller& on, const verb::MultiplyScalar& v) noexcept;
Status compute(const Caller& on, const verb::Lift& v) noexcept;
Status compute(const Caller& on, const verb::Decompose& v) noexcept;
Status compute(const Caller& on, const verb::ExpandUniform& v) noexcept;
Status compute(const Caller& on, const verb::Automorphism& v) noexcept;
Status compute(const Caller& on, const verb::BaseConvert& v) noexcept;
// Optional verbs.
Status compute(const Caller& on, const verb::InnerProduct& v) noexcept;
Status compute(const Caller& on, const verb::Tensor& v) noexcept;
Status compute(const Caller& on, const verb::ModDown& v) noexcept;
Status compute(const Caller& on, const verb::Polymul& v) noexcept;

// Tells whether compute() implements this optional verb.
[[nodiscard]] inline bool is_computed(const Verb& verb) noexcept {
  return std::holds_alternative<verb::InnerProduct>(verb) || std::holds_alternative<verb::Tensor>(verb) ||
         std::holds_alternative<verb::ModDown>(verb) || std::holds_alternative<verb::Polymul>(verb);
}

template <Optional V>
Status compute(const Caller&, const V&) noexcept {  // never called: fuses() returns false
  return Status::internal;
}

}  // namespace ringfort::device
