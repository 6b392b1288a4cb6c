// SPDX-License-Identifier: Apache-2.0
// Brings polynomials to MRAM (memory.h). The code finds or makes the allocation that a verb needs. It copies words
// between ranks, between groups, and between the DPUs and the host.
#include "backend/pim/memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "backend/pim/plan.h"
#include "base/buffer.h"
#include "base/secret.h"

namespace ringfort::pim_host {
namespace {

constexpr u32 kMramBytes = 64u << 20;

// Words on the host during a copy. The destructor wipes them, because they may be secret.
class Staging {
 public:
  explicit Staging(std::size_t words) : words_(words) {}
  ~Staging() {
    if (words_.size() != 0) wipe(words_.data(), words_.size() * sizeof(u32));
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  [[nodiscard]] u32* words_at(std::size_t index) noexcept { return words_.data() + index; }

 private:
  AlignedBuffer<u32> words_;
};

constexpr u32 kNone = ~0u;

Extent extent_of(const View& view) noexcept { return plan_of(view).extent(); }

// Returns the group of the polynomial whose first limb has index `first`. Returns kNone if its limbs are not in one
// group.
u32 group_of(const Allocation& allocation, std::size_t first, Limbs limbs) noexcept {
  if (limbs.count == 0 || allocation.dpus[first] == Allocation::kNowhere) return kNone;
  const u32 group = allocation.grid.groups == 1 || allocation.dpus[first] < limbs.first
                        ? 0
                        : (allocation.dpus[first] - limbs.first) / allocation.grid.limbs;
  for (u32 l = 0; l < limbs.count; ++l) {
    if (allocation.dpus[first + l] != allocation.grid.dpu(group, limbs.first + l)) return kNone;
  }
  return group;
}

// Tells whether an allocation has all words of the view.
bool holds(const Allocation& allocation, const View& view) noexcept {
  for (std::size_t p = 0; p < view.batch; ++p) {
    const auto first =
        allocation.current.begin() + static_cast<i64>(view.offset / allocation.extent.n + p * view.limb_stride());
    if (std::find(first, first + view.limbs.count, u8{0}) != first + view.limbs.count) return false;
  }
  return true;
}

// The rows into which a view divides the limbs of its buffer. A row has `step` limbs. Rows begin at the limb indices
// that are `phase` modulo `step`. The view begins at limb `ahead` of its rows.
struct RowsOf {
  u32 step, phase, ahead;
  std::size_t first;
  RowsOf(const View& view, u32 n) : first(view.offset / n) {
    // A view may take only every second or third row. Then its stride is longer than a row, and a row has as many limbs
    // as the view.
    step = skips_rows(view) ? view.limbs.count : static_cast<u32>(view.limb_stride());
    const u32 column = static_cast<u32>(first % step);
    phase = column + view.limbs.count > step ? column : 0;
    ahead = (column + step - phase) % step;
  }
  [[nodiscard]] std::size_t row(std::size_t limb_index) const noexcept {
    return (limb_index + (step - phase) % step) / step;
  }
  [[nodiscard]] u32 column(std::size_t limb_index) const noexcept {
    return static_cast<u32>((limb_index + step - phase) % step);
  }
};

}  // namespace

void Extent::widen(const u32* host, u32* words, std::size_t limbs) const noexcept {
  if (word_bytes == host_word_bytes) {
    std::copy_n(host, limbs * this->words(), words);
    return;
  }
  for (std::size_t i = 0; i < limbs * n; ++i) words[2 * i] = host[i], words[2 * i + 1] = 0;
}

void Extent::narrow(const u32* words, u32* host, std::size_t limbs) const noexcept {
  if (word_bytes == host_word_bytes) {
    std::copy_n(words, limbs * this->words(), host);
    return;
  }
  for (std::size_t i = 0; i < limbs * n; ++i) host[i] = words[2 * i];
}

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

Status Arena::allocate(u32 bytes, u32& offset) {
  offset = 0;
  if (bytes == 0) return Status::ok;
  for (auto at = free_.begin(); at != free_.end(); ++at) {
    if (at->second < bytes) continue;
    offset = at->first;
    const u32 remaining = at->second - bytes;
    if (remaining != 0) free_[offset + bytes] = remaining;  // before erase(), because this statement may throw
    free_.erase(offset);
    return Status::ok;
  }
  return Status::out_of_memory;
}

void Arena::release(u32 offset, u32 bytes) noexcept {
  if (bytes == 0) return;
  try {
    auto at = free_.emplace(offset, bytes).first;
    if (const auto next = std::next(at); next != free_.end() && next->first == offset + bytes) {
      at->second += next->second;
      free_.erase(next);
    }
    if (at == free_.begin()) return;
    if (const auto before = std::prev(at); before->first + before->second == offset) {
      before->second += at->second;
      free_.erase(at);
    }
  } catch (const std::bad_alloc&) {  // without memory for the entry, the range is never used again
  }
}

std::vector<u32> Memory::groups_of(Stream s, const View& view, const Grid& grid) const {
  const u32 rank = s.index % system_.ranks(), n = view.plan->n();
  const Extent extent = extent_of(view);
  std::vector<u32> best;
  for (const auto& allocation : buffer_of(view.buffer)->allocations) {
    if (allocation->rank != rank || allocation->extent != extent || allocation->grid != grid || allocation->everywhere)
      continue;
    std::vector<u32> groups;
    for (std::size_t p = 0; p < view.batch; ++p) {
      const u32 group = group_of(*allocation, view.offset / n + p * view.limb_stride(), view.limbs);
      if (group == kNone) break;
      groups.push_back(group);
    }
    if (groups.size() != view.batch) continue;
    if (holds(*allocation, view)) return groups;
    best = std::move(groups);
  }
  return best;
}

std::vector<u32> Memory::groups_for(Stream s, const View& view, const Grid& grid) const {
  std::vector<u32> groups = groups_of(s, view, grid);
  return groups.empty() ? groups_alone(view, grid) : groups;
}

Allocation* Memory::find(const View& view, const PlacementRequest& wanted, Use use) const noexcept {
  const u32 n = view.plan->n(), rank = wanted.stream.index % system_.ranks();
  const Extent extent = extent_of(view);
  const bool one_group =
      std::all_of(wanted.groups.begin(), wanted.groups.end(), [&](u32 group) { return group == wanted.groups[0]; });
  const auto serves = [&](const Allocation& allocation) {
    if (allocation.rank != rank || allocation.extent != extent || allocation.grid != wanted.grid) return false;
    if (allocation.everywhere ? use != Use::read : wanted.everywhere && !one_group) return false;
    for (std::size_t p = 0; p < view.batch; ++p) {
      const u32 group = allocation.everywhere ? 0 : wanted.groups[wanted.everywhere ? 0 : p];
      const std::size_t first = view.offset / n + p * view.limb_stride();
      if (group_of(allocation, first, view.limbs) != group) return false;
      if (p % wanted.each != 0 && !skips_rows(view) &&
          allocation.slot[first] != allocation.slot[first - view.limb_stride()] + 1)
        return false;
    }
    return true;
  };
  Allocation* best = nullptr;
  for (const auto& allocation : buffer_of(view.buffer)->allocations) {
    if (!serves(*allocation)) continue;
    if (best == nullptr || !holds(*best, view)) best = allocation.get();
  }
  return best;
}

std::vector<u32> Memory::groups_alone(const View& view, const Grid& grid) {
  const RowsOf rows(view, view.plan->n());
  const std::size_t limbs = buffer_of(view.buffer)->bytes / extent_of(view).host_bytes();
  const std::vector<u32> all = spread_rows(rows.row(limbs - 1) + 1, grid, view.batch);
  std::vector<u32> groups;
  for (std::size_t p = 0; p < view.batch; ++p) groups.push_back(all[rows.row(rows.first + p * view.limb_stride())]);
  return groups;
}

// Makes an allocation for the whole buffer. The view determines the groups of its own rows. spread_rows() chooses the
// groups of the other rows.
Status Memory::make(const View& view, const PlacementRequest& wanted, Allocation*& out) {
  Buffer& buffer = *buffer_of(view.buffer);
  auto allocation = std::make_unique<Allocation>();
  allocation->rank = wanted.stream.index % system_.ranks();
  allocation->extent = extent_of(view);
  allocation->grid = wanted.grid;
  allocation->everywhere = wanted.everywhere;
  allocation->stream = wanted.stream.index;
  const RowsOf rows(view, allocation->extent.n);
  const std::size_t limbs = buffer.bytes / allocation->extent.host_bytes(), count = rows.row(limbs - 1) + 1;
  std::vector<u32> groups = wanted.everywhere ? std::vector<u32>(count) : spread_rows(count, wanted.grid, view.batch),
                   filled(wanted.grid.groups), index(count);
  for (std::size_t p = 0; p < view.batch && !wanted.everywhere; ++p)
    groups[rows.row(rows.first + p * view.limb_stride())] = wanted.groups[p];
  for (std::size_t r = 0; r < count; ++r) index[r] = filled[groups[r]]++;
  const u32 depth = *std::max_element(filled.begin(), filled.end());
  allocation->slots = depth * wanted.grid.layers();
  allocation->dpus.assign(limbs, Allocation::kNowhere);
  allocation->slot.assign(limbs, 0);
  allocation->current.assign(limbs, 0);
  for (std::size_t limb_index = 0; limb_index < limbs; ++limb_index) {
    const u32 limb = view.limbs.first + rows.column(limb_index) - rows.ahead;  // wraps if negative; then it is skipped
    if (limb >= wanted.grid.limbs) continue;
    const std::size_t row = rows.row(limb_index);
    allocation->dpus[limb_index] = static_cast<u8>(wanted.grid.dpu(groups[row], limb));
    allocation->slot[limb_index] = wanted.grid.layer(limb) * depth + index[row];
  }
  buffer.allocations.reserve(buffer.allocations.size() + 1);
  if (const Status taken = arenas_[allocation->rank].allocate(allocation->bytes(), allocation->start);
      taken != Status::ok)
    return taken;
  out = allocation.get();
  buffer.allocations.push_back(std::move(allocation));
  return Status::ok;
}

Status Memory::bring(const View& view, const PlacementRequest& wanted, Use use, Operand& out) {
  if (view.offset % view.plan->n() != 0) return Status::unsupported;
  Buffer& buffer = *buffer_of(view.buffer);
  if (const Status moved = evacuate(buffer, extent_of(view)); moved != Status::ok) return moved;
  out.view = view;
  out.groups = wanted.everywhere ? std::vector<u32>(view.batch) : wanted.groups;
  out.allocation = find(view, wanted, use);
  if (out.allocation == nullptr) {
    if (const Status status = make(view, wanted, out.allocation); status != Status::ok) return status;
  }
  if (use != Use::read) out.allocation->written = true;  // set first, because the write may fail in the middle
  if (use == Use::write) return Status::ok;
  std::vector<std::size_t> missing;
  for (std::size_t p = 0; p < view.batch; ++p) {
    for (u32 l = 0; l < view.limbs.count; ++l) {
      if (const std::size_t limb_index = out.limb_index(p, l); out.allocation->current[limb_index] == 0)
        missing.push_back(limb_index);
    }
  }
  return missing.empty() ? Status::ok : fetch(buffer, *out.allocation, missing);
}

void Memory::wrote(Stream s, const Operand& operand) noexcept {
  Allocation& allocation = *operand.allocation;
  allocation.stream = s.index;
  for (std::size_t p = 0; p < operand.view.batch; ++p) {
    for (u32 l = 0; l < operand.view.limbs.count; ++l) {
      const std::size_t limb_index = operand.limb_index(p, l);
      for (const auto& other : buffer_of(operand.view.buffer)->allocations) {
        if (other->extent == allocation.extent) other->current[limb_index] = 0;
      }
      allocation.current[limb_index] = 1;
    }
  }
}

Status Memory::move(u32 rank, Extent extent, Direction direction, std::vector<Move> moves) {
  const std::size_t n = extent.words();
  std::sort(moves.begin(), moves.end(),
            [](const Move& x, const Move& y) { return x.dpu != y.dpu ? x.dpu < y.dpu : x.offset < y.offset; });
  Staging staging(moves.size() * n);
  std::vector<std::size_t> limbs;  // the first move of each limb; later moves may read the same limb
  for (std::size_t i = 0; i < moves.size(); ++i) {
    if (i == 0 || moves[i].dpu != moves[i - 1].dpu || moves[i].offset != moves[i - 1].offset) limbs.push_back(i);
    if (direction == Direction::in) std::copy_n(moves[i].words, n, staging.words_at((limbs.size() - 1) * n));
  }
  std::map<std::pair<u32, std::size_t>, std::vector<TransferBuffer>> pushes;  // key: offset, number of limbs
  for (std::size_t begin = 0, end = 0; begin < limbs.size(); begin = end) {
    const Move& first = moves[limbs[begin]];
    const auto is_next = [&](const Move& move) {
      return move.dpu == first.dpu && move.offset == first.offset + (end - begin) * n * 4;
    };
    for (end = begin + 1; end < limbs.size() && is_next(moves[limbs[end]]);) ++end;
    pushes[{first.offset, end - begin}].push_back({first.dpu, staging.words_at(begin * n)});
  }
  for (const auto& [at, buffers] : pushes) {
    const std::size_t bytes = at.second * n * 4;
    const Status status = direction == Direction::in ? system_.push(rank, at.first, bytes, buffers)
                                                     : system_.pull(rank, at.first, bytes, buffers);
    if (status != Status::ok) return status;
  }
  for (std::size_t limb_index = 0; limb_index < limbs.size() && direction == Direction::out; ++limb_index) {
    const std::size_t end = limb_index + 1 < limbs.size() ? limbs[limb_index + 1] : moves.size();
    for (std::size_t i = limbs[limb_index]; i < end; ++i)
      std::copy_n(staging.words_at(limb_index * n), n, moves[i].words);
  }
  return Status::ok;
}

// For every i of `which`, copies the limb with index limbs[i] to words + i n.
Status Memory::pull(const Allocation& allocation, const std::vector<std::size_t>& limbs,
                    const std::vector<std::size_t>& which, u32* words) {
  std::vector<Move> moves;
  for (const std::size_t i : which)
    moves.push_back({allocation.dpus[limbs[i]], allocation.offset(limbs[i]), words + i * allocation.extent.words()});
  return move(allocation.rank, allocation.extent, Direction::out, std::move(moves));
}

// Fills limbs of `to` from another allocation, from words on the host, or with zeros.
Status Memory::fetch(Buffer& buffer, Allocation& to, const std::vector<std::size_t>& limbs) {
  const std::size_t n = to.extent.words();
  Staging staging(limbs.size() * n);
  std::vector<u8> found(limbs.size(), 0);
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    if (!buffer.evacuated.empty())
      to.extent.widen(buffer.evacuated.data() + limbs[i] * to.extent.host_words(), staging.words_at(i * n), 1);
  }
  for (const auto& from : buffer.allocations) {  // all current copies of a limb are equal
    std::vector<std::size_t> there;
    for (std::size_t i = 0; i < limbs.size() && from->extent == to.extent; ++i) {
      if (found[i] == 0 && from->current[limbs[i]] != 0) there.push_back(i), found[i] = 1;
    }
    if (const Status status = pull(*from, limbs, there, staging.words_at(0)); status != Status::ok) return status;
  }
  to.written = true;
  std::vector<Move> moves;
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    for (u32 g = 0; g < (to.everywhere ? to.grid.groups : 1); ++g)
      moves.push_back({to.dpus[limbs[i]] + g * to.grid.limbs, to.offset(limbs[i]), staging.words_at(i * n)});
  }
  if (const Status status = move(to.rank, to.extent, Direction::in, std::move(moves)); status != Status::ok)
    return status;
  for (const auto& other : buffer.allocations) {
    if (to.everywhere && !other->everywhere && other->rank == to.rank && other->extent == to.extent)
      redundant_.push_back({&buffer, other.get()});
  }
  for (const std::size_t limb_index : limbs) to.current[limb_index] = 1;
  return Status::ok;
}

std::vector<Memory::Redundant> Memory::take_redundant() {
  std::vector<Redundant> found;
  const auto is_known = [&](const Allocation* allocation) {
    return std::any_of(found.begin(), found.end(),
                       [&](const Redundant& other) { return other.allocation == allocation; });
  };
  for (const Redundant& candidate : std::exchange(redundant_, {})) {
    const Allocation& allocation = *candidate.allocation;
    bool needed = is_known(&allocation);
    for (std::size_t limb_index = 0; limb_index < allocation.current.size() && !needed; ++limb_index) {
      const auto has = [&](const auto& other) {
        return other->everywhere && other->rank == allocation.rank && other->extent == allocation.extent &&
               other->current[limb_index] != 0;
      };
      needed = allocation.current[limb_index] != 0 &&
               std::none_of(candidate.buffer->allocations.begin(), candidate.buffer->allocations.end(), has);
    }
    if (!needed) found.push_back(candidate);
  }
  return found;
}

void Memory::drop(const Redundant& allocation) noexcept {
  if (!allocation.allocation->lost)
    arenas_[allocation.allocation->rank].release(allocation.allocation->start, allocation.allocation->bytes());
  std::erase_if(allocation.buffer->allocations, [&](const auto& one) { return one.get() == allocation.allocation; });
}

// Moves words to the host if their allocation is for another degree or width. This happens if two rings use a buffer in
// turn.
Status Memory::evacuate(Buffer& buffer, Extent extent) {
  for (const auto& allocation : buffer.allocations) {
    if (allocation->extent == extent) continue;
    if (buffer.evacuated.empty()) buffer.evacuated.assign(buffer.bytes / sizeof(u32), 0);
    const Extent from = allocation->extent;
    std::vector<std::size_t> limbs, which;
    for (std::size_t limb_index = 0; limb_index < allocation->current.size(); ++limb_index) {
      if (allocation->current[limb_index] == 0) continue;
      which.push_back(limbs.size());
      limbs.push_back(limb_index);
    }
    Staging staging(limbs.size() * from.words());
    if (const Status status = pull(*allocation, limbs, which, staging.words_at(0)); status != Status::ok) return status;
    for (const std::size_t i : which)
      from.narrow(staging.words_at(i * from.words()), buffer.evacuated.data() + limbs[i] * from.host_words(), 1);
    std::fill(allocation->current.begin(), allocation->current.end(), u8{0});
  }
  return Status::ok;
}

void Memory::add_moves(const Operand& operand, u32* words, std::vector<Move>& to) const {
  const std::size_t n = operand.allocation->extent.words(), limbs = operand.view.limbs.count;
  to.reserve(to.size() + operand.view.batch * limbs);
  for (std::size_t p = 0; p < operand.view.batch; ++p) {
    for (u32 l = 0; l < limbs; ++l)
      to.push_back({operand.dpu(p, l), operand.offset(p, l), words + (p * limbs + l) * n});
  }
}

Status Memory::write(const Operand& to, const u32* words) {
  std::vector<Move> moves;
  add_moves(to, const_cast<u32*>(words), moves);
  return move(to.allocation->rank, to.allocation->extent, Direction::in, std::move(moves));
}

Status Memory::read(const Operand& from, u32* words) {
  std::vector<Move> moves;
  add_moves(from, words, moves);
  return move(from.allocation->rank, from.allocation->extent, Direction::out, std::move(moves));
}

void Memory::forget(Buffer& buffer) noexcept {
  std::erase_if(redundant_, [&](const Redundant& one) { return one.buffer == &buffer; });
  for (const auto& allocation : buffer.allocations) {
    if (!allocation->lost) arenas_[allocation->rank].release(allocation->start, allocation->bytes());
  }
  buffer.allocations.clear();
  if (!buffer.evacuated.empty()) wipe(buffer.evacuated.data(), buffer.evacuated.size() * sizeof(u32));
}

}  // namespace ringfort::pim_host
