// SPDX-License-Identifier: Apache-2.0
// Keeps freed device memory for later requests (memory_cache.h).
#include "runtime/memory_cache.h"

#include <algorithm>
#include <utility>

#include "backend/recycle_listener.h"

namespace ringfort {

DeviceBuffer* FreeLists::pop(std::size_t bytes) noexcept {
  auto at = std::lower_bound(sizes_.begin(), sizes_.end(), bytes,
                             [](const Size& size, std::size_t wanted) { return size.bytes < wanted; });
  for (; at != sizes_.end() && at->bytes - bytes <= bytes / 8; ++at) {
    if (at->free.empty()) continue;
    DeviceBuffer* const block = at->free.back().block;
    at->free.pop_back();
    return block;
  }
  return nullptr;
}

DeviceBuffer* FreeLists::pop_oldest() noexcept {
  Size* oldest = nullptr;
  for (Size& size : sizes_) {
    if (!size.free.empty() && (oldest == nullptr || size.free.front().since < oldest->free.front().since))
      oldest = &size;
  }
  if (oldest == nullptr) return nullptr;
  DeviceBuffer* const block = oldest->free.front().block;
  oldest->free.erase(oldest->free.begin());
  return block;
}

void FreeLists::push(DeviceBuffer* block) {
  constexpr std::size_t kManySizes = 128;
  if (sizes_.size() >= kManySizes) std::erase_if(sizes_, [](const Size& size) { return size.free.empty(); });
  auto at = std::lower_bound(sizes_.begin(), sizes_.end(), block->bytes,
                             [](const Size& size, std::size_t wanted) { return size.bytes < wanted; });
  if (at == sizes_.end() || at->bytes != block->bytes) at = sizes_.insert(at, {block->bytes, {}});
  at->free.push_back({block, ++puts_});
}

MemoryCache::MemoryCache(std::shared_ptr<Backend> backend)
    : backend_(std::move(backend)),
      keeps_objects_(!backend_->capabilities().simulated_time),
      has_own_memory_(keeps_objects_ && backend_->memory().limit != 0),
      most_cached_(keeps_objects_ ? std::max(kMostCached, backend_->memory().limit / kShareOfGpu) : kMostCached) {}

Status MemoryCache::allocate(const MemoryRequest& request, DeviceBuffer*& out) noexcept {
  ThreadFrames::meet(*this);
  out = request.contents == Contents::undefined ? take_kept(request) : nullptr;
  if (out != nullptr) return Status::ok;
  shrink_to(kept_beside(request.bytes));
  Status status = backend_->allocate(request.bytes, request.contents, request.privacy, out);
  if (status == Status::out_of_memory && shrink_to(0)) {
    status = backend_->allocate(request.bytes, request.contents, request.privacy, out);
  }
  const std::lock_guard lock(mutex_);
  ++misses_;
  if (status == Status::ok) count_used(out->bytes, request.user);
  return status;
}

DeviceBuffer* MemoryCache::take_kept(const MemoryRequest& request) noexcept {
  WaitingMemory* const waiting = WaitingMemory::of_thread();
  DeviceBuffer* block =
      waiting != nullptr && request.user == MemoryUser::scratch ? waiting->pop(*this, request) : nullptr;
  const std::lock_guard lock(mutex_);
  if (block != nullptr) {
    held_ -= block->bytes;  // no recycled() here: verbs of this thread that use the block may still be waiting
  } else if (most_kept(request.user) != 0) {
    block = (request.privacy == Privacy::open ? open_ : secret_).pop(request.bytes);
    if (block != nullptr) {
      kept_ -= block->bytes;
      if (auto* const listener = dynamic_cast<RecycleListener*>(backend_.get())) listener->recycled(block);
    }
  }
  if (block == nullptr) return nullptr;
  ++hits_;
  count_used(block->bytes, request.user);
  return block;
}

void MemoryCache::count_used(std::size_t bytes, MemoryUser user) noexcept {
  used_ += bytes;
  used_for_[static_cast<std::size_t>(user)] += bytes;
  most_used_ = std::max(most_used_, used_);
  most_ = std::max(most_, used_ + kept_ + held_);
}

void MemoryCache::count_freed(std::size_t bytes, MemoryUser user) noexcept {
  used_ -= bytes;
  used_for_[static_cast<std::size_t>(user)] -= bytes;
}

// Returns the size, in bytes, to which the cache must shrink before a block of `bytes` is allocated.
std::size_t MemoryCache::kept_beside(std::size_t bytes) const noexcept {
  const std::lock_guard lock(mutex_);
  if (frames_ != 0 || has_own_memory_) return ~std::size_t{0};
  const std::size_t needed = used_ + bytes, most = std::max(most_used_, needed);
  return most - needed;
}

DeviceBuffer* MemoryCache::pop_above(std::size_t kept) noexcept {
  const std::lock_guard lock(mutex_);
  if (kept_ <= kept) return nullptr;
  DeviceBuffer* block = open_.pop_oldest();
  if (block == nullptr) block = secret_.pop_oldest();
  kept_ -= block->bytes;
  return block;
}

bool MemoryCache::shrink_to(std::size_t kept) noexcept {
  bool shrank = false;
  while (DeviceBuffer* const block = pop_above(kept)) {
    backend_->release(block, false);
    shrank = true;
  }
  return shrank;
}

void MemoryCache::trim() noexcept { shrink_to(0); }

void MemoryCache::keep_at_most(std::size_t bytes) noexcept {
  {
    const std::lock_guard lock(mutex_);
    most_cached_ = bytes;
    bytes = most_kept(MemoryUser::scratch);
  }
  shrink_to(bytes);
}

std::size_t MemoryCache::most_kept(MemoryUser user) const noexcept {
  if (frames_ != 0) return ~std::size_t{0};
  return user == MemoryUser::scratch || keeps_objects_ ? most_cached_ : 0;
}

void MemoryCache::begin_frame() noexcept {
  const std::lock_guard lock(mutex_);
  ++frames_;
}

void MemoryCache::end_frame() noexcept {
  std::size_t most = 0;
  {
    const std::lock_guard lock(mutex_);
    --frames_;
    most = most_kept(MemoryUser::scratch);
  }
  shrink_to(most);
}

void MemoryCache::give_back(DeviceBuffer* block, const MemoryRequest& as, bool wipe) noexcept {
  ThreadFrames::meet(*this);
  std::size_t most = 0, most_of_all = 0;
  {
    const std::lock_guard lock(mutex_);
    count_freed(block->bytes, as.user);
    most = most_kept(as.user);
    most_of_all = most_kept(MemoryUser::scratch);
  }
  if (wipe || block->bytes > most) return backend_->release(block, wipe);
  keep(block, as.privacy);
  shrink_to(most_of_all);
}

void MemoryCache::keep(DeviceBuffer* block, Privacy privacy) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    (privacy == Privacy::open ? open_ : secret_).push(block);
    kept_ += block->bytes;
  } catch (const std::bad_alloc&) { backend_->release(block, false); }
}

void MemoryCache::end_hold(DeviceBuffer* block, Privacy privacy) noexcept {
  std::size_t most = 0;
  {
    const std::lock_guard lock(mutex_);
    held_ -= block->bytes;
    most = most_kept(MemoryUser::scratch);
  }
  keep(block, privacy);
  shrink_to(most);
}

bool MemoryCache::hold(DeviceBuffer* block, const MemoryRequest& as) noexcept {
  WaitingMemory* const waiting = WaitingMemory::of_thread();
  if (waiting == nullptr || as.user != MemoryUser::scratch) return false;
  try {
    waiting->push(*this, block, as.privacy);
  } catch (const std::bad_alloc&) { return false; }
  const std::lock_guard lock(mutex_);
  count_freed(block->bytes, as.user);
  held_ += block->bytes;
  return true;
}

DeviceMemory MemoryCache::use() const noexcept {
  const std::lock_guard lock(mutex_);
  return {.used = used_,
          .keys = used_for_[static_cast<std::size_t>(MemoryUser::key)],
          .scratch = used_for_[static_cast<std::size_t>(MemoryUser::scratch)],
          .cached = kept_ + held_,
          .most_used = most_used_,
          .most = most_,
          .most_cached = most_cached_,
          .limit = backend_->memory().limit,
          .hits = hits_,
          .misses = misses_};
}

namespace {

struct Frames {
  u32 depth = 0;
  std::vector<std::shared_ptr<MemoryCache>> met;
  void leave() noexcept {
    for (const std::shared_ptr<MemoryCache>& cache : met) cache->end_frame();
    met.clear();
  }
  ~Frames() { leave(); }
};

thread_local Frames frames;
thread_local WaitingMemory* waiting_of_thread = nullptr;

}  // namespace

void ThreadFrames::begin() noexcept { ++frames.depth; }

void ThreadFrames::end() noexcept {
  if (frames.depth != 0 && --frames.depth == 0) frames.leave();
}

void ThreadFrames::meet(MemoryCache& cache) noexcept {
  if (frames.depth == 0) return;
  if (std::any_of(frames.met.begin(), frames.met.end(), [&](const auto& met) { return met.get() == &cache; })) return;
  try {
    frames.met.push_back(cache.shared_from_this());
    cache.begin_frame();
  } catch (const std::bad_alloc&) {  // without memory for the list, this frame does not suspend the cache's limit
  }
}

WaitingMemory* WaitingMemory::of_thread() noexcept { return waiting_of_thread; }

WaitingMemory::WaitingMemory() : outer_(std::exchange(waiting_of_thread, this)) {}

WaitingMemory::~WaitingMemory() {
  waiting_of_thread = outer_;
  for (WaitingLists& held : held_) {
    for (const Privacy privacy : {Privacy::open, Privacy::secret}) {
      while (DeviceBuffer* const block = held.of(privacy).pop_oldest()) held.cache->end_hold(block, privacy);
    }
  }
}

DeviceBuffer* WaitingMemory::pop(const MemoryCache& cache, const MemoryRequest& request) noexcept {
  for (WaitingLists& held : held_) {
    if (held.cache.get() == &cache) return held.of(request.privacy).pop(request.bytes);
  }
  return nullptr;
}

void WaitingMemory::push(MemoryCache& cache, DeviceBuffer* block, Privacy privacy) {
  auto at =
      std::find_if(held_.begin(), held_.end(), [&](const WaitingLists& held) { return held.cache.get() == &cache; });
  if (at == held_.end()) {
    held_.push_back({cache.shared_from_this(), {}, {}});
    at = std::prev(held_.end());
  }
  at->of(privacy).push(block);
}

}  // namespace ringfort
