// SPDX-License-Identifier: Apache-2.0
// A backend that was opened by name: buffers that release themselves, verbs that throw Error instead of answering Status,
// and the optional verbs composed from required ones where a backend declines them. Shareable between threads.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "backend/backend.h"
#include "base/fault.h"
#include "math/rns.h"
#include "runtime/profiler.h"

namespace ringfort {

// Status::ok returns; everything else throws the Error that the public API promises. The one place that translates.
void check(Status status, std::string_view what, std::string_view device);

// Limbs of a view, numbered as in the plan.
[[nodiscard]] inline View limbs_of(const View& view, Limbs limbs, u32 n) noexcept {
  View part = view;
  part.offset += std::size_t{limbs.first - view.first_limb} * n;
  part.first_limb = limbs.first;
  part.limbs = limbs.count;
  part.pitch = static_cast<u32>(view.step());
  return part;
}

// Polynomial `index` of a view of ring degree n.
[[nodiscard]] inline View polynomial(const View& view, std::size_t index, u32 n) noexcept {
  View single = view;
  single.offset += index * view.step() * n;
  single.batch = 1;
  return single;
}

class OpenDevice {
 public:
  // Errors: device_unknown.
  [[nodiscard]] static std::shared_ptr<const OpenDevice> open(std::string_view name);
  explicit OpenDevice(std::shared_ptr<Backend> backend) : backend_(std::make_shared<Observed>(std::move(backend))) {}

  [[nodiscard]] std::string name() const { return std::string(backend_->name()); }
  [[nodiscard]] Backend& backend() const noexcept { return *backend_; }
  // Every verb from now on reports to `profiler`; nullptr ends it.
  void profile(std::shared_ptr<Profiler> profiler) const noexcept { backend_->report_to(std::move(profiler)); }
  void check(Status status, std::string_view what) const {
    ringfort::check(fault::strikes(fault::Point::verb) ? Status::device_lost : status, what, backend_->name());
  }

  [[nodiscard]] std::shared_ptr<const PlanHandle> prepare(const Plan& plan) const;   // Errors: unsupported, out_of_memory
  void inner_product(Stream s, const InnerProduct& product, u32 n) const;      // n: the ring degree
  void mod_down(Stream s, const ModDown& division, const RnsBasis& basis, u32 n) const;   // basis: of the plan's moduli
  void tensor(Stream s, const View& out, const View& a, const View& b, u32 n) const;
  void gadget_product(Stream s, const GadgetProduct& product, u32 n) const;
  void key_switch(Stream s, const KeySwitch& sum, u32 n) const;
  void convert_digits(Stream s, const KeySwitch& to, u32 n) const;             // fills `digits` alone; out and key are not looked at
  // a and b are not kept.
  void polymul(Stream s, const View& out, const View& a, const View& b) const;

 private:
  std::shared_ptr<Observed> backend_;
};

// Device memory: move-only, zeroed when made, wiped when it ends (all of it may have held errors or keys).
class Buffer {
 public:
  Buffer() = default;
  Buffer(std::shared_ptr<const OpenDevice> device, std::size_t bytes, Contents contents = Contents::open);
  Buffer(Buffer&& o) noexcept
      : device_(std::move(o.device_)), handle_(std::exchange(o.handle_, nullptr)), wipe_(o.wipe_) {}
  Buffer& operator=(Buffer&& o) noexcept {
    std::swap(device_, o.device_);
    std::swap(handle_, o.handle_);
    std::swap(wipe_, o.wipe_);
    return *this;
  }
  ~Buffer();
  [[nodiscard]] BufferHandle* handle() const noexcept { return handle_; }
  void keep_contents() noexcept { wipe_ = false; }                 // public data: no need to zero it at the end

 private:
  std::shared_ptr<const OpenDevice> device_;
  BufferHandle* handle_ = nullptr;
  bool wipe_ = true;
};

}  // namespace ringfort
