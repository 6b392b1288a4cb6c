// SPDX-License-Identifier: Apache-2.0
// Orders the operations of a block (dataflow.h) so that each operation comes shortly before the first operation that
// reads its results. This order frees registers early. The caller requests the order of one block after another. An
// operation that was returned for an earlier block is not returned again.
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
  std::vector<std::size_t> maker_;  // for each value: the operation that computes it
  std::vector<bool> seen_;          // by operation
};

}  // namespace ringfort::rpu
