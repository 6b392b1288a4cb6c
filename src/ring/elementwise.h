// SPDX-License-Identifier: Apache-2.0
// Products of residues in the memory of the caller, by the verbs of the default device (ringfort/device.h). Residues
// are u64 in [0, q). The device's plan needs a degree although no word is transformed. Therefore q must be a prime for
// transforms. For any other modulus, and for words that are not at cache lines, callers use the arithmetic of math.
// Immutable and shareable between threads.
#pragma once

#include <memory>

#include "math/types.h"
#include "runtime/device.h"

namespace ringfort {

class Elementwise {
 public:
  // Returns null if the device has no plan for arrays of `count` words modulo q: it needs a power of two d >= 64 that
  // divides `count`, and a prime q < 2^62 that is 1 mod 2d. Errors: device_unknown, out_of_memory.
  [[nodiscard]] static std::shared_ptr<const Elementwise> prepare(std::size_t count, u64 q);

  // The functions return false, and have written nothing, if the device does not work in the memory of the process, or
  // if an array does not begin at a cache line. Every array has the `count` words of prepare(). `out` may be an
  // operand.
  [[nodiscard]] bool multiply(u64* out, const u64* a, const u64* b) const;
  [[nodiscard]] bool multiply_scalar(u64* out, const u64* a, u64 factor) const;

 private:
  Elementwise(std::shared_ptr<const Device> device, std::shared_ptr<const PreparedPlan> plan, std::size_t count)
      : device_(std::move(device)),
        plan_(std::move(plan)),
        count_(count) {}
  [[nodiscard]] View view(DeviceBuffer* buffer) const;

  std::shared_ptr<const Device> device_;
  std::shared_ptr<const PreparedPlan> plan_;
  std::size_t count_;
};

}  // namespace ringfort
