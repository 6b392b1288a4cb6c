// SPDX-License-Identifier: Apache-2.0
#include "rlwe/workspace.h"

namespace ringfort {

void Workspace::grow(Held& held, u32 batch) {
  held = {};
  held.polynomials = ring_.make<Coeff>(batch);
  held.batch = batch;
}

void Workspace::clear(Room room) noexcept {
  Held& held = rooms_[static_cast<std::size_t>(room)];
  try {
    if (held.batch != 0) ring_.multiply_scalar(stream, held.polynomials.all(), held.polynomials.all(), 0);
  } catch (...) {                                                       // a device that fails: its memory is wiped when it goes
    held = {};
  }
}

Cleared::~Cleared() {
  work_.clear(room_);
  wipe(work_.small.data(), work_.small.size());
  wipe(work_.lifted.data(), work_.lifted.size() * sizeof(i64));
  work_.staging.clear();
}

WorkspacePool::Lease WorkspacePool::lease(u32 threads) {
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
  workspace->stream.threads = threads;
  return {*this, std::move(workspace)};
}

void WorkspacePool::give_back(std::unique_ptr<Workspace> workspace) noexcept {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(workspace));
}

}  // namespace ringfort
