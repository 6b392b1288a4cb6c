// SPDX-License-Identifier: Apache-2.0
// Computes the transforms of a plan by a variant (variants.h). The options of a device that choose transforms need it.
#pragma once

#include <vector>

#include "backend/device/pool.h"
#include "backend/device/variant_launches.h"

namespace ringfort::device {

struct Caller;

class VariantPlan {
 public:
  VariantPlan(const Variant& variant, const Plan& plan, std::shared_ptr<Pool> pool);
  VariantPlan(const VariantPlan&) = delete;
  VariantPlan& operator=(const VariantPlan&) = delete;
  ~VariantPlan();

  // Loads kernels and fills tables. `roots` has a primitive 2n-th root of unity for each modulus. Returns
  // Status::unsupported if the variant does not take the degree or a modulus, or if the driver lacks a kernel. Throws
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
  VariantLaunches launches_;
  std::shared_ptr<Pool> pool_;
  Buffer* tables_ = nullptr;
  std::size_t forward_at_ = 0, inverse_at_ = 0, factor_bytes_ = 0;  // in bytes; the moduli are at offset 0
};

}  // namespace ringfort::device
