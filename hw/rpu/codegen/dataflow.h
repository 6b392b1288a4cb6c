// SPDX-License-Identifier: Apache-2.0
// The intermediate form between a breakdown rule and the scheduler: operations on vector values, each value written once.
// No registers, and no order but that of the data. A pass ends before the next one begins, so that it may read what the
// other has stored; within a pass a word is stored at most once, and loaded only by operations that its store depends on.
// Blocks divide a pass into what fits the registers; a scheduler may work on several at a time.
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

struct Block {
  std::size_t first = 0;  // its operations end where the next block begins
  u32 pass = 0;
};

class Dataflow {
 public:
  void begin_pass() { ++pass_; }
  void begin_block() { blocks_.push_back({operations_.size(), pass_}); }

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
  [[nodiscard]] const std::vector<Block>& blocks() const noexcept { return blocks_; }

 private:
  ValueId make(ValueKind kind) {
    values_.push_back(kind);
    return static_cast<ValueId>(values_.size() - 1);
  }
  std::vector<Operation> operations_;
  std::vector<ValueKind> values_;
  std::vector<Block> blocks_;
  u32 pass_ = 0;
};

}  // namespace ringfort::rpu
