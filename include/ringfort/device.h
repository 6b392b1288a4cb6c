// SPDX-License-Identifier: Apache-2.0
// Which devices this machine offers, what RINGFORT_CPU made of the choice of CPU kernels, and what a device did.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ringfort {

struct DeviceInfo {
  std::string name;               // what Ntt(n, q, width, device) and every device option take: "cpu", "ref", "cpu:avx2"
  std::string instruction_set;    // of its kernels; empty where it means nothing
};

// Every device that opens on this machine, in the registry's order.
[[nodiscard]] std::vector<DeviceInfo> devices();

// RINGFORT_CPU=ref|generic|avx2|avx512|ifma caps the kernels of device "cpu". A cap above the machine is lowered.
struct CpuCap {
  std::string requested;          // the variable's text; empty when unset
  std::string used;               // one of the five names
  bool lowered = false;           // the machine has less than was asked for
};

// Errors: invalid_argument when the variable holds none of the five names.
[[nodiscard]] CpuCap cpu_cap();

// One verb that a device ran. Bytes: operands read once, results written once; multiplications: modular products of words.
struct VerbRecord {
  std::string verb;
  std::uint32_t stream = 0;
  double start_us = 0, end_us = 0;           // since the profile was made; simulated: since the device was opened
  std::uint64_t bytes = 0, multiplications = 0;
  bool simulated = false;                    // the device models its time
  double energy_uj = 0;                      // where it does, as the next two
  double compute_us = 0, transform_us = 0;   // of its time, while it computed; of that, in transforms
  std::string device;                        // its name
};

// Collects the verbs of the devices of all contexts that it is attached to (KeyContext::profile). Shareable between threads.
class Profile {
 public:
  Profile();
  Profile(const Profile&) = default;                          // shared: a profile is never empty
  Profile& operator=(const Profile&) = default;
  [[nodiscard]] std::vector<VerbRecord> records() const;
  [[nodiscard]] std::uint64_t lost() const noexcept;          // verbs beyond the first 2^20
  [[nodiscard]] std::string chrome_trace(const std::string& title) const;   // JSON for chrome://tracing and Perfetto: one process a device
  struct State;
  [[nodiscard]] const std::shared_ptr<State>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<State> state_;
};

}  // namespace ringfort
