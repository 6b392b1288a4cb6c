// SPDX-License-Identifier: Apache-2.0
// A device that wraps another device. It counts verbs (operations) by name. From a chosen verb on, it acts as a lost
// device: every call fails. It forwards everything else. docs/how-to-add.md shows it as an example.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "backend/backend.h"

namespace ringfort::testing {
class Counting final : public Backend {
 public:
  // lost_at: number, from 1, of the first verb that does not run. Later verbs do not run either. With 0, all verbs run.
  explicit Counting(std::shared_ptr<Backend> inner, u64 lost_at = 0) : inner_(std::move(inner)), lost_at_(lost_at) {}
  [[nodiscard]] u64 count(std::string_view verb) const {
    const std::lock_guard lock(mutex_);
    return counts_.contains(verb) ? counts_.at(verb) : 0;
  }

  Status run(Stream s, std::span<const Verb> verbs, std::span<Ticket> ends) noexcept override {
    const std::lock_guard lock(mutex_);
    for (const Verb& verb : verbs) {
      ++calls_;
      if (is_lost()) return Status::device_lost;
      ++counts_[name_of(verb)];
    }
    return inner_->run(s, verbs, ends);
  }
  Status synchronize(Stream s) noexcept override {
    const Status status = inner_->synchronize(s);
    const std::lock_guard lock(mutex_);
    return is_lost() ? Status::device_lost : status;
  }

  std::string_view name() const noexcept override { return inner_->name(); }
  Capabilities capabilities() const noexcept override { return inner_->capabilities(); }
  Status prepare(const Plan& plan, std::shared_ptr<const PreparedPlan>& out) noexcept override {
    return inner_->prepare(plan, out);
  }
  Status allocate(std::size_t bytes, Contents c, Privacy p, DeviceBuffer*& b) noexcept override {
    return inner_->allocate(bytes, c, p, b);
  }
  void release(DeviceBuffer* b, bool wipe) noexcept override { inner_->release(b, wipe); }
  MemoryUse memory() const noexcept override { return inner_->memory(); }
  bool fuses(const Verb& verb) const noexcept override { return inner_->fuses(verb); }
  Ticket mark(Stream s) noexcept override { return inner_->mark(s); }
  void resolve(Ticket& ticket) noexcept override { inner_->resolve(ticket); }
  std::string failure() const override { return inner_->failure(); }
  void report_launches(const LaunchListener* listener) noexcept override { inner_->report_launches(listener); }

 private:
  [[nodiscard]] bool is_lost() const noexcept { return lost_at_ != 0 && calls_ >= lost_at_; }
  std::shared_ptr<Backend> inner_;
  mutable std::mutex mutex_;
  std::map<std::string_view, u64> counts_;
  u64 lost_at_, calls_ = 0;
};
}  // namespace ringfort::testing
