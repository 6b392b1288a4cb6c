// SPDX-License-Identifier: Apache-2.0
// A device for tests: buffers that release themselves, uploads and downloads of plain vectors, and composed products.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "backend/devices.h"
#include "runtime/dispatch.h"
#include "support/devices.h"

namespace ringfort::testing {

// As the library runs verbs: contracts first, then what the device does not fuse is composed.
inline Status run_all(Backend& backend, Stream s, std::span<const Verb> verbs) {
  const ContractCheck contract = check_contracts(verbs);
  if (contract.status != Status::ok) return contract.status;
  if (runs_all(backend, verbs)) return backend.run(s, verbs, {});
  return backend.run(s, composed(backend, verbs).verbs, {});
}

template <class V>
Status run_one(Backend& backend, Stream s, const V& v) {
  const Verb one(v);
  return run_all(backend, s, std::span(&one, 1));
}

class Device {
 public:
  explicit Device(std::string_view name) : backend_(open_backend(name)), name_(name) {}
  [[nodiscard]] Backend& operator*() const { return *backend_; }
  [[nodiscard]] Backend* operator->() const { return backend_.get(); }
  [[nodiscard]] bool opened() const { return backend_ != nullptr; }
  [[nodiscard]] const std::string& name() const { return name_; }
  template <class V>
  Status run(Stream s, const V& v) const {
    return run_one(*backend_, s, v);
  }
  [[nodiscard]] bool fuses(const Verb& verb) const { return backend_->fuses(verb); }

 private:
  std::shared_ptr<Backend> backend_;
  std::string name_;
};

template <class W>
constexpr Word word_of() {
  return sizeof(W) == 4 ? Word::u32 : sizeof(W) == 8 ? Word::u64 : Word::u128;
}

// The devices of this machine that take every plan, but "ref", which is what they are compared with.
inline std::vector<std::string> devices_under_test() {
  std::vector<std::string> names;
  for (const std::string_view name : general_devices()) {
    if (name != "ref" && name != "cpu") names.emplace_back(name);
  }
  return names;
}

// Polynomials of one plan on one device.
template <class W>
class Batch {
 public:
  Batch(const Device& device, const PreparedPlan* plan, u32 n, u32 limbs, u32 batch) : device_(device), n_(n) {
    view_.plan = plan;
    view_.limbs = {0, limbs};
    view_.batch = batch;
    EXPECT_EQ(device->allocate(words() * sizeof(W), Contents::zeroed, Privacy::open, view_.buffer), Status::ok);
  }
  Batch(const Device& device, const PreparedPlan* plan, u32 n, const std::vector<W>& values, u32 limbs = 1)
      : Batch(device, plan, n, limbs, static_cast<u32>(values.size() / n / limbs)) {
    EXPECT_EQ(device.run({}, verb::Upload{view_, Domain::coefficient, values.data()}), Status::ok);
  }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch() { device_->release(view_.buffer, false); }

  [[nodiscard]] const View& view() const { return view_; }
  [[nodiscard]] std::size_t words() const { return std::size_t{n_} * view_.limbs.count * view_.batch; }
  [[nodiscard]] std::vector<W> values() const {
    std::vector<W> out(words());
    EXPECT_EQ(device_.run({}, verb::Download{view_, Domain::coefficient, out.data()}), Status::ok);
    EXPECT_EQ(device_->synchronize({}), Status::ok);
    return out;
  }

 private:
  const Device& device_;
  u32 n_;
  View view_;
};

using Prepared = std::shared_ptr<const PreparedPlan>;

inline Prepared prepare(const Device& device, Word word, u32 n, std::vector<u128> moduli) {
  Prepared plan;
  EXPECT_EQ(device->prepare({n, word, std::move(moduli)}, plan), Status::ok);
  return plan;
}

}  // namespace ringfort::testing
