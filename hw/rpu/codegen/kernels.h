// SPDX-License-Identifier: Apache-2.0
// The functions that the generator supports. Each has several plans, and an optimizer chooses one plan.
#pragma once

#include "codegen/emitter.h"
#include "codegen/schedule.h"

namespace ringfort::rpu {

// Arithmetic works on every coefficient. a, b, c are polynomials; s is a scalar for each limb.
enum class Function : u8 {
  transform,             // x := its evaluations, or its coefficients
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
  u32 n = 65536;             // a power of two in kLeastTransform .. kLargestTransform
  std::vector<u128> moduli;  // one per limb; transforms need primes = 1 mod 2n (cyclic: mod n)
  u32 batch = 1;             // polynomials per limb
  bool inverse = false;
  bool negacyclic = true;
  bool private_order = false;  // evaluations are in the plan's order instead of the canonical one
  Machine machine;
  Optimizer optimizer = Optimizer::paper;
  u64 seed = 0;
  u32 tries = 16;    // schedules that the optimizer tries; equal requests give equal programs
  u32 together = 0;  // polynomials that are transformed side by side; 0: all

  [[nodiscard]] u32 polynomials() const noexcept { return static_cast<u32>(moduli.size()) * batch; }
};

inline constexpr const char* kSecondBuffer = "y";  // work space of transforms in `operands`; not an input

struct KernelPlan : Plan {
  std::vector<std::string> operands;  // the buffers, polynomials() * n words each, in the order of memory
  std::string result;
  BitMap order;  // bit k of an evaluation's position is bit order[k] of its canonical index
};

// Throws Refusal on a request that is invalid on every machine.
void check_request(const KernelRequest& request);

// Returns the field of each limb; empty if the function has no transforms.
[[nodiscard]] std::vector<TransformField> fields_of(const KernelRequest& request);

// Returns the plans for a request. Polynomial i is at word i n of every buffer; its limb is i / batch.
[[nodiscard]] std::vector<KernelPlan> kernel_plans(const KernelRequest& request,
                                                   const std::vector<TransformField>& fields);

}  // namespace ringfort::rpu
