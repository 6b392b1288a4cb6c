// SPDX-License-Identifier: Apache-2.0
// A cache of freed device memory, shared by all callers and streams of a device. When a block changes owner, the last
// verb of the old owner takes effect before the first verb of the new owner, by the rule "Order" of backend/backend.h.
// There is a free list for each size; a block serves requests of its size or up to an eighth smaller. When the cache
// exceeds most_cached_, it frees blocks, oldest first. If the device uses the host's memory, the cache also frees
// blocks when a returned block would raise the total above the peak of memory in use. Public blocks and secret blocks
// have separate lists; secret blocks are locked, and zeroed before they enter the list. Measurements: docs/notes/0021.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "base/fork_mutex.h"
#include "ringfort/device.h"

namespace ringfort {

// Blocks by size, the oldest of each size first.
class FreeLists {
 public:
  // Returns the newest block of the smallest size that fits, or nullptr.
  [[nodiscard]] DeviceBuffer* pop(std::size_t bytes) noexcept;
  [[nodiscard]] DeviceBuffer* pop_oldest() noexcept;
  // Adds a block. If it throws std::bad_alloc, the lists are unchanged.
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

// Values are ciphertexts, plaintexts and polynomials. A caller frees scratch memory when the verbs that use it are
// submitted.
enum class MemoryUser : u8 { value, key, scratch };

struct MemoryRequest {
  std::size_t bytes = 0;
  Contents contents = Contents::undefined;
  Privacy privacy = Privacy::open;
  MemoryUser user = MemoryUser::value;
};

// Thread-safe.
class MemoryCache : public std::enable_shared_from_this<MemoryCache> {
 public:
  // The default limit is 64 MiB, or an eighth of a GPU's memory if that is more, because a GPU finishes all its work
  // before it frees memory.
  static constexpr std::size_t kMostCached = std::size_t{64} << 20, kShareOfGpu = 8;

  explicit MemoryCache(std::shared_ptr<Backend> backend);
  MemoryCache(const MemoryCache&) = delete;
  MemoryCache& operator=(const MemoryCache&) = delete;
  ~MemoryCache() { trim(); }

  // Allocates at least request.bytes. If the device is out of memory, frees the cache and tries again.
  [[nodiscard]] Status allocate(const MemoryRequest& request, DeviceBuffer*& out) noexcept;
  // Takes back a block, after the caller has submitted all verbs that use it. If `wipe` is set, zeroes the block first;
  // otherwise the caller must have zeroed secret memory.
  void give_back(DeviceBuffer* block, const MemoryRequest& as, bool wipe) noexcept;
  // Takes back a block while this thread has verbs that are not submitted yet (WaitingMemory). Until these have run,
  // only this thread can reuse the block.
  [[nodiscard]] bool hold(DeviceBuffer* block, const MemoryRequest& as) noexcept;

  // Begin and end a frame. Inside a frame, the cache returns memory to the device only if the device has no free
  // memory.
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
  void count_used(std::size_t bytes, MemoryUser user) noexcept;
  void count_freed(std::size_t bytes, MemoryUser user) noexcept;
  [[nodiscard]] std::size_t most_kept(MemoryUser user) const noexcept;  // the caller must hold the mutex
  void keep(DeviceBuffer* block, Privacy privacy) noexcept;
  void end_hold(DeviceBuffer* block, Privacy privacy) noexcept;

  std::shared_ptr<Backend> backend_;
  // True if the cache keeps memory of values and keys outside frames. A device that models time chooses the place of a
  // polynomial at the first write, and recycled memory already has a place; for such a device this is false.
  bool keeps_objects_;
  bool has_own_memory_;  // separate from the host's, so nobody else could use the kept memory
  mutable ForkMutex mutex_{ForkMutex::Order::inner};  // guards the rest
  FreeLists open_, secret_;
  std::size_t kept_ = 0, held_ = 0, used_ = 0;  // bytes cached here, held by WaitingMemory, in use
  std::array<std::size_t, 3> used_for_{};       // by MemoryUser; used_ is their sum
  u32 frames_ = 0;
  std::size_t most_used_ = 0, most_ = 0, most_cached_;
  u64 hits_ = 0, misses_ = 0;
};

// Frames of a thread (ringfort/device.h): each covers the devices on which the thread allocates or returns memory while
// the frame is open.
class ThreadFrames {
 public:
  static void begin() noexcept;
  static void end() noexcept;
  static void meet(MemoryCache& cache) noexcept;
};

// Scratch memory that was freed while its thread has verbs that are not submitted yet (runtime/collector.h). Only this
// thread can reuse it.
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
