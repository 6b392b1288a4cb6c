// SPDX-License-Identifier: Apache-2.0
// What can be generated, and the plans that an optimizer chooses from for each.
#pragma once

#include "codegen/emitter.h"
#include "codegen/schedule.h"

namespace ringfort::rpu {

// Arithmetic works on every coefficient; a, b, c are polynomials, s one scalar for each limb.
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
  std::vector<u128> moduli;  // a limb for each; of transforms primes = 1 mod 2n, or mod n where they are cyclic
  u32 batch = 1;             // polynomials of each limb
  bool inverse = false;
  bool negacyclic = true;
  bool private_order = false;  // of evaluations
  Machine machine;
  Optimizer optimizer = Optimizer::paper;
  u64 seed = 0;
  u32 tries = 16;    // schedules to choose from; equal requests give equal programs
  u32 together = 0;  // polynomials that go through their passes side by side; 0: all

  [[nodiscard]] u32 polynomials() const noexcept { return static_cast<u32>(moduli.size()) * batch; }
};

inline constexpr const char* kSecondBuffer = "y";  // of transforms; the only operand that is no input

struct KernelPlan : Plan {
  std::vector<std::string> operands;  // the buffers, polynomials() * n words each, in the order of memory
  std::string result;
  BitMap order;  // of the evaluations: the bit of the canonical index at each bit of the position
};

// Refuses a request that cannot be meant, whatever the machine.
void check_request(const KernelRequest& request);

// Of each limb, where the function has transforms.
[[nodiscard]] std::vector<TransformField> fields_of(const KernelRequest& request);

// Polynomial i stands at word i n of every buffer; its limb is i / batch.
[[nodiscard]] std::vector<KernelPlan> kernel_plans(const KernelRequest& request,
                                                   const std::vector<TransformField>& fields);

}  // namespace ringfort::rpu
