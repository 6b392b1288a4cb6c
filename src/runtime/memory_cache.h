// SPDX-License-Identifier: Apache-2.0
// Memory of a device that nobody has, kept for the next who asks, whatever their stream: verbs on one buffer take
// effect in the order in which they were called (Order, backend/backend.h), so that the last verb of one owner comes
// before the first of the next. One cache serves all callers of a device. Free lists by size; a request is served by a
// block of its size or at most an eighth more. The oldest blocks go first: when more is kept than most_cached, or when
// a new block would make the device hold more than was ever in use at once. Only memory whose contents may stay comes
// here: public words, and locked memory that is zero again, in lists of its own. docs/notes/0021 has the measurements.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "backend/backend.h"
#include "ringfort/device.h"

namespace ringfort {

// Blocks by size, the oldest of each size first.
class FreeLists {
 public:
  // the newest of the smallest size that fits, or nullptr
  [[nodiscard]] DeviceBuffer* pop(std::size_t bytes) noexcept;
  [[nodiscard]] DeviceBuffer* pop_oldest() noexcept;
  // throws std::bad_alloc; the lists are then as they were
  void push(DeviceBuffer* block);

 private:
  struct Free {
    DeviceBuffer* block;
    u64 since;
  };
  struct Size {
    std::size_t bytes;
    std::vector<Free> free;
  };
  std::vector<Size> sizes_;  // ascending
  u64 puts_ = 0;
};

enum class Lifetime : u8 { object, scratch };  // scratch ends with the verb that took it

struct MemoryRequest {
  std::size_t bytes = 0;
  Contents contents = Contents::undefined;
  Privacy privacy = Privacy::open;
  Lifetime lifetime = Lifetime::object;
};

// Shareable between threads.
class MemoryCache : public std::enable_shared_from_this<MemoryCache> {
 public:
  static constexpr std::size_t kMostCached = std::size_t{64} << 20;  // of a device that nobody has told otherwise

  explicit MemoryCache(std::shared_ptr<Backend> backend);
  MemoryCache(const MemoryCache&) = delete;
  MemoryCache& operator=(const MemoryCache&) = delete;
  ~MemoryCache() { trim(); }

  // At least so many bytes. Where the device has none, all that is kept goes back to it, and it is asked again.
  [[nodiscard]] Status allocate(const MemoryRequest& request, DeviceBuffer*& out) noexcept;
  // Whoever gives back has called all verbs that use the block. `wipe`: the contents may not stay; else secret memory
  // is zero.
  void give_back(DeviceBuffer* block, const MemoryRequest& as, bool wipe) noexcept;
  // The same where verbs of this thread wait (WaitingMemory): only this thread has the block before they have run.
  [[nodiscard]] bool hold(DeviceBuffer* block, const MemoryRequest& as) noexcept;

  // Between them, nothing goes back to the device but for want of memory.
  void begin_frame() noexcept;
  void end_frame() noexcept;
  void trim() noexcept;  // gives back all that is kept
  void keep_at_most(std::size_t bytes) noexcept;
  [[nodiscard]] DeviceMemory use() const noexcept;

 private:
  friend class WaitingMemory;
  [[nodiscard]] DeviceBuffer* take_kept(const MemoryRequest& request) noexcept;
  [[nodiscard]] DeviceBuffer* pop_above(std::size_t kept) noexcept;
  bool shrink_to(std::size_t kept) noexcept;  // whether that gave anything back
  [[nodiscard]] std::size_t kept_beside(std::size_t bytes) const noexcept;
  void count_used(std::size_t bytes) noexcept;
  [[nodiscard]] std::size_t most_kept(Lifetime lifetime) const noexcept;  // with the mutex held
  void keep(DeviceBuffer* block, Privacy privacy) noexcept;
  void end_hold(DeviceBuffer* block, Privacy privacy) noexcept;

  std::shared_ptr<Backend> backend_;
  bool keeps_objects_;        // outside frames: not where a model places words by their first use
  mutable std::mutex mutex_;  // of the rest
  FreeLists open_, secret_;
  std::size_t kept_ = 0, held_ = 0, used_ = 0;  // in these lists, by threads whose verbs wait, with owners
  u32 frames_ = 0;
  std::size_t most_used_ = 0, most_ = 0, most_cached_ = kMostCached;
  u64 hits_ = 0, misses_ = 0;
};

// The frames of a thread (ringfort/device.h), on the devices whose memory the thread asks for or gives back meanwhile.
class ThreadFrames {
 public:
  static void begin() noexcept;
  static void end() noexcept;
  static void meet(MemoryCache& cache) noexcept;
};

// Scratch memory that ends while verbs of its thread wait (runtime/collector.h): this thread may have it again, nobody
// else.
class WaitingMemory {
 public:
  WaitingMemory();
  WaitingMemory(const WaitingMemory&) = delete;
  WaitingMemory& operator=(const WaitingMemory&) = delete;
  ~WaitingMemory();  // when the verbs have run
  [[nodiscard]] static WaitingMemory* of_thread() noexcept;
  [[nodiscard]] DeviceBuffer* pop(const MemoryCache& cache, const MemoryRequest& request) noexcept;
  void push(MemoryCache& cache, DeviceBuffer* block, Privacy privacy);  // throws std::bad_alloc

 private:
  struct WaitingLists {
    std::shared_ptr<MemoryCache> cache;
    FreeLists open, secret;
    [[nodiscard]] FreeLists& of(Privacy privacy) noexcept { return privacy == Privacy::open ? open : secret; }
  };
  std::vector<WaitingLists> held_;  // one a device
  WaitingMemory* outer_;
};

}  // namespace ringfort
