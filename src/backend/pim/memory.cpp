// SPDX-License-Identifier: Apache-2.0
#include "backend/pim/memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/buffer.h"
#include "base/secret.h"

namespace ringfort::pim_host {
namespace {

constexpr u32 kMramBytes = 64u << 20;

// Words on their way; they may be secrets.
class Staging {
 public:
  explicit Staging(std::size_t words) : words_(words) {}
  ~Staging() {
    if (words_.size() != 0) wipe(words_.data(), words_.size() * sizeof(u32));
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  [[nodiscard]] u32* at(std::size_t index) noexcept { return words_.data() + index; }

 private:
  AlignedBuffer<u32> words_;
};

// The group of a polynomial whose towers begin with `first`, or none.
constexpr u32 kNone = ~0u;

u32 group_of(const Block& block, std::size_t first, Limbs limbs) noexcept {
  if (limbs.count == 0 || block.dpus[first] == Block::kNowhere) return kNone;
  const u32 group = block.grid.groups == 1 || block.dpus[first] < limbs.first
                        ? 0
                        : (block.dpus[first] - limbs.first) / block.grid.limbs;
  for (u32 l = 0; l < limbs.count; ++l) {
    if (block.dpus[first + l] != block.grid.dpu(group, limbs.first + l)) return kNone;
  }
  return group;
}

// Every word of the view.
bool holds(const Block& block, const View& view) noexcept {
  for (std::size_t p = 0; p < view.batch; ++p) {
    const auto first = block.current.begin() + static_cast<i64>(view.offset / block.n + p * view.step());
    if (std::find(first, first + view.limbs.count, u8{0}) != first + view.limbs.count) return false;
  }
  return true;
}

// Rows of towers as a view has them.
struct RowsOf {
  u32 step, phase, ahead;
  std::size_t first;
  RowsOf(const View& view, u32 n) : first(view.offset / n) {
    // Rows of which a view takes every second or third are its own, one after the other.
    step = skips_rows(view) ? view.limbs.count : static_cast<u32>(view.step());
    const u32 column = static_cast<u32>(first % step);
    phase = column + view.limbs.count > step ? column : 0;
    ahead = (column + step - phase) % step;
  }
  [[nodiscard]] std::size_t row(std::size_t tower) const noexcept { return (tower + (step - phase) % step) / step; }
  [[nodiscard]] u32 column(std::size_t tower) const noexcept { return static_cast<u32>((tower + step - phase) % step); }
};

}  // namespace

std::vector<u32> spread_evenly(std::size_t units, const Grid& grid) {
  const std::size_t share = (units + grid.groups - 1) / grid.groups;
  std::vector<u32> groups(units);
  for (std::size_t u = 0; u < units; ++u) groups[u] = static_cast<u32>(u / share);
  return groups;
}

std::vector<u32> spread_rows(std::size_t rows, const Grid& grid, u32 written) {
  const std::size_t together = written == 3 && rows % 3 == 0 ? 3 : rows % 2 == 0 ? 2 : rows % 3 == 0 ? 3 : 1;
  const std::vector<u32> units = spread_evenly(rows / together, grid);
  std::vector<u32> groups(rows);
  for (std::size_t r = 0; r < rows; ++r) groups[r] = units[r / together];
  return groups;
}

Arena::Arena() : free_{{0, kMramBytes}} {}

Status Arena::take(u32 bytes, u32& place) {
  place = 0;
  if (bytes == 0) return Status::ok;
  for (auto at = free_.begin(); at != free_.end(); ++at) {
    if (at->second < bytes) continue;
    place = at->first;
    const u32 rest = at->second - bytes;
    if (rest != 0) free_[place + bytes] = rest;  // before the other goes: it may throw
    free_.erase(place);
    return Status::ok;
  }
  return Status::out_of_memory;
}

void Arena::give(u32 place, u32 bytes) noexcept {
  if (bytes == 0) return;
  try {
    auto at = free_.emplace(place, bytes).first;
    if (const auto next = std::next(at); next != free_.end() && next->first == place + bytes) {
      at->second += next->second;
      free_.erase(next);
    }
    if (at == free_.begin()) return;
    if (const auto before = std::prev(at); before->first + before->second == place) {
      before->second += at->second;
      free_.erase(at);
    }
  } catch (const std::bad_alloc&) {  // the place is lost to the arena
  }
}

std::vector<u32> Memory::groups_of(Stream s, const View& view, const Grid& grid) const {
  const u32 rank = s.index % system_.ranks(), n = view.plan->n();
  std::vector<u32> best;
  for (const auto& block : buffer_of(view.buffer)->blocks) {
    if (block->rank != rank || block->n != n || block->grid != grid || block->everywhere) continue;
    std::vector<u32> groups;
    for (std::size_t p = 0; p < view.batch; ++p) {
      const u32 group = group_of(*block, view.offset / n + p * view.step(), view.limbs);
      if (group == kNone) break;
      groups.push_back(group);
    }
    if (groups.size() != view.batch) continue;
    if (holds(*block, view)) return groups;
    best = std::move(groups);
  }
  return best;
}

std::vector<u32> Memory::groups_for(Stream s, const View& view, const Grid& grid) const {
  std::vector<u32> groups = groups_of(s, view, grid);
  return groups.empty() ? groups_alone(view, grid) : groups;
}

Block* Memory::find(const View& view, const Wanted& wanted, Use use) const noexcept {
  const u32 n = view.plan->n(), rank = wanted.stream.index % system_.ranks();
  const bool one_group =
      std::all_of(wanted.groups.begin(), wanted.groups.end(), [&](u32 group) { return group == wanted.groups[0]; });
  const auto serves = [&](const Block& block) {
    if (block.rank != rank || block.n != n || block.grid != wanted.grid) return false;
    if (block.everywhere ? use != Use::read : wanted.everywhere && !one_group) return false;
    for (std::size_t p = 0; p < view.batch; ++p) {
      const u32 group = block.everywhere ? 0 : wanted.groups[wanted.everywhere ? 0 : p];
      const std::size_t first = view.offset / n + p * view.step();
      if (group_of(block, first, view.limbs) != group) return false;
      if (p % wanted.each != 0 && !skips_rows(view) && block.slot[first] != block.slot[first - view.step()] + 1)
        return false;
    }
    return true;
  };
  Block* best = nullptr;
  for (const auto& block : buffer_of(view.buffer)->blocks) {
    if (!serves(*block)) continue;
    if (best == nullptr || !holds(*best, view)) best = block.get();
  }
  return best;
}

std::vector<u32> Memory::groups_alone(const View& view, const Grid& grid) {
  const u32 n = view.plan->n();
  const RowsOf rows(view, n);
  const std::vector<u32> all = spread_rows(rows.row(buffer_of(view.buffer)->words / n - 1) + 1, grid, view.batch);
  std::vector<u32> groups;
  for (std::size_t p = 0; p < view.batch; ++p) groups.push_back(all[rows.row(rows.first + p * view.step())]);
  return groups;
}

// A block for the whole buffer in the view's rows. What the view does not have is where it would be by itself.
Status Memory::make(const View& view, const Wanted& wanted, Block*& out) {
  Buffer& buffer = *buffer_of(view.buffer);
  auto block = std::make_unique<Block>();
  block->rank = wanted.stream.index % system_.ranks();
  block->n = view.plan->n();
  block->grid = wanted.grid;
  block->everywhere = wanted.everywhere;
  block->stream = wanted.stream.index;
  const RowsOf rows(view, block->n);
  const std::size_t towers = buffer.words / block->n, count = rows.row(towers - 1) + 1;
  std::vector<u32> groups = wanted.everywhere ? std::vector<u32>(count) : spread_rows(count, wanted.grid, view.batch),
                   filled(wanted.grid.groups), index(count);
  for (std::size_t p = 0; p < view.batch && !wanted.everywhere; ++p)
    groups[rows.row(rows.first + p * view.step())] = wanted.groups[p];
  for (std::size_t r = 0; r < count; ++r) index[r] = filled[groups[r]]++;
  const u32 depth = *std::max_element(filled.begin(), filled.end());
  block->slots = depth * wanted.grid.layers();
  block->dpus.assign(towers, Block::kNowhere);
  block->slot.assign(towers, 0);
  block->current.assign(towers, 0);
  for (std::size_t tower = 0; tower < towers; ++tower) {
    const u32 limb = view.limbs.first + rows.column(tower) - rows.ahead;  // below the first: it wraps, and is none
    if (limb >= wanted.grid.limbs) continue;
    const std::size_t row = rows.row(tower);
    block->dpus[tower] = static_cast<u8>(wanted.grid.dpu(groups[row], limb));
    block->slot[tower] = wanted.grid.layer(limb) * depth + index[row];
  }
  buffer.blocks.reserve(buffer.blocks.size() + 1);
  if (const Status taken = arenas_[block->rank].take(block->words() * 4, block->place); taken != Status::ok)
    return taken;
  out = block.get();
  buffer.blocks.push_back(std::move(block));
  return Status::ok;
}

Status Memory::place(const View& view, const Wanted& wanted, Use use, Operand& out) {
  const u32 n = view.plan->n();
  if (view.offset % n != 0) return Status::unsupported;
  Buffer& buffer = *buffer_of(view.buffer);
  if (const Status moved = evacuate(buffer, n); moved != Status::ok) return moved;
  out.view = view;
  out.groups = wanted.everywhere ? std::vector<u32>(view.batch) : wanted.groups;
  out.block = find(view, wanted, use);
  if (out.block == nullptr) {
    if (const Status made = make(view, wanted, out.block); made != Status::ok) return made;
  }
  if (use != Use::read) out.block->written = true;  // by what the caller does next, even if it fails midway
  if (use == Use::write) return Status::ok;
  std::vector<std::size_t> missing;
  for (std::size_t p = 0; p < view.batch; ++p) {
    for (u32 l = 0; l < view.limbs.count; ++l) {
      if (const std::size_t tower = out.tower(p, l); out.block->current[tower] == 0) missing.push_back(tower);
    }
  }
  return missing.empty() ? Status::ok : fetch(buffer, *out.block, missing);
}

void Memory::wrote(Stream s, const Operand& operand) noexcept {
  Block& block = *operand.block;
  block.stream = s.index;
  for (std::size_t p = 0; p < operand.view.batch; ++p) {
    for (u32 l = 0; l < operand.view.limbs.count; ++l) {
      const std::size_t tower = operand.tower(p, l);
      for (const auto& other : buffer_of(operand.view.buffer)->blocks) {
        if (other->n == block.n) other->current[tower] = 0;
      }
      block.current[tower] = 1;
    }
  }
}

Status Memory::move(u32 rank, u32 n, Way way, std::vector<Move> moves) {
  std::sort(moves.begin(), moves.end(),
            [](const Move& x, const Move& y) { return x.dpu != y.dpu ? x.dpu < y.dpu : x.offset < y.offset; });
  Staging staging(moves.size() * n);
  std::vector<std::size_t> towers;  // the first move of each; others may read the same
  for (std::size_t i = 0; i < moves.size(); ++i) {
    if (i == 0 || moves[i].dpu != moves[i - 1].dpu || moves[i].offset != moves[i - 1].offset) towers.push_back(i);
    if (way == Way::in) std::copy_n(moves[i].words, n, staging.at((towers.size() - 1) * n));
  }
  std::map<std::pair<u32, std::size_t>, std::vector<Piece>> pushes;  // by place and towers
  for (std::size_t begin = 0, end = 0; begin < towers.size(); begin = end) {
    const Move& first = moves[towers[begin]];
    const auto is_next = [&](const Move& move) {
      return move.dpu == first.dpu && move.offset == first.offset + (end - begin) * n * 4;
    };
    for (end = begin + 1; end < towers.size() && is_next(moves[towers[end]]);) ++end;
    pushes[{first.offset, end - begin}].push_back({first.dpu, staging.at(begin * n)});
  }
  for (const auto& [at, pieces] : pushes) {
    const std::size_t bytes = at.second * n * 4;
    const Status status =
        way == Way::in ? system_.push(rank, at.first, bytes, pieces) : system_.pull(rank, at.first, bytes, pieces);
    if (status != Status::ok) return status;
  }
  for (std::size_t tower = 0; tower < towers.size() && way == Way::out; ++tower) {
    const std::size_t end = tower + 1 < towers.size() ? towers[tower + 1] : moves.size();
    for (std::size_t i = towers[tower]; i < end; ++i) std::copy_n(staging.at(tower * n), n, moves[i].words);
  }
  return Status::ok;
}

// towers[i] to words + i n, for every i of `which`.
Status Memory::pull(const Block& block, const std::vector<std::size_t>& towers, const std::vector<std::size_t>& which,
                    u32* words) {
  std::vector<Move> moves;
  for (const std::size_t i : which)
    moves.push_back({block.dpus[towers[i]], block.offset(towers[i]), words + i * block.n});
  return move(block.rank, block.n, Way::out, std::move(moves));
}

// From another block that has them, from what was evacuated, or zeros.
Status Memory::fetch(Buffer& buffer, Block& to, const std::vector<std::size_t>& towers) {
  const std::size_t n = to.n;
  Staging staging(towers.size() * n);
  std::vector<u8> found(towers.size(), 0);
  for (std::size_t i = 0; i < towers.size(); ++i) {
    if (!buffer.evacuated.empty()) std::copy_n(buffer.evacuated.data() + towers[i] * n, n, staging.at(i * n));
  }
  for (const auto& from : buffer.blocks) {  // where two have a tower they agree
    std::vector<std::size_t> there;
    for (std::size_t i = 0; i < towers.size() && from->n == to.n; ++i) {
      if (found[i] == 0 && from->current[towers[i]] != 0) there.push_back(i), found[i] = 1;
    }
    if (const Status status = pull(*from, towers, there, staging.at(0)); status != Status::ok) return status;
  }
  to.written = true;
  std::vector<Move> moves;
  for (std::size_t i = 0; i < towers.size(); ++i) {
    for (u32 g = 0; g < (to.everywhere ? to.grid.groups : 1); ++g)
      moves.push_back({to.dpus[towers[i]] + g * to.grid.limbs, to.offset(towers[i]), staging.at(i * n)});
  }
  if (const Status status = move(to.rank, to.n, Way::in, std::move(moves)); status != Status::ok) return status;
  for (const auto& other : buffer.blocks) {
    if (to.everywhere && !other->everywhere && other->rank == to.rank && other->n == to.n)
      redundant_.push_back({&buffer, other.get()});
  }
  for (const std::size_t tower : towers) to.current[tower] = 1;
  return Status::ok;
}

std::vector<Memory::Redundant> Memory::take_redundant() {
  std::vector<Redundant> found;
  const auto is_known = [&](const Block* block) {
    return std::any_of(found.begin(), found.end(), [&](const Redundant& other) { return other.block == block; });
  };
  for (const Redundant& candidate : std::exchange(redundant_, {})) {
    const Block& block = *candidate.block;
    bool needed = is_known(&block);
    for (std::size_t tower = 0; tower < block.current.size() && !needed; ++tower) {
      const auto has = [&](const auto& other) {
        return other->everywhere && other->rank == block.rank && other->n == block.n && other->current[tower] != 0;
      };
      needed = block.current[tower] != 0 &&
               std::none_of(candidate.buffer->blocks.begin(), candidate.buffer->blocks.end(), has);
    }
    if (!needed) found.push_back(candidate);
  }
  return found;
}

void Memory::drop(const Redundant& block) noexcept {
  if (!block.block->lost) arenas_[block.block->rank].give(block.block->place, block.block->words() * 4);
  std::erase_if(block.buffer->blocks, [&](const auto& one) { return one.get() == block.block; });
}

// Blocks of another degree give their words to the host; it happens where memory is used for rings of two degrees in
// turn.
Status Memory::evacuate(Buffer& buffer, u32 n) {
  for (const auto& block : buffer.blocks) {
    if (block->n == n) continue;
    if (buffer.evacuated.empty()) buffer.evacuated.assign(buffer.words, 0);
    std::vector<std::size_t> all, there;
    for (std::size_t tower = 0; tower < block->current.size(); ++tower) {
      all.push_back(tower);
      if (block->current[tower] != 0) there.push_back(tower);
    }
    if (const Status status = pull(*block, all, there, buffer.evacuated.data()); status != Status::ok) return status;
    std::fill(block->current.begin(), block->current.end(), u8{0});
  }
  return Status::ok;
}

void Memory::add_moves(const Operand& operand, u32* words, std::vector<Move>& to) const {
  const std::size_t n = operand.block->n, limbs = operand.view.limbs.count;
  to.reserve(to.size() + operand.view.batch * limbs);
  for (std::size_t p = 0; p < operand.view.batch; ++p) {
    for (u32 l = 0; l < limbs; ++l)
      to.push_back({operand.dpu(p, l), operand.offset(p, l), words + (p * limbs + l) * n});
  }
}

Status Memory::write(const Operand& to, const u32* words) {
  std::vector<Move> moves;
  add_moves(to, const_cast<u32*>(words), moves);
  return move(to.block->rank, to.block->n, Way::in, std::move(moves));
}

Status Memory::read(const Operand& from, u32* words) {
  std::vector<Move> moves;
  add_moves(from, words, moves);
  return move(from.block->rank, from.block->n, Way::out, std::move(moves));
}

void Memory::forget(Buffer& buffer) noexcept {
  std::erase_if(redundant_, [&](const Redundant& one) { return one.buffer == &buffer; });
  for (const auto& block : buffer.blocks) {
    if (!block->lost) arenas_[block->rank].give(block->place, block->words() * 4);
  }
  buffer.blocks.clear();
  if (!buffer.evacuated.empty()) wipe(buffer.evacuated.data(), buffer.evacuated.size() * sizeof(u32));
}

}  // namespace ringfort::pim_host
