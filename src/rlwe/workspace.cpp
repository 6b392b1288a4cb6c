// SPDX-License-Identifier: Apache-2.0
// Leases workspaces, and joins the verbs of several operations (workspace.h).
#include "rlwe/workspace.h"

#include <algorithm>

namespace ringfort {

Buffer Workspace::borrow(std::size_t limbs, bool secret) {
  Buffer memory = ring_.borrow(limbs, secret ? Privacy::secret : Privacy::open);
  taken_ += memory.handle()->bytes;
  most_ = std::max(most_, taken_);
  return memory;
}

// Zeroes secret memory. If the device fails here, the memory is wiped when it is released.
void Workspace::end(Buffer& memory, const View& view, bool secret) noexcept {
  taken_ -= memory.handle()->bytes;
  Collector* const collector = Collector::of(ring_.device());
  if (collector != nullptr && !secret) collector->forget(memory.handle());
  try {
    if (secret) {
      ring_.zero(stream, Slice<Coeff>(view));
      if (collector != nullptr) collector->flush();
    }
    memory.keep_contents();
  } catch (...) {}
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
  const Device& device = pool.ring().device();
  if (joined != nullptr || !device.backend().capabilities().joins_verbs) return;
  lease_.emplace(pool, pool.acquire());
  memory_.emplace();
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
  auto workspace = acquire();
  workspace->stream.threads = threads;
  return {*this, std::move(workspace)};
}

std::unique_ptr<Workspace> WorkspacePool::acquire() {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Workspace> workspace;
  if (idle_.empty()) {
    idle_.reserve(count_ + 1);
    workspace = std::make_unique<Workspace>(ring_, count_);
    ++count_;
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
