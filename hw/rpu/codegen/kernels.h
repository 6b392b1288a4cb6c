// SPDX-License-Identifier: Apache-2.0
// The functions for which the generator makes programs. A function has one or more plans (plan.h). The generator
// chooses one of them (program.cpp, tiled_program.cpp). hw/rpu/README.md explains the terms, such as private order.
#pragma once

#include "codegen/emitter.h"
#include "codegen/schedule.h"

namespace ringfort::rpu {

// All functions but the first two work on each coefficient separately. a, b, c and x are arrays of polynomials; s has
// one scalar for each limb.
enum class Function : u8 {
  transform,             // x := the evaluations of x; inverse: coefficients from evaluations
  multiply_polynomials,  // a := a b mod x^n + 1 (cyclic: x^n - 1)
  add,                   // a := a + b
  subtract,              // a := a - b
  negate,                // a := -a
  multiply,              // a := a b
  multiply_add,          // c := c + a b
  multiply_scalar,       // a := a s
};
inline constexpr std::array<const char*, 8> kFunctionNames{"ntt",    "polymul",  "add",          "sub",
                                                           "negate", "multiply", "multiply_add", "multiply_scalar"};

[[nodiscard]] constexpr bool transforms(Function function) noexcept {
  return function == Function::transform || function == Function::multiply_polynomials;
}

inline constexpr u32 kLeastTransform = 1024;
inline constexpr u32 kLargestTransform = 131072;

struct KernelRequest {
  Function function = Function::transform;
  u32 n = 65536;  // a power of two in kLeastTransform .. kLargestTransform
  // one for each limb; transforms need primes that are 1 mod 2n, or 1 mod n for cyclic transforms
  std::vector<u128> moduli;
  u32 batch = 1;  // number of polynomials of each limb
  bool inverse = false;
  bool negacyclic = true;
  bool private_order = false;  // true: evaluations are in the plan's own order; false: in the canonical order
  Machine machine;
  Optimizer optimizer = Optimizer::paper;
  u64 seed = 0;
  u32 tries = 16;    // number of schedules that the optimizer tries; equal requests give equal programs
  u32 together = 0;  // number of polynomials that are transformed side by side; 0: all

  [[nodiscard]] u32 polynomials() const noexcept { return static_cast<u32>(moduli.size()) * batch; }
};

// a second buffer for transforms; it is among `operands`, but is not an input
inline constexpr const char* kSecondBuffer = "y";

struct KernelPlan : Plan {
  std::vector<std::string> operands;  // names of the buffers in the order of memory; each has polynomials() * n words
  std::string result;
  BitMap order;  // bit k of the position of an evaluation is bit order[k] of its canonical index
};

// Throws Refusal on a request that is invalid on every machine.
void check_request(const KernelRequest& request);

// Returns the field of each limb, or nothing if the function has no transforms.
[[nodiscard]] std::vector<TransformField> fields_of(const KernelRequest& request);

// Returns the plans for a request. In every buffer, polynomial i begins at word i * n, and its limb is i / batch.
[[nodiscard]] std::vector<KernelPlan> kernel_plans(const KernelRequest& request,
                                                   const std::vector<TransformField>& fields);

}  // namespace ringfort::rpu
