// SPDX-License-Identifier: Apache-2.0
// Memory of a device. A Buffer has device memory and the history of its calls. Uploads first copy the caller's words to
// pinned host memory, so that the caller may reuse its own memory as soon as the verb returns.
#pragma once

#include <unistd.h>

#include <memory>

#include "backend/device/order.h"

namespace ringfort::device {

struct Buffer : DeviceBuffer {
  using DeviceBuffer::DeviceBuffer;
  Address address = nullptr;
  History history;
  Buffer* next = nullptr;  // the buffer released before this one
  Privacy privacy = Privacy::open;
  bool is_kept = false;  // true: the memory is not reused
};

class Pool {
 public:
  explicit Pool(std::unique_ptr<Driver> driver) noexcept : driver_(std::move(driver)), order_(*driver_) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();
  // Tells whether this is a forked child of the process that opened the device. Vendors' libraries do not work in a
  // child, and a lock that another thread of the parent held stays locked forever. So a child must call no other
  // function than release(), which does nothing there.
  [[nodiscard]] bool is_forked() const noexcept { return ::getpid() != process_; }
  [[nodiscard]] Driver& driver() noexcept { return *driver_; }
  [[nodiscard]] Order& order() noexcept { return order_; }

  // Allocates a buffer with undefined contents. If the driver has no memory, waits for the calls on released buffers
  // and tries again.
  Status allocate(std::size_t bytes, Privacy privacy, Buffer*& out) noexcept;
  // Releases a buffer. Its memory is freed when the calls on it have ended; the function does not wait for them. With
  // `keep`, the memory is freed only with the pool.
  void release(Buffer* buffer, bool keep = false) noexcept;
  [[nodiscard]] MemoryUse use() const noexcept;

  // Copies words of the host to the device. When it returns, it has read the words. Call it only inside Order::call().
  Status upload(u32 stream, Address to, const void* from, std::size_t bytes, Privacy privacy) noexcept;
  // Copies secret words of the device to the host when earlier calls on the buffers in `touches` have ended, and waits
  // for them. They go through pinned memory of the pool, which it wipes: a vendor's library would copy them through
  // memory of its own, and leave them there. Call it outside Order::call().
  Status download_secret(u32 stream, std::span<const Touch> touches, std::byte* to, Address from,
                         std::size_t bytes) noexcept;
  // Wipes the pinned copies of secrets whose upload has ended. A later call, or the destructor, wipes the others.
  void wipe_uploaded() noexcept;

 private:
  // Pinned memory for one upload. It can be reused when its event has ended.
  struct TransferBuffer {
    std::byte* bytes = nullptr;
    Event in_use;
    std::size_t secret_bytes = 0;  // bytes that must be wiped after the event
  };
  static constexpr std::size_t kTransferBytes = std::size_t{256} << 10, kTransferBuffers = 8;

  Status next_transfer_buffer(TransferBuffer*& out) noexcept;
  static void wipe_secret(TransferBuffer& buffer) noexcept;
  // Frees released buffers whose calls have ended, or all released buffers.
  void free_released(bool all) noexcept;
  void synchronize() noexcept;  // waits for all streams

  const pid_t process_ = ::getpid();
  std::unique_ptr<Driver> driver_;
  Order order_;
  std::array<TransferBuffer, kTransferBuffers> transfer_buffers_;  // a ring
  std::size_t next_ = 0;
  std::mutex download_mutex_;
  std::byte* download_ = nullptr;  // pinned memory for downloads of secrets: kTransferBytes
  mutable std::mutex mutex_;       // guards the members below
  Buffer* released_ = nullptr;     // the last released buffer
  std::size_t used_ = 0, peak_ = 0;
};

}  // namespace ringfort::device
