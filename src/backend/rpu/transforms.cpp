// SPDX-License-Identifier: Apache-2.0
// Makes the kernels of transforms (transforms.h) from the plans of the generator. Finds the exponents of the roots in
// their tables.
#include "backend/rpu/transforms.h"

#include <algorithm>
#include <stdexcept>

#include "backend/rpu/small_transform.h"
#include "codegen/program.h"

namespace ringfort::rpu_host {
namespace {

constexpr u32 kTries = 2;       // schedules of the generator that are tried; further schedules gain less than 2 %
constexpr u32 kPrimeBits = 60;  // length in bits of the prime for generating and verifying a program

// Returns a field whose "powers" are names: the power with exponent e is a number that contains e. A table that is
// generated with this field shows, in each word, which power belongs there.
rpu::TransformField naming_field(u32 n, u32 limb) {
  rpu::TransformField field;
  field.q = rpu::Modulus(~u128{0});
  field.n = n;
  field.inverse_n = u128{1} << 64;
  for (u32 e = 0; e < 2 * n; ++e) field.powers.push_back(u128{limb} << 32 | (e + 1));
  return field;
}

Root root_of(u128 name) {
  Root root;
  root.over_n = name >> 64 != 0;
  const u64 low = static_cast<u64>(root.over_n ? name >> 64 : name);
  root.none = low == 0;
  root.limb = static_cast<u8>(low >> 32);
  root.exponent = root.none ? 0 : static_cast<u32>(low) - 1;
  return root;
}

std::vector<Root> roots_of(const std::vector<u128>& names) {
  std::vector<Root> roots;
  for (const u128 name : names) roots.push_back(root_of(name));
  return roots;
}

// Tells whether the roots are equal to the words in the field.
bool give(const std::vector<Root>& roots, const std::vector<u128>& words, const rpu::TransformField& field) {
  const auto same = [&field](const Root& root, u128 word) {
    if (root.none) return word == 0;
    const u128 power = field.powers[root.exponent];
    return word == (root.over_n ? field.q.multiply(power, field.inverse_n) : power);
  };
  return std::equal(roots.begin(), roots.end(), words.begin(), words.end(), same);
}

// Finds the exponents of the roots of a kernel. It searches the plans of the generator for a plan that has the table
// and the scalars of the program.
void name_roots(Kernel& kernel, const rpu::Program& program, const rpu::KernelRequest& request) {
  std::vector<rpu::TransformField> naming;
  for (u32 t = 0; t < request.moduli.size(); ++t) naming.push_back(naming_field(request.n, t));
  const rpu::TransformField field = rpu::make_field(request.moduli[0], request.n, true);
  for (const rpu::KernelPlan& plan : rpu::kernel_plans(request, naming)) {
    kernel.table = roots_of(plan.table);
    kernel.root_scalars = roots_of(plan.scalars);
    if (give(kernel.table, program.plan.table, field) && give(kernel.root_scalars, program.plan.scalars, field)) return;
  }
  throw std::logic_error("no plan of the generator has the program's table");
}

Kernel generated(u32 n, u32 limbs, bool inverse, const rpu::Machine& machine) {
  rpu::KernelRequest request;
  request.n = n;
  request.moduli.assign(limbs, rpu::largest_prime(kPrimeBits, 2 * n));
  request.inverse = inverse;
  request.machine = machine;
  request.optimizer = rpu::Optimizer::best;
  request.tries = kTries;
  const rpu::Program program = rpu::generate(request);
  std::vector<rpu::Instruction> code;
  for (const u64 word : program.image.code) code.push_back(rpu::decode(word).instruction);
  Boundaries boundaries{0};
  for (u32 operand = 1; operand < program.plan.operands.size(); ++operand) boundaries.push_back(operand * limbs * n);
  if (program.plan.words() > program.plan.table_at) boundaries.push_back(program.plan.table_at);
  boundaries.push_back(program.plan.words());
  Kernel kernel = link(code, boundaries, limbs, static_cast<u32>(program.plan.scalars.size()), machine);
  kernel.scratch = program.plan.operands.size() > 1;
  kernel.result = program.result == "x" ? 0 : 1;
  name_roots(kernel, program, request);
  return kernel;
}

}  // namespace

Kernel transform_kernel(u32 n, u32 limbs, bool inverse, const rpu::Machine& machine) {
  Kernel kernel = n < kLeastWords ? small_transform(n, inverse, machine) : generated(n, limbs, inverse, machine);
  kernel.transforms = true;
  return kernel;
}

}  // namespace ringfort::rpu_host
