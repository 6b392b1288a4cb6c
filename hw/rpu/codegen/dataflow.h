// SPDX-License-Identifier: Apache-2.0
// The intermediate form between a breakdown rule and the scheduler: operations on vector values, each value written once.
// No registers, no order but that of the data; blocks are executed one after another, operations within a block in any
// order that the data allow. Memory: an operation may touch what an earlier block wrote, but no operation may touch what
// another one of its own block writes.
#pragma once

#include <array>
#include <vector>

#include "sim/instruction.h"

namespace ringfort::rpu {

using ValueId = u32;

// Where a value lives: constants are used by many operations and get register memories of their own.
enum class ValueKind : u8 { data, constant };

struct Operation {
  Op op = Op::vload;
  std::vector<ValueId> sources;  // in the order of the encoding: vs, vt, vt1
  std::vector<ValueId> results;  // vd, vd1
  Mode mode = Mode::linear;      // of loads and stores
  u8 value = 0;
  u32 address = 0;  // word address
};

class Dataflow {
 public:
  void begin_block() { block_starts_.push_back(operations_.size()); }

  ValueId load(u32 address, Mode mode = Mode::linear, u8 value = 0, ValueKind kind = ValueKind::data) {
    const ValueId result = make(kind);
    operations_.push_back({Op::vload, {}, {result}, mode, value, address});
    return result;
  }
  void store(ValueId source, u32 address, Mode mode = Mode::linear, u8 value = 0) {
    operations_.push_back({Op::vstore, {source}, {}, mode, value, address});
  }
  // addend + factor root, addend - factor root
  std::array<ValueId, 2> butterfly(ValueId addend, ValueId factor, ValueId root) {
    const ValueId sum = make(ValueKind::data), difference = make(ValueKind::data);
    operations_.push_back({Op::bfly, {addend, factor, root}, {sum, difference}});
    return {sum, difference};
  }
  // One instruction with two vector sources and one result: a shuffle or a vector operation.
  ValueId combine(Op op, ValueId first, ValueId second) {
    const ValueId result = make(ValueKind::data);
    operations_.push_back({op, {first, second}, {result}});
    return result;
  }

  [[nodiscard]] const std::vector<Operation>& operations() const noexcept { return operations_; }
  [[nodiscard]] const std::vector<ValueKind>& values() const noexcept { return values_; }
  [[nodiscard]] const std::vector<std::size_t>& block_starts() const noexcept { return block_starts_; }

 private:
  ValueId make(ValueKind kind) {
    values_.push_back(kind);
    return static_cast<ValueId>(values_.size() - 1);
  }
  std::vector<Operation> operations_;
  std::vector<ValueKind> values_;
  std::vector<std::size_t> block_starts_;
};

}  // namespace ringfort::rpu
