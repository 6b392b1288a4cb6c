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
    DeviceBuffer* const buffer = at->free.back().buffer;
    at->free.pop_back();
    return buffer;
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
  DeviceBuffer* const buffer = oldest->free.front().buffer;
  oldest->free.erase(oldest->free.begin());
  return buffer;
}

void FreeLists::push(DeviceBuffer* buffer) {
  constexpr std::size_t kManySizes = 128;
  if (sizes_.size() >= kManySizes) std::erase_if(sizes_, [](const Size& size) { return size.free.empty(); });
  auto at = std::lower_bound(sizes_.begin(), sizes_.end(), buffer->bytes,
                             [](const Size& size, std::size_t wanted) { return size.bytes < wanted; });
  if (at == sizes_.end() || at->bytes != buffer->bytes) at = sizes_.insert(at, {buffer->bytes, {}});
  at->free.push_back({buffer, ++puts_});
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
  DeviceBuffer* buffer =
      waiting != nullptr && request.user == MemoryUser::scratch ? waiting->pop(*this, request) : nullptr;
  const std::lock_guard lock(mutex_);
  if (buffer != nullptr) {
    waiting_ -= buffer->bytes;  // no recycled() here: verbs of this thread that use the buffer may still be waiting
  } else if (most_kept(request.user) != 0) {
    buffer = (request.privacy == Privacy::open ? open_ : secret_).pop(request.bytes);
    if (buffer != nullptr) {
      kept_ -= buffer->bytes;
      if (auto* const listener = dynamic_cast<RecycleListener*>(backend_.get())) listener->recycled(buffer);
    }
  }
  if (buffer == nullptr) return nullptr;
  ++hits_;
  count_used(buffer->bytes, request.user);
  return buffer;
}

void MemoryCache::count_used(std::size_t bytes, MemoryUser user) noexcept {
  used_ += bytes;
  used_for_[static_cast<std::size_t>(user)] += bytes;
  most_used_ = std::max(most_used_, used_);
  most_ = std::max(most_, used_ + kept_ + waiting_);
}

void MemoryCache::count_freed(std::size_t bytes, MemoryUser user) noexcept {
  used_ -= bytes;
  used_for_[static_cast<std::size_t>(user)] -= bytes;
}

// Returns the size, in bytes, to which the cache must shrink before a buffer of `bytes` is allocated.
std::size_t MemoryCache::kept_beside(std::size_t bytes) const noexcept {
  const std::lock_guard lock(mutex_);
  if (frames_ != 0 || has_own_memory_) return ~std::size_t{0};
  const std::size_t needed = used_ + bytes, most = std::max(most_used_, needed);
  return most - needed;
}

DeviceBuffer* MemoryCache::pop_above(std::size_t kept) noexcept {
  const std::lock_guard lock(mutex_);
  if (kept_ <= kept) return nullptr;
  DeviceBuffer* buffer = open_.pop_oldest();
  if (buffer == nullptr) buffer = secret_.pop_oldest();
  kept_ -= buffer->bytes;
  return buffer;
}

bool MemoryCache::shrink_to(std::size_t kept) noexcept {
  bool shrank = false;
  while (DeviceBuffer* const buffer = pop_above(kept)) {
    backend_->release(buffer, false);
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

void MemoryCache::give_back(DeviceBuffer* buffer, const MemoryRequest& as, bool wipe) noexcept {
  ThreadFrames::meet(*this);
  std::size_t most = 0, most_of_all = 0;
  {
    const std::lock_guard lock(mutex_);
    count_freed(buffer->bytes, as.user);
    most = most_kept(as.user);
    most_of_all = most_kept(MemoryUser::scratch);
  }
  if (wipe || buffer->bytes > most) return backend_->release(buffer, wipe);
  keep(buffer, as.privacy);
  shrink_to(most_of_all);
}

void MemoryCache::keep(DeviceBuffer* buffer, Privacy privacy) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    (privacy == Privacy::open ? open_ : secret_).push(buffer);
    kept_ += buffer->bytes;
  } catch (const std::bad_alloc&) { backend_->release(buffer, false); }
}

void MemoryCache::end_hold(DeviceBuffer* buffer, Privacy privacy) noexcept {
  std::size_t most = 0;
  {
    const std::lock_guard lock(mutex_);
    waiting_ -= buffer->bytes;
    most = most_kept(MemoryUser::scratch);
  }
  keep(buffer, privacy);
  shrink_to(most);
}

bool MemoryCache::hold(DeviceBuffer* buffer, const MemoryRequest& as) noexcept {
  WaitingMemory* const waiting = WaitingMemory::of_thread();
  if (waiting == nullptr || as.user != MemoryUser::scratch) return false;
  try {
    waiting->push(*this, buffer, as.privacy);
  } catch (const std::bad_alloc&) { return false; }
  const std::lock_guard lock(mutex_);
  count_freed(buffer->bytes, as.user);
  waiting_ += buffer->bytes;
  return true;
}

DeviceMemory MemoryCache::use() const noexcept {
  const std::lock_guard lock(mutex_);
  return {.used = used_,
          .keys = used_for_[static_cast<std::size_t>(MemoryUser::key)],
          .scratch = used_for_[static_cast<std::size_t>(MemoryUser::scratch)],
          .cached = kept_ + waiting_,
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
  for (WaitingLists& lists : lists_) {
    for (const Privacy privacy : {Privacy::open, Privacy::secret}) {
      while (DeviceBuffer* const buffer = lists.of(privacy).pop_oldest()) lists.cache->end_hold(buffer, privacy);
    }
  }
}

DeviceBuffer* WaitingMemory::pop(const MemoryCache& cache, const MemoryRequest& request) noexcept {
  for (WaitingLists& lists : lists_) {
    if (lists.cache.get() == &cache) return lists.of(request.privacy).pop(request.bytes);
  }
  return nullptr;
}

void WaitingMemory::push(MemoryCache& cache, DeviceBuffer* buffer, Privacy privacy) {
  auto at = std::find_if(lists_.begin(), lists_.end(),
                         [&](const WaitingLists& lists) { return lists.cache.get() == &cache; });
  if (at == lists_.end()) {
    lists_.push_back({cache.shared_from_this(), {}, {}});
    at = std::prev(lists_.end());
  }
  at->of(privacy).push(buffer);
}

}  // namespace ringfort
