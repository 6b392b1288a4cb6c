// SPDX-License-Identifier: Apache-2.0
// The intermediate form of a program. A breakdown rule (rules.h) says how a transform is divided into steps, a dataflow
// has the operations of these steps, and a scheduler turns the operations into instructions. The operands and results
// are vector values, in static single assignment: each value is computed once. A dataflow has no registers. The order
// of two operations matters in two cases: one reads a result of the other, or both access the same words of memory, and
// one of them stores. A load returns the words of the last store before it. A program consists of blocks. If the values
// of a block do not fit in the registers, some move to memory (fit.h). A scheduler may work on several blocks at a
// time. hw/rpu/README.md explains the terms.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "sim/instruction.h"

namespace ringfort::rpu {

using ValueId = u32;

// Kind of a value. Different sources of an instruction must be in different register memories. Many operations read the
// same constant. Therefore constants can have memories of their own, which they never share with data.
enum class ValueKind : u8 { data, constant };

struct Operation {
  Op op = Op::vload;
  std::vector<ValueId> sources;  // in the order of the encoding: vs, vt, vt1
  std::vector<ValueId> results;  // vd, vd1
  Mode mode = Mode::linear;      // for loads and stores only
  u8 value = 0;
  u32 address = 0;  // in words
  u8 modulus = 0;   // for arithmetic: the numbers of the modulus register and of the scalar register
  u8 scalar = 0;
};

class Dataflow {
 public:
  void begin_block() { blocks_.push_back(operations_.size()); }

  ValueId load(u32 address, Mode mode = Mode::linear, u8 value = 0, ValueKind kind = ValueKind::data) {
    const ValueId result = make(kind);
    operations_.push_back({Op::vload, {}, {result}, mode, value, address});
    return result;
  }
  void store(ValueId source, u32 address, Mode mode = Mode::linear, u8 value = 0) {
    operations_.push_back({Op::vstore, {source}, {}, mode, value, address});
  }
  // Adds a butterfly. Returns addend + factor * root and addend - factor * root.
  std::array<ValueId, 2> butterfly(ValueId addend, ValueId factor, ValueId root, u8 modulus) {
    const ValueId sum = make(ValueKind::data), difference = make(ValueKind::data);
    operations_.push_back({Op::bfly, {addend, factor, root}, {sum, difference}, Mode::linear, 0, 0, modulus});
    return {sum, difference};
  }
  // Adds an instruction with two vector sources and one result: a shuffle or a vector operation.
  ValueId combine(Op op, ValueId first, ValueId second, u8 modulus = 0) {
    const ValueId result = make(ValueKind::data);
    operations_.push_back({op, {first, second}, {result}, Mode::linear, 0, 0, modulus});
    return result;
  }
  // Adds an operation on a vector and a scalar register.
  ValueId scaled(Op op, ValueId source, u8 scalar, u8 modulus) {
    const ValueId result = make(ValueKind::data);
    operations_.push_back({op, {source}, {result}, Mode::linear, 0, 0, modulus, scalar});
    return result;
  }

  // Adds a copy of an operation of another dataflow, and returns its results. `names` maps each value of the other
  // dataflow to a value of this dataflow. `kinds` has the kind of each value of the other dataflow.
  template <class Names>
  std::vector<ValueId> repeat(Operation operation, const Names& names, const std::vector<ValueKind>& kinds) {
    for (ValueId& source : operation.sources) source = names.at(source);
    for (ValueId& result : operation.results) result = make(kinds[result]);
    operations_.push_back(operation);
    return operation.results;
  }

  [[nodiscard]] const std::vector<Operation>& operations() const noexcept { return operations_; }
  [[nodiscard]] const std::vector<ValueKind>& values() const noexcept { return values_; }
  // Returns the index of the first operation of each block. A block ends where the next block begins.
  [[nodiscard]] const std::vector<std::size_t>& blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::size_t block_end(std::size_t block) const noexcept {
    return block + 1 < blocks_.size() ? blocks_[block + 1] : operations_.size();
  }

 private:
  ValueId make(ValueKind kind) {
    values_.push_back(kind);
    return static_cast<ValueId>(values_.size() - 1);
  }
  std::vector<Operation> operations_;
  std::vector<ValueKind> values_;
  std::vector<std::size_t> blocks_;
};

}  // namespace ringfort::rpu
