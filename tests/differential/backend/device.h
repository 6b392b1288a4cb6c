// SPDX-License-Identifier: Apache-2.0
// A device for tests. Its buffers release themselves, and uploads and downloads use plain vectors. It runs verbs as the
// library does, and counts the plans (degree, word width and primes of a ring) that it refuses.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "backend/devices.h"
#include "runtime/dispatch.h"
#include "support/devices.h"

namespace ringfort::testing {

// Runs verbs as the library does. It first checks their contracts. Then it replaces each verb that the device does not
// run by simpler verbs.
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

using SharedPlan = std::shared_ptr<const PreparedPlan>;

// The numbers of plans that a device accepted and refused, by word width (32, 64, 128 bits).
struct PlanCounts {
  std::array<u32, 3> taken{}, refused{};
};
inline PlanCounts plan_counts;

class TestDevice {
 public:
  explicit TestDevice(std::string_view name) : backend_(open_backend(name)), name_(name) {}
  [[nodiscard]] Backend& operator*() const { return *backend_; }
  [[nodiscard]] Backend* operator->() const { return backend_.get(); }
  [[nodiscard]] bool opened() const { return backend_ != nullptr; }
  [[nodiscard]] const std::string& name() const { return name_; }
  template <class V>
  Status run(Stream s, const V& v) const {
    return run_one(*backend_, s, v);
  }
  // Tells whether a normal run of the tests tries only a few cases on this device. A simulator takes seconds for one
  // case, and its results do not depend on the number of threads. RINGFORT_COUNTS=full tries all cases.
  [[nodiscard]] bool in_few_cases() const {
    return backend_->capabilities().simulated_time && std::getenv("RINGFORT_COUNTS") == nullptr;
  }
  [[nodiscard]] bool fuses(const Verb& verb) const { return backend_->fuses(verb); }
  // Tells whether the device accepts a plan, and counts the answer for OverDevices. A device may refuse a plan only if
  // its capabilities list the plans that it accepts. For all other devices, the answer is true, without a call of the
  // device.
  [[nodiscard]] bool takes(Word word, u32 n, const std::vector<u128>& moduli) const {
    SharedPlan plan;
    const bool states = !backend_->capabilities().plans.empty();
    const Status status = states ? backend_->prepare({n, word, moduli}, plan) : Status::ok;
    EXPECT_TRUE(status == Status::ok || status == Status::unsupported) << name_;
    ++(status == Status::ok ? plan_counts.taken : plan_counts.refused)[static_cast<std::size_t>(word)];
    return status == Status::ok;
  }

 private:
  std::shared_ptr<Backend> backend_;
  std::string name_;
};

template <class W>
constexpr Word word_of() {
  return sizeof(W) == 4 ? Word::u32 : sizeof(W) == 8 ? Word::u64 : Word::u128;
}

// Returns the devices of this machine, and the emulated GPU. It omits "ref", because the tests compare with it. It
// omits "cpu", because this name is an alias of another device. If RINGFORT_DEVICE names a GPU, or one of the CPU's
// instruction sets ("cpu:ifma"), returns only this device.
inline std::vector<std::string> devices_under_test() {
  std::vector<std::string> names;
  if (const std::string_view named = environment_device(); has_vendors_driver(named) || named.starts_with("cpu:")) {
    if (open_backend(named) != nullptr) names.emplace_back(named);
    return names;
  }
  for (const std::string_view name : backend_names()) {
    if (name != "ref" && name != "cpu") names.emplace_back(name);
  }
  for (const std::string_view name : tested_gpus()) names.emplace_back(name);
  return names;
}

// Tells whether a device whose capabilities list its plans accepts plans of this word width.
inline bool takes_in_part(std::string_view device, Word word) {
  return (device == "pim" || has_gpu_kernels(device)) && word != Word::u128;
}

// Test suite over devices. After each test, it prints how many plans the device refused. For each word width that a
// test used, a device that lists its plans must have accepted a plan if and only if takes_in_part() returns true. A
// device that refuses every plan runs no verb. Such a device fails the test.
class OverDevices : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { plan_counts = {}; }
  void TearDown() override {
    const bool states = !open_backend(GetParam())->capabilities().plans.empty();
    for (u32 w = 0; w < 3; ++w) {
      const u32 taken = plan_counts.taken[w], refused = plan_counts.refused[w];
      const std::string bits = std::to_string(32u << w);
      RecordProperty("taken_" + bits, static_cast<int>(taken));
      RecordProperty("refused_" + bits, static_cast<int>(refused));
      if (refused != 0)
        std::printf("[ refused  ] %s: %u of %u plans of %s bits\n", GetParam().c_str(), refused, taken + refused,
                    bits.c_str());
      if (!states || taken + refused == 0) continue;
      EXPECT_EQ(taken > 0, takes_in_part(GetParam(), Word(w)))
          << GetParam() << " took " << taken << " plans of " << bits << " bits and refused " << refused;
    }
  }
};

// A batch of polynomials of one plan on one device.
template <class W>
class Batch {
 public:
  Batch(const TestDevice& device, const PreparedPlan* plan, u32 n, u32 limbs, u32 batch) : device_(device), n_(n) {
    view_.plan = plan;
    view_.limbs = {0, limbs};
    view_.batch = batch;
    EXPECT_EQ(device->allocate(words() * sizeof(W), Contents::zeroed, Privacy::open, view_.buffer), Status::ok);
  }
  Batch(const TestDevice& device, const PreparedPlan* plan, u32 n, const std::vector<W>& values, u32 limbs = 1)
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
  const TestDevice& device_;
  u32 n_;
  View view_;
};

inline SharedPlan prepare(const TestDevice& device, Word word, u32 n, std::vector<u128> moduli) {
  SharedPlan plan;
  EXPECT_EQ(device->prepare({n, word, std::move(moduli)}, plan), Status::ok);
  return plan;
}

}  // namespace ringfort::testing
