// SPDX-License-Identifier: Apache-2.0
#include "rlwe/workspace.h"

namespace ringfort {

// The smallest free block of enough towers; else a larger one in place of the largest free one.
std::size_t Workspace::reserve(u32 towers, bool secret) {
  std::size_t best = blocks_.size(), largest = blocks_.size();
  const auto size = [&](std::size_t i) { return blocks_[i].towers.batch(); };
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].taken || blocks_[i].secret != secret) continue;
    if (size(i) >= towers && (best == blocks_.size() || size(i) < size(best))) best = i;
    if (largest == blocks_.size() || size(i) > size(largest)) largest = i;
  }
  if (best != blocks_.size()) return best;
  if (largest == blocks_.size()) blocks_.emplace_back();
  blocks_[largest].secret = secret;
  blocks_[largest].towers = {};
  blocks_[largest].towers = ring_.make<Coeff>(towers, Limbs{0, 1}, secret ? Privacy::secret : Privacy::open);
  return largest;
}

std::size_t Workspace::bytes() const noexcept {
  std::size_t towers = 0;
  for (const Memory& block : blocks_) towers += block.towers.batch();
  return towers * ring_.n() * word_bytes(ring_.word());
}

void Workspace::end(std::size_t block, bool secret) noexcept {
  Collector* const collector = Collector::of(ring_.device());
  if (collector != nullptr && !secret) collector->forget(blocks_[block].towers.all().view().buffer);
  blocks_[block].taken = false;
}

void Workspace::clear(std::size_t block, const View& view) noexcept {
  try {
    ring_.zero(stream, Slice<Coeff>(view));
  } catch (...) {                                                       // a device that fails: its memory is wiped when it goes
    blocks_[block].towers = {};
  }
}

Cleared::~Cleared() {
  wipe(work_.small.data(), work_.small.size());
  wipe(work_.lifted.data(), work_.lifted.size() * sizeof(i64));
  work_.staging.clear();
}

namespace {

thread_local JoinedVerbs* joined = nullptr;

}  // namespace

JoinedVerbs::JoinedVerbs(WorkspacePool& pool) : pool_(pool) {
  const OpenDevice& device = pool.ring().device();
  if (joined != nullptr || !device.backend().capabilities().joins_verbs) return;
  lease_.emplace(pool, pool.take());
  collector_.emplace(device, (*lease_)->stream);
  joined = this;
}

JoinedVerbs::~JoinedVerbs() {
  if (joined == this) joined = nullptr;
}

void JoinedVerbs::end() {
  if (collector_) collector_->end();
}

Workspace* JoinedVerbs::workspace_of(const WorkspacePool& pool) noexcept {
  return joined != nullptr && &joined->pool_ == &pool ? &**joined->lease_ : nullptr;
}

WorkspacePool::Lease WorkspacePool::lease(u32 threads) {
  if (Workspace* const shared = JoinedVerbs::workspace_of(*this)) return {*this, *shared};
  auto workspace = take();
  workspace->stream.threads = threads;
  return {*this, std::move(workspace)};
}

std::unique_ptr<Workspace> WorkspacePool::take() {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Workspace> workspace;
  if (idle_.empty()) {
    idle_.reserve(made_ + 1);
    workspace = std::make_unique<Workspace>(ring_, made_);
    ++made_;
  } else {
    workspace = std::move(idle_.back());
    idle_.pop_back();
  }
  return workspace;
}

void WorkspacePool::give_back(std::unique_ptr<Workspace> workspace) noexcept {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(workspace));
}

}  // namespace ringfort
