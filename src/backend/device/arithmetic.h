// SPDX-License-Identifier: Apache-2.0
// Submits all verbs except Upload, Download, Zero and GadgetProduct, as launches of kernels and as copies. Views must
// not be empty. The device backend (device/verbs.cpp) calls these functions.
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
// The functions below submit optional verbs.
Status compute(const Caller& on, const verb::InnerProduct& v) noexcept;
Status compute(const Caller& on, const verb::Tensor& v) noexcept;
Status compute(const Caller& on, const verb::ModDown& v) noexcept;
Status compute(const Caller& on, const verb::ModDownRescale& v) noexcept;
Status compute(const Caller& on, const verb::ModUp& v) noexcept;
Status compute(const Caller& on, const verb::KeySwitch& v) noexcept;
Status compute(const Caller& on, const verb::Polymul& v) noexcept;

// Computes the coefficients of `from` and writes them to `out` without an extra copy. `out` and `from` share no memory.
Status inverse_from(const Caller& on, const View& out, const View& from) noexcept;

// Tells whether compute() implements this optional verb. A user can choose a variant (variants.h), which replaces the
// library's own transforms. But the fused verbs that contain transforms use the library's own transforms. Therefore,
// with a variant, compute() implements only those optional verbs that contain no transform.
[[nodiscard]] inline bool is_computed(const Verb& verb, bool has_variant) noexcept {
  if (has_variant)
    return std::holds_alternative<verb::Tensor>(verb) || std::holds_alternative<verb::InnerProduct>(verb);
  if (const auto* const v = std::get_if<verb::ModDownRescale>(&verb)) return v->plain == 1;
  return !std::holds_alternative<verb::GadgetProduct>(verb);
}

template <Optional V>
Status compute(const Caller&, const V&) noexcept {  // never called: fuses() returns false
  return Status::internal;
}

}  // namespace ringfort::device
