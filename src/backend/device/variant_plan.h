// SPDX-License-Identifier: Apache-2.0
// The transforms of a plan as a variant computes them (variants.h): for the option `ntt` of a device.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backend/device/pool.h"
#include "backend/device/variants.h"
#include "backend/options/options.h"

namespace ringfort::device {

struct Caller;

// The user's choice. No schedule: the verbs' own kernels.
struct Variant {
  const Schedule* schedule = nullptr;
  const ReductionFacts* reduction = nullptr;
};

// Returns the option ntt=SCHEDULE or ntt=SCHEDULE/REDUCTION (without: harvey), which sets `out`.
[[nodiscard]] Option ntt_option(Variant& out);

class VariantPlan {
 public:
  VariantPlan(Variant variant, std::shared_ptr<Pool> pool) : variant_(variant), pool_(std::move(pool)) {}
  VariantPlan(const VariantPlan&) = delete;
  VariantPlan& operator=(const VariantPlan&) = delete;
  ~VariantPlan();

  // Loads kernels and fills tables. roots: a primitive 2n-th root of unity for each modulus. Returns
  // Status::unsupported if the variant does not take the degree or a modulus, or the driver lacks a kernel. Throws
  // std::bad_alloc.
  Status prepare(const Plan& plan, const std::vector<u128>& roots);

  // Transforms all limbs of the view in place.
  Status transform(const Caller& on, const View& view, bool forward) const noexcept;

 private:
  template <class Word>
  Status fill(const Plan& plan, const std::vector<u128>& roots);
  template <class Word>
  Status launch(const Caller& on, const View& view, bool forward) const;

  Variant variant_;
  std::shared_ptr<Pool> pool_;
  u32 log_n_ = 0;
  Buffer* tables_ = nullptr;
  std::size_t forward_at_ = 0, inverse_at_ = 0, factor_bytes_ = 0;  // bytes; the moduli are first
  std::map<std::string, Kernel, std::less<>> kernels_;
};

}  // namespace ringfort::device
