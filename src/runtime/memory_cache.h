// SPDX-License-Identifier: Apache-2.0
// A cache of freed device memory, shared by all callers and streams of a device. The last verb of one owner takes
// effect before the first verb of the next (rule "Order" of backend/backend.h). There is a free list for each size; a
// block serves requests of its size or up to one eighth smaller. The cache frees the oldest blocks first, when it
// exceeds most_cached, or when a new block would raise the device's total above the peak of memory in use. It keeps
// public words, and in separate lists locked memory that has been zeroed. Measurements: docs/notes/0021.
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
  // Returns the newest block of the smallest size that fits, or nullptr.
  [[nodiscard]] DeviceBuffer* pop(std::size_t bytes) noexcept;
  [[nodiscard]] DeviceBuffer* pop_oldest() noexcept;
  // Adds a block. Throws std::bad_alloc and then leaves the lists unchanged.
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

enum class Lifetime : u8 { object, scratch };  // scratch memory ends with the verb that took it

struct MemoryRequest {
  std::size_t bytes = 0;
  Contents contents = Contents::undefined;
  Privacy privacy = Privacy::open;
  Lifetime lifetime = Lifetime::object;
};

// Shareable between threads.
class MemoryCache : public std::enable_shared_from_this<MemoryCache> {
 public:
  // The default limit is 64 MiB, or an eighth of a GPU's memory if that is more: a GPU waits for all its work before it
  // releases memory.
  static constexpr std::size_t kMostCached = std::size_t{64} << 20, kShareOfGpu = 8;

  explicit MemoryCache(std::shared_ptr<Backend> backend);
  MemoryCache(const MemoryCache&) = delete;
  MemoryCache& operator=(const MemoryCache&) = delete;
  ~MemoryCache() { trim(); }

  // Allocates at least request.bytes. If the device is out of memory, frees the cache and tries again.
  [[nodiscard]] Status allocate(const MemoryRequest& request, DeviceBuffer*& out) noexcept;
  // Takes back a block, after the caller has submitted all verbs that use it. `wipe`: zeroes it first. Without `wipe`,
  // secret memory must be zero.
  void give_back(DeviceBuffer* block, const MemoryRequest& as, bool wipe) noexcept;
  // Takes back a block while verbs of this thread wait (WaitingMemory): until these have run, only this thread can
  // reuse it.
  [[nodiscard]] bool hold(DeviceBuffer* block, const MemoryRequest& as) noexcept;

  // Begin and end a frame. Inside a frame memory is freed only if the device runs out of it.
  void begin_frame() noexcept;
  void end_frame() noexcept;
  void trim() noexcept;  // frees the cache
  void keep_at_most(std::size_t bytes) noexcept;
  [[nodiscard]] DeviceMemory use() const noexcept;

 private:
  friend class WaitingMemory;
  [[nodiscard]] DeviceBuffer* take_kept(const MemoryRequest& request) noexcept;
  [[nodiscard]] DeviceBuffer* pop_above(std::size_t kept) noexcept;
  bool shrink_to(std::size_t kept) noexcept;  // returns whether it freed anything
  [[nodiscard]] std::size_t kept_beside(std::size_t bytes) const noexcept;
  void count_used(std::size_t bytes) noexcept;
  [[nodiscard]] std::size_t most_kept(Lifetime lifetime) const noexcept;  // the caller must hold the mutex
  void keep(DeviceBuffer* block, Privacy privacy) noexcept;
  void end_hold(DeviceBuffer* block, Privacy privacy) noexcept;

  std::shared_ptr<Backend> backend_;
  bool keeps_objects_;  // applies outside frames; false if the device chooses the place of words at their first use
  mutable std::mutex mutex_;  // guards the rest
  FreeLists open_, secret_;
  std::size_t kept_ = 0, held_ = 0, used_ = 0;  // bytes cached here, held by WaitingMemory, in use
  u32 frames_ = 0;
  std::size_t most_used_ = 0, most_ = 0, most_cached_;
  u64 hits_ = 0, misses_ = 0;
};

// Frames of a thread (ringfort/device.h): each covers the devices whose memory the thread allocates or returns
// meanwhile.
class ThreadFrames {
 public:
  static void begin() noexcept;
  static void end() noexcept;
  static void meet(MemoryCache& cache) noexcept;
};

// Scratch memory that ends while verbs of its thread wait (runtime/collector.h): only this thread can reuse it.
class WaitingMemory {
 public:
  WaitingMemory();
  WaitingMemory(const WaitingMemory&) = delete;
  WaitingMemory& operator=(const WaitingMemory&) = delete;
  ~WaitingMemory();  // destroy it after the verbs have run
  [[nodiscard]] static WaitingMemory* of_thread() noexcept;
  [[nodiscard]] DeviceBuffer* pop(const MemoryCache& cache, const MemoryRequest& request) noexcept;
  void push(MemoryCache& cache, DeviceBuffer* block, Privacy privacy);  // throws std::bad_alloc

 private:
  struct WaitingLists {
    std::shared_ptr<MemoryCache> cache;
    FreeLists open, secret;
    [[nodiscard]] FreeLists& of(Privacy privacy) noexcept { return privacy == Privacy::open ? open : secret; }
  };
  std::vector<WaitingLists> held_;  // one per device
  WaitingMemory* outer_;
};

}  // namespace ringfort
