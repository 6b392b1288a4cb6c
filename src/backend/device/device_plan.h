// SPDX-License-Identifier: Apache-2.0
// A plan with its constants and tables in device memory, and the kernels that its primes allow.
#pragma once

#include "backend/device/ntt_plan.h"
#include "backend/device/pool.h"

namespace ringfort::device {

class DevicePlan : public PreparedPlan {
 public:
  // Plans outlive a device's backend, so they share its pool.
  DevicePlan(const Plan& plan, std::shared_ptr<Pool> pool) : PreparedPlan(plan), pool_(std::move(pool)) {}
  DevicePlan(const DevicePlan&) = delete;
  DevicePlan& operator=(const DevicePlan&) = delete;
  ~DevicePlan();

  // Loads kernels, allocates tables and fills them. Status::unsupported for plans of other degrees, words and primes.
  // Throws std::bad_alloc.
  Status prepare();

  [[nodiscard]] u32 log_n() const noexcept { return parts_[0].log_n; }
  [[nodiscard]] const std::vector<NttPart>& parts() const noexcept { return parts_; }
  [[nodiscard]] Kernel ntt(bool forward) const noexcept { return forward ? forward_ : inverse_; }
  [[nodiscard]] Buffer& tables() const noexcept { return *tables_; }

  // Device addresses, from limb `first` on.
  template <class Word>
  [[nodiscard]] const Limb<Word>* limbs(u32 first) const noexcept {
    return reinterpret_cast<const Limb<Word>*>(tables_->address) + first;
  }
  template <class Word>
  [[nodiscard]] const Factor<Word>* factors(bool forward, u32 first) const noexcept {
    const Address table = tables_->address + (forward ? forward_at_ : inverse_at_);
    return reinterpret_cast<const Factor<Word>*>(table) + std::size_t{first} * n();
  }

 private:
  template <class Word>
  Status fill(const std::vector<u128>& roots);

  std::shared_ptr<Pool> pool_;
  Buffer* tables_ = nullptr;
  std::size_t forward_at_ = 0, inverse_at_ = 0;  // bytes of the tables; the limbs are first
  std::vector<NttPart> parts_;
  Kernel forward_, inverse_;
};

}  // namespace ringfort::device
