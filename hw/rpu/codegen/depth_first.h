// SPDX-License-Identifier: Apache-2.0
// The operations of a block in an order in which what an operation needs stands right before it, so that registers
// become free early. Blocks are asked for in turn; operations of earlier ones are not repeated.
#pragma once

#include "codegen/dataflow.h"

namespace ringfort::rpu {

class DepthFirst {
 public:
  // `flow` must outlive this object and its copies.
  explicit DepthFirst(const Dataflow& flow);

  [[nodiscard]] std::vector<std::size_t> block(std::size_t number);

 private:
  void visit(std::size_t operation, std::size_t first, std::vector<std::size_t>& order);

  const Dataflow* flow_;
  std::vector<std::size_t> maker_;  // by value
  std::vector<bool> seen_;          // by operation
};

}  // namespace ringfort::rpu
