// SPDX-License-Identifier: Apache-2.0
// What a breakdown rule hands over: the dataflow and the words that it reads beside its input.
#pragma once

#include <vector>

#include "codegen/dataflow.h"

namespace ringfort::rpu {

// The prime field that a transform works in.
struct TransformField {
  Modulus q;
  u128 psi = 0;                   // the minimal primitive 2n-th root of unity
  std::vector<u128> root_powers;  // psi^bitrev(i)
};

// The input stands in the words 0 .. n - 1 of the vector data memory, natural order.
struct TransformPlan {
  Dataflow flow;
  std::vector<u128> table;  // constants, from table_at on
  u32 table_at = 0;
  u32 result_at = 0;  // where the n evaluations stand afterwards, bit-reversed order

  [[nodiscard]] u32 words() const noexcept { return table_at + static_cast<u32>(table.size()); }
};

}  // namespace ringfort::rpu
