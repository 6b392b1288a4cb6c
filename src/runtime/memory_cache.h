// SPDX-License-Identifier: Apache-2.0
// A cache of freed device memory. All callers and streams of a device share it. When a buffer changes its owner, the
// last verb of the old owner takes effect before the first verb of the new owner. The rule "Order" of backend/backend.h
// guarantees this. The cache has a free list for each buffer size. A buffer serves a request for undefined contents if
// it is large enough, and at most an eighth larger than the request. If the cache exceeds most_cached_, it frees public
// buffers, the oldest first, and then secret buffers. On a device that uses the host's memory, a new buffer may raise
// the sum of used and cached memory above the largest use so far. The cache then frees buffers before it allocates the
// new buffer. Public buffers and secret buffers have separate lists. Secret buffers are zeroed before they enter their
// list. Measurements: docs/notes/0021.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "base/fork_mutex.h"
#include "ringfort/device.h"

namespace ringfort {

// Free buffers by size. Within one size, the oldest buffer is first.
class FreeLists {
 public:
  // Returns the newest buffer of the smallest size that fits, or nullptr.
  [[nodiscard]] DeviceBuffer* pop(std::size_t bytes) noexcept;
  [[nodiscard]] DeviceBuffer* pop_oldest() noexcept;
  // Adds a buffer. If it throws std::bad_alloc, the lists are unchanged.
  void push(DeviceBuffer* buffer);

 private:
  struct Free {
    DeviceBuffer* buffer;
    u64 since;
  };
  struct Size {
    std::size_t bytes;
    std::vector<Free> free;
  };
  std::vector<Size> sizes_;  // ascending
  u64 puts_ = 0;
};

// The kinds of use of device memory. `value` means ciphertexts, plaintexts and polynomials. `scratch` means memory that
// the caller frees as soon as it has submitted the verbs that use the memory.
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
  // The default limit is 64 MiB. On a GPU it is an eighth of the GPU's memory, if that is more, because a GPU finishes
  // all its work before it frees memory.
  static constexpr std::size_t kMostCached = std::size_t{64} << 20, kShareOfGpu = 8;

  explicit MemoryCache(std::shared_ptr<Backend> backend);
  MemoryCache(const MemoryCache&) = delete;
  MemoryCache& operator=(const MemoryCache&) = delete;
  ~MemoryCache() { trim(); }

  // Allocates at least request.bytes. If the device is out of memory, frees the cache and tries again.
  [[nodiscard]] Status allocate(const MemoryRequest& request, DeviceBuffer*& out) noexcept;
  // Takes back a buffer. The caller must already have submitted all verbs that use the buffer. If `wipe` is set, the
  // buffer is zeroed and goes back to the device. If not, the caller must have zeroed secret memory, and the cache may
  // keep the buffer.
  void give_back(DeviceBuffer* buffer, const MemoryRequest& as, bool wipe) noexcept;
  // Takes back a buffer while this thread has verbs that are not submitted yet (WaitingMemory). Until these verbs have
  // run, only this thread can reuse the buffer. Returns false, and takes nothing, if the buffer is not scratch memory,
  // if this thread has no WaitingMemory, or if there is no memory for its list.
  [[nodiscard]] bool hold(DeviceBuffer* buffer, const MemoryRequest& as) noexcept;

  // The next two functions begin and end a frame (Frame in ringfort/device.h). Inside a frame, the cache frees a
  // buffer only if the device has no free memory, or in trim().
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
  void keep(DeviceBuffer* buffer, Privacy privacy) noexcept;
  void end_hold(DeviceBuffer* buffer, Privacy privacy) noexcept;

  std::shared_ptr<Backend> backend_;
  // True if the cache keeps memory of values and keys outside frames. It is false for a device that models time. Such a
  // device chooses the place of a polynomial at its first use, but recycled memory already has a place.
  bool keeps_objects_;
  bool has_own_memory_;  // the device has its own memory, so nobody else could use kept memory
  mutable ForkMutex mutex_{ForkMutex::Order::inner};  // guards the rest
  FreeLists open_, secret_;
  std::size_t kept_ = 0, waiting_ = 0, used_ = 0;  // bytes: in this cache, in WaitingMemory, in use
  std::array<std::size_t, 3> used_for_{};          // by MemoryUser; used_ is their sum
  u32 frames_ = 0;
  std::size_t most_used_ = 0, most_ = 0, most_cached_;
  u64 hits_ = 0, misses_ = 0;
};

// The frames of a thread (ringfort/device.h). A frame covers each device on which the thread allocates or returns
// memory while the frame is open.
class ThreadFrames {
 public:
  static void begin() noexcept;
  static void end() noexcept;
  static void meet(MemoryCache& cache) noexcept;
};

// Scratch memory that a thread freed while its verbs were not submitted yet (runtime/collector.h). Only this thread can
// reuse the memory.
class WaitingMemory {
 public:
  WaitingMemory();
  WaitingMemory(const WaitingMemory&) = delete;
  WaitingMemory& operator=(const WaitingMemory&) = delete;
  ~WaitingMemory();  // destroy it after the verbs have run
  [[nodiscard]] static WaitingMemory* of_thread() noexcept;
  [[nodiscard]] DeviceBuffer* pop(const MemoryCache& cache, const MemoryRequest& request) noexcept;
  void push(MemoryCache& cache, DeviceBuffer* buffer, Privacy privacy);  // throws std::bad_alloc

 private:
  struct WaitingLists {
    std::shared_ptr<MemoryCache> cache;
    FreeLists open, secret;
    [[nodiscard]] FreeLists& of(Privacy privacy) noexcept { return privacy == Privacy::open ? open : secret; }
  };
  std::vector<WaitingLists> lists_;  // one per device
  WaitingMemory* outer_;
};

}  // namespace ringfort
