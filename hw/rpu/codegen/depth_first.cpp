// SPDX-License-Identifier: Apache-2.0
// Visits the operations of a block from its stores back to their sources. An operation is appended after all its
// sources.
#include "codegen/depth_first.h"

namespace ringfort::rpu {

DepthFirst::DepthFirst(const Dataflow& flow)
    : flow_(&flow),
      maker_(flow.values().size()),
      seen_(flow.operations().size()) {
  for (std::size_t i = 0; i < flow.operations().size(); ++i)
    for (const ValueId result : flow.operations()[i].results) maker_[result] = i;
}

std::vector<std::size_t> DepthFirst::block(std::size_t number) {
  const std::size_t first = flow_->blocks()[number], last = flow_->block_end(number);
  std::vector<std::size_t> order;
  for (std::size_t i = first; i < last; ++i)
    if (flow_->operations()[i].results.empty()) visit(i, first, order);
  for (std::size_t i = first; i < last; ++i) visit(i, first, order);
  return order;
}

void DepthFirst::visit(std::size_t operation, std::size_t first, std::vector<std::size_t>& order) {
  if (operation < first || seen_[operation]) return;
  seen_[operation] = true;
  for (const ValueId source : flow_->operations()[operation].sources) visit(maker_[source], first, order);
  order.push_back(operation);
}

}  // namespace ringfort::rpu
