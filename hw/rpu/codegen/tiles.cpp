// SPDX-License-Identifier: Apache-2.0
// Divides the blocks of a plan into tiles within the limits of tiles.h. Then gives the constants their new order.
#include "codegen/tiles.h"

#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include "codegen/flow_facts.h"

namespace ringfort::rpu {
namespace {

bool is_memory(const Operation& operation) { return pipe_of(operation) == Pipe::load_store; }

// Returns the number of words from the first to the last word that the operation accesses, rounded up to a power of
// two.
u32 span_of(const Operation& operation) {
  if (operation.mode == Mode::repeat) return 1U << operation.value;
  return std::bit_ceil(static_cast<u32>(element_offset(operation.mode, operation.value, kVectorLength - 1)) + 1);
}

class Tiler {
 public:
  Tiler(const Plan& plan, const TileLimits& limits) : plan_(plan), limits_(limits) {
    for (const Operation& operation : plan.flow.operations())
      if (is_memory(operation) && operation.address < plan.table_at)
        result_.page_words = std::max(result_.page_words, span_of(operation));
    maker_.resize(plan.flow.values().size());
    for (const Operation& operation : plan.flow.operations())
      for (const ValueId value : operation.results) maker_[value] = &operation;
  }

  Tiling cut_tiles() {
    for (std::size_t block = 0; block < plan_.flow.blocks().size(); ++block) add_block(block);
    lay_out_table();
    for (ProgramTile& tile : result_.tiles) finish(tile);
    find_filled();
    return std::move(result_);
  }

 private:
  struct Constant {
    u32 words = 0;
    u32 first_tile = 0, last_tile = 0;
    u32 address = 0;  // address in the table of the tiling
  };

  // Adds the block to the last tile. If the tile would exceed a limit, begins a new tile.
  void add_block(std::size_t block) {
    const std::size_t begin = plan_.flow.blocks()[block], end = plan_.flow.block_end(block);
    std::set<u32> data = data_;
    std::map<u32, u32> constants = constants_;
    for (std::size_t i = begin; i < end; ++i) count(plan_.flow.operations()[i], data, constants);
    const bool full = operations_ + (end - begin) > limits_.operations || words_of(data, constants) > limits_.words;
    if (result_.tiles.empty() || (full && operations_ != 0)) {
      result_.tiles.emplace_back();
      operations_ = 0;
      data_.clear();
      constants_.clear();
      known_.clear();
    }
    operations_ += end - begin;
    result_.tiles.back().blocks.emplace_back();
    for (std::size_t i = begin; i < end; ++i) add(plan_.flow.operations()[i]);
  }

  // Adds an operation. If an earlier tile has left a constant in a register, loads the constant again.
  void add(const Operation& operation) {
    for (const ValueId source : operation.sources)
      if (!known_.contains(source)) {
        if (maker_[source]->op != Op::vload || maker_[source]->address < plan_.table_at)
          throw std::logic_error("a block uses data of an earlier one");
        add(*maker_[source]);
      }
    for (const ValueId value : operation.results) known_.insert(value);
    count(operation, data_, constants_);
    const auto tile = static_cast<u32>(result_.tiles.size() - 1);
    if (is_memory(operation) && operation.address >= plan_.table_at) {
      const auto [entry, inserted] = table_.try_emplace(operation.address, Constant{span_of(operation), tile});
      entry->second.last_tile = tile;
    }
    result_.tiles.back().blocks.back().push_back(operation);
  }

  void count(const Operation& operation, std::set<u32>& data, std::map<u32, u32>& constants) const {
    for (const ValueId source : operation.sources)
      if (maker_[source]->address >= plan_.table_at && maker_[source]->op == Op::vload)
        constants[maker_[source]->address] = span_of(*maker_[source]);
    if (is_memory(operation) && operation.address < plan_.table_at) data.insert(operation.address / result_.page_words);
  }

  [[nodiscard]] u32 words_of(const std::set<u32>& data, const std::map<u32, u32>& constants) const {
    u32 words = result_.page_words * static_cast<u32>(data.size());
    for (const auto& [address, count] : constants) words += count;
    return words;
  }

  // Sorts constants by the tiles that need them. Constants of the same tiles are sorted by length, longest first. Each
  // constant is at a multiple of its length.
  void lay_out_table() {
    std::vector<std::pair<const u32, Constant>*> order;
    for (auto& entry : table_) order.push_back(&entry);
    std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
      const auto key = [](const auto* e) {
        return std::tuple(e->second.first_tile, e->second.last_tile, ~e->second.words, e->first);
      };
      return key(a) < key(b);
    });
    for (auto* entry : order) {
      Constant& constant = entry->second;
      while (result_.table.size() % constant.words != 0) result_.table.push_back(0);
      constant.address = plan_.table_at + static_cast<u32>(result_.table.size());
      const auto from = plan_.table.begin() + (entry->first - plan_.table_at);
      result_.table.insert(result_.table.end(), from, from + constant.words);
    }
  }

  void finish(ProgramTile& tile) {
    std::map<u32, bool> pages;
    for (auto& block : tile.blocks)
      for (Operation& operation : block) {
        if (!is_memory(operation)) continue;
        if (operation.address >= plan_.table_at) operation.address = table_.at(operation.address).address;
        const u32 last = operation.address + element_offset(operation.mode, operation.value, kVectorLength - 1);
        const u32 page = operation.address / result_.page_words;
        if (last / result_.page_words != page) throw std::logic_error("a load or store crosses pages");
        pages[page] |= operation.op == Op::vstore;
      }
    for (const auto& [page, writes] : pages) tile.pages.push_back({page, writes});
  }

  void find_filled() {
    std::vector<bool> stored(plan_.table_at);
    const u32 words = plan_.table_at + static_cast<u32>(result_.table.size());
    result_.filled.resize((words + result_.page_words - 1) / result_.page_words);
    for (u32 page = plan_.table_at / result_.page_words; page < result_.filled.size(); ++page)
      result_.filled[page] = true;
    for (const Operation& operation : plan_.flow.operations()) {
      if (!is_memory(operation) || operation.address >= plan_.table_at) continue;
      for (u32 i = 0; i < kVectorLength; ++i) {
        const u32 word = operation.address + element_offset(operation.mode, operation.value, i);
        if (operation.op == Op::vstore) stored[word] = true;
        else if (!stored[word]) result_.filled[word / result_.page_words] = true;
      }
    }
  }

  const Plan& plan_;
  TileLimits limits_;
  Tiling result_;
  std::vector<const Operation*> maker_;  // for each value: the operation that computes it
  std::map<u32, Constant> table_;        // by address in the table of the plan
  std::size_t operations_ = 0;           // of the last tile, like the members below
  std::set<u32> data_;
  std::map<u32, u32> constants_;
  std::set<ValueId> known_;
};

}  // namespace

Tiling tiled(const Plan& plan, const TileLimits& limits) { return Tiler(plan, limits).cut_tiles(); }

}  // namespace ringfort::rpu
