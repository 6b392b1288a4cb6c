// SPDX-License-Identifier: Apache-2.0
#include "backend/pim/memory.h"

#include <algorithm>
#include <cstring>

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

// Pieces of equal length by their place: one push each.
using Pushes = std::map<u32, std::vector<Piece>>;

}  // namespace

Arena::Arena() : free_{{0, kMramBytes}} {}

Status Arena::take(u32 bytes, u32& place) {
  place = 0;
  if (bytes == 0) return Status::ok;
  for (auto at = free_.begin(); at != free_.end(); ++at) {
    if (at->second < bytes) continue;
    place = at->first;
    const u32 rest = at->second - bytes;
    if (rest != 0) free_[place + bytes] = rest;              // before the other goes: it may throw
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
  } catch (const std::bad_alloc&) {                          // the place is lost to the arena
  }
}

Block* Memory::find(const Buffer& buffer, const View& view, u32 rank, u32 n) const noexcept {
  const std::size_t first = view.offset / n;
  const auto holds = [&](const Block& block) {
    if (block.rank != rank || block.n != n) return false;
    const u32 rows = block.step == view.step() ? std::min(view.batch, 1u) : view.batch;        // the others are alike
    for (std::size_t p = 0; p < rows; ++p) {
      for (u32 l = 0; l < view.limbs; ++l) {
        if (block.dpu(first + p * view.step() + l) != (view.first_limb + l) % block.dpus) return false;
      }
    }
    return true;
  };
  const auto found = std::find_if(buffer.blocks.begin(), buffer.blocks.end(), [&](const auto& block) { return holds(*block); });
  return found == buffer.blocks.end() ? nullptr : found->get();
}

// A block for the whole buffer in the view's rows.
Status Memory::make(Buffer& buffer, const View& view, const Block& wanted, Block*& out) {
  auto block = std::make_unique<Block>(wanted);
  const std::size_t first = view.offset / block->n, towers = buffer.words / block->n;
  block->dpus = system_.dpus();
  block->step = static_cast<u32>(view.step());
  const u32 column = static_cast<u32>(first % block->step);
  block->phase = column + view.limbs > block->step ? column : 0;
  const u32 ahead = (column + block->step - block->phase) % block->step, turn = block->dpus - ahead % block->dpus;
  block->shift = (view.first_limb + turn) % block->dpus;
  block->rows = static_cast<u32>(block->row(towers - 1)) + 1;
  block->layers = (block->step - 1 + block->shift) / block->dpus + 1;
  block->current.assign(towers, 0);
  buffer.blocks.reserve(buffer.blocks.size() + 1);
  if (const Status taken = arenas_[block->rank].take(block->words() * 4, block->place); taken != Status::ok) return taken;
  out = block.get();
  buffer.blocks.push_back(std::move(block));
  return Status::ok;
}

Status Memory::place(Stream s, const View& view, u32 n, bool contents, Operand& out) {
  Buffer& buffer = *buffer_of(view.buffer);
  const u32 rank = s.index % system_.ranks();
  if (const Status moved = evacuate(buffer, n); moved != Status::ok) return moved;
  out.view = view;
  out.block = find(buffer, view, rank, n);
  if (out.block == nullptr) {
    Block wanted;
    wanted.rank = rank;
    wanted.n = n;
    wanted.stream = s.index;
    if (const Status made = make(buffer, view, wanted, out.block); made != Status::ok) return made;
  }
  if (!contents) {
    out.block->written = true;                               // by what the caller does next, even if it fails midway
    return Status::ok;
  }
  std::vector<std::size_t> missing;
  for (std::size_t p = 0; p < view.batch; ++p) {
    for (u32 l = 0; l < view.limbs; ++l) {
      if (const std::size_t tower = out.tower(p, l); out.block->current[tower] == 0) missing.push_back(tower);
    }
  }
  return missing.empty() ? Status::ok : fetch(buffer, *out.block, missing);
}

void Memory::wrote(Stream s, const Operand& operand) noexcept {
  Block& block = *operand.block;
  block.stream = s.index;
  for (std::size_t p = 0; p < operand.view.batch; ++p) {
    for (u32 l = 0; l < operand.view.limbs; ++l) {
      const std::size_t tower = operand.tower(p, l);
      for (const auto& other : buffer_of(operand.view.buffer)->blocks) {
        if (other->n == block.n) other->current[tower] = 0;
      }
      block.current[tower] = 1;
    }
  }
}

Status Memory::pull(const Block& block, const std::vector<std::size_t>& towers, const std::vector<std::size_t>& which, u32* words) {
  Pushes pulls;
  for (const std::size_t i : which) pulls[block.offset(towers[i])].push_back({block.dpu(towers[i]), words + i * block.n});
  for (const auto& [offset, pieces] : pulls) {
    if (const Status status = system_.pull(block.rank, offset, std::size_t{block.n} * 4, pieces); status != Status::ok) return status;
  }
  return Status::ok;
}

// From another block that has them, from what was evacuated, or zeros.
Status Memory::fetch(Buffer& buffer, Block& to, const std::vector<std::size_t>& towers) {
  const std::size_t n = to.n;
  Staging staging(towers.size() * n);
  for (std::size_t i = 0; i < towers.size(); ++i) {
    if (!buffer.evacuated.empty()) std::copy_n(buffer.evacuated.data() + towers[i] * n, n, staging.at(i * n));
  }
  for (const auto& from : buffer.blocks) {                   // where two have a tower they agree
    std::vector<std::size_t> there;
    for (std::size_t i = 0; i < towers.size() && from->n == to.n; ++i) {
      if (from->current[towers[i]] != 0) there.push_back(i);
    }
    if (const Status status = pull(*from, towers, there, staging.at(0)); status != Status::ok) return status;
  }
  to.written = true;
  Pushes pushes;
  for (std::size_t i = 0; i < towers.size(); ++i) pushes[to.offset(towers[i])].push_back({to.dpu(towers[i]), staging.at(i * n)});
  for (const auto& [offset, pieces] : pushes) {
    if (const Status status = system_.push(to.rank, offset, n * 4, pieces); status != Status::ok) return status;
  }
  for (const std::size_t tower : towers) to.current[tower] = 1;
  return Status::ok;
}

// Blocks of another degree give their words to the host; it happens where memory is used for rings of two degrees in turn.
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

Status Memory::write(const Operand& to, const u32* words) {
  const std::size_t n = to.block->n, limbs = to.view.limbs, run = to.is_run() ? to.view.batch : 1;
  Staging staging(limbs * run * n);
  for (std::size_t p = 0; p < to.view.batch; p += run) {
    Pushes pushes;
    for (u32 l = 0; l < limbs; ++l) {
      for (std::size_t i = 0; i < run; ++i) std::copy_n(words + ((p + i) * limbs + l) * n, n, staging.at((l * run + i) * n));
      pushes[to.offset(p, l)].push_back({to.dpu(l), staging.at(l * run * n)});
    }
    for (const auto& [offset, pieces] : pushes) {
      if (const Status status = system_.push(to.block->rank, offset, run * n * 4, pieces); status != Status::ok) return status;
    }
  }
  return Status::ok;
}

Status Memory::read(const Operand& from, u32* words) {
  const std::size_t n = from.block->n, limbs = from.view.limbs, run = from.is_run() ? from.view.batch : 1;
  Staging staging(limbs * run * n);
  for (std::size_t p = 0; p < from.view.batch; p += run) {
    Pushes pulls;
    for (u32 l = 0; l < limbs; ++l) pulls[from.offset(p, l)].push_back({from.dpu(l), staging.at(l * run * n)});
    for (const auto& [offset, pieces] : pulls) {
      if (const Status status = system_.pull(from.block->rank, offset, run * n * 4, pieces); status != Status::ok) return status;
    }
    for (u32 l = 0; l < limbs; ++l) {
      for (std::size_t i = 0; i < run; ++i) std::copy_n(staging.at((l * run + i) * n), n, words + ((p + i) * limbs + l) * n);
    }
  }
  return Status::ok;
}

void Memory::forget(Buffer& buffer) noexcept {
  for (const auto& block : buffer.blocks) {
    if (!block->lost) arenas_[block->rank].give(block->place, block->words() * 4);
  }
  buffer.blocks.clear();
  if (!buffer.evacuated.empty()) wipe(buffer.evacuated.data(), buffer.evacuated.size() * sizeof(u32));
}

}  // namespace ringfort::pim_host
