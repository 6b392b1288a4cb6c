// SPDX-License-Identifier: Apache-2.0
// Walks through the operations in depth-first order. Only a limited number of values may be in registers. Inserts
// stores and loads for the others.
#include "codegen/spill.h"

#include <algorithm>
#include <map>

#include "codegen/depth_first.h"

namespace ringfort::rpu {
namespace {

class Spiller {
 public:
  Spiller(const Plan& plan, u32 registers) : before_(plan), after_(plan), registers_(registers) {
    after_.flow = {};
    const auto& operations = plan.flow.operations();
    DepthFirst order(plan.flow);
    for (std::size_t block = 0; block < plan.flow.blocks().size(); ++block) {
      begins_.push_back(order_.size());
      for (const std::size_t i : order.block(block)) order_.push_back(i);
    }
    uses_.resize(plan.flow.values().size());
    for (std::size_t k = 0; k < order_.size(); ++k)
      for (const ValueId source : operations[order_[k]].sources) uses_[source].push_back(k);
  }

  Plan spill_values() {
    for (now_ = 0; now_ < order_.size(); ++now_) {
      if (std::binary_search(begins_.begin(), begins_.end(), now_)) after_.flow.begin_block();
      const Operation& operation = before_.flow.operations()[order_[now_]];
      for (const ValueId source : operation.sources) bring(source, operation);
      make_room(operation, static_cast<u32>(operation.results.size()));
      const std::vector<ValueId> results = after_.flow.repeat(operation, inside_, before_.flow.values());
      for (std::size_t k = 0; k < results.size(); ++k) {
        inside_[operation.results[k]] = results[k];
        if (operation.op == Op::vload && operation.address >= before_.table_at)
          origin_[operation.results[k]] = &operation;
      }
      std::erase_if(inside_, [this](const auto& entry) { return next_use(entry.first, now_ + 1) == kNever; });
    }
    after_.scratch_words = static_cast<u32>(slots_.size()) * kVectorLength;
    return std::move(after_);
  }

 private:
  static constexpr std::size_t kNever = ~std::size_t{0};

  [[nodiscard]] std::size_t next_use(ValueId value, std::size_t from) const {
    const auto use = std::lower_bound(uses_[value].begin(), uses_[value].end(), from);
    return use == uses_[value].end() ? kNever : *use;
  }

  void bring(ValueId value, const Operation& operation) {
    if (inside_.contains(value)) return;
    make_room(operation, 1);
    const auto origin = origin_.find(value);
    if (origin == origin_.end()) {
      inside_[value] = after_.flow.load(before_.words() + kVectorLength * slots_.at(value));
      return;
    }
    const Operation& load = *origin->second;
    inside_[value] = after_.flow.load(load.address, load.mode, load.value, before_.flow.values()[value]);
  }

  void make_room(const Operation& operation, u32 count) {
    const auto is_data = [this](ValueId value) { return before_.flow.values()[value] == ValueKind::data; };
    const auto inside = [&] {
      return std::count_if(inside_.begin(), inside_.end(), [&](const auto& entry) { return is_data(entry.first); });
    };
    while (static_cast<u32>(inside()) + count > registers_) {
      auto victim = inside_.end();
      for (auto entry = inside_.begin(); entry != inside_.end(); ++entry) {
        const auto& sources = operation.sources;
        if (!is_data(entry->first) || std::find(sources.begin(), sources.end(), entry->first) != sources.end())
          continue;
        if (victim == inside_.end() || next_use(entry->first, now_) > next_use(victim->first, now_)) victim = entry;
      }
      if (victim == inside_.end()) return;
      leave(victim->first, victim->second);
      inside_.erase(victim);
    }
  }

  void leave(ValueId value, ValueId name_after) {
    if (origin_.contains(value) || slots_.contains(value)) return;
    const auto slot = static_cast<u32>(slots_.size());
    slots_[value] = slot;
    after_.flow.store(name_after, before_.words() + kVectorLength * slot);
  }

  const Plan& before_;
  Plan after_;
  u32 registers_;
  std::vector<std::size_t> begins_;  // positions in order_ at which blocks begin
  std::vector<std::size_t> order_;
  std::vector<std::vector<std::size_t>> uses_;  // for each value: positions of its readers in order_
  std::size_t now_ = 0;
  std::map<ValueId, ValueId> inside_;  // the values in registers: from their names in before_ to their names in after_
  std::map<ValueId, const Operation*> origin_;  // the loads that read constants
  std::map<ValueId, u32> slots_;                // where stored values are, in vectors behind the plan's words
};

}  // namespace

Plan spilled(const Plan& plan, u32 registers) { return Spiller(plan, registers).spill_values(); }

}  // namespace ringfort::rpu
