// SPDX-License-Identifier: Apache-2.0
// Checks a request for a generated program (kernels.h).
#include "codegen/kernels.h"
#include "sim/refusal.h"

namespace ringfort::rpu {

void check_request(const KernelRequest& request) {
  if (request.n < kLeastTransform || request.n > kLargestTransform || !std::has_single_bit(request.n))
    throw Refusal("n = " + std::to_string(request.n) + " is not a power of two in 1024 .. 131072",
                  "choose one of them");
  if (request.tries == 0) throw Refusal("the number of tries is 0", "ask for at least one");
  if (request.moduli.empty() || request.moduli.size() > kRegisters)
    throw Refusal(std::to_string(request.moduli.size()) + " moduli were given", "give 1 .. 64, one for each limb");
  for (const u128 modulus : request.moduli)
    if (modulus < 2) throw Refusal("a modulus is below 2", "choose a larger one");
  if (request.batch == 0) throw Refusal("the batch is empty", "ask for at least one polynomial");
}

std::vector<TransformField> fields_of(const KernelRequest& request) {
  std::vector<TransformField> fields;
  if (!transforms(request.function)) return fields;
  for (const u128 modulus : request.moduli) fields.push_back(make_field(modulus, request.n, request.negacyclic));
  return fields;
}

}  // namespace ringfort::rpu
