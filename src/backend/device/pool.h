// SPDX-License-Identifier: Apache-2.0
// Memory of a device. A Buffer has device memory and the history of the calls that used it (order.h). An upload first
// copies the caller's words to pinned host memory, which the operating system does not move, so that a GPU can read it
// at any time. Therefore the caller may reuse its own memory as soon as the verb returns.
#pragma once

#include <unistd.h>

#include <memory>

#include "backend/device/order.h"

namespace ringfort::device {

struct Buffer : DeviceBuffer {
  using DeviceBuffer::DeviceBuffer;
  Address address = nullptr;
  History history;
  Buffer* next = nullptr;  // the buffer that was released before this buffer
  Privacy privacy = Privacy::open;
  bool is_kept = false;  // true: the memory is freed only with the pool
};

class Pool {
 public:
  explicit Pool(std::unique_ptr<Driver> driver) noexcept : driver_(std::move(driver)), order_(*driver_) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();
  // Tells whether this process is a forked child of the process that opened the device. The libraries of vendors do not
  // work in such a child. A lock that another thread of the parent held remains locked there. Therefore a child may
  // call only release(), which does nothing there.
  [[nodiscard]] bool is_forked() const noexcept { return ::getpid() != process_; }
  [[nodiscard]] Driver& driver() noexcept { return *driver_; }
  [[nodiscard]] Order& order() noexcept { return order_; }

  // Allocates a buffer with undefined contents. If the driver has no memory, and there are released buffers, waits for
  // all calls, frees these buffers and tries again.
  Status allocate(std::size_t bytes, Privacy privacy, Buffer*& out) noexcept;
  // Releases a buffer. After the calls on it have ended, this call or a later call of allocate() or release() frees its
  // memory. The function does not wait for these calls. If `keep` is true, the memory is freed only with the pool.
  void release(Buffer* buffer, bool keep = false) noexcept;
  [[nodiscard]] MemoryUse use() const noexcept;

  // Copies words from the host to the device. The function has read the words when it returns. Call it only inside
  // Order::call().
  Status upload(u32 stream, Address to, const void* from, std::size_t bytes, Privacy privacy) noexcept;
  // Copies secret words from the device to the host. The copy begins when the earlier calls on the buffers in `touches`
  // have ended. The function waits for the end of the copy. The words pass through pinned memory of the pool, which the
  // function then wipes. A vendor's library would copy them through memory of its own, and leave them there. Call it
  // outside Order::call().
  Status download_secret(u32 stream, std::span<const Touch> touches, std::byte* to, Address from,
                         std::size_t bytes) noexcept;
  // Wipes the pinned copies of secrets whose upload has ended. A later call or the destructor wipes the other copies.
  void wipe_uploaded() noexcept;

 private:
  // Pinned memory for one upload. It can be reused after its event has ended.
  struct TransferBuffer {
    std::byte* bytes = nullptr;
    Event in_use;
    std::size_t secret_bytes = 0;  // bytes that must be wiped after the event
  };
  static constexpr std::size_t kTransferBytes = std::size_t{256} << 10, kTransferBuffers = 8;

  Status next_transfer_buffer(TransferBuffer*& out) noexcept;
  static void wipe_secret(TransferBuffer& buffer) noexcept;
  // Frees all released buffers, or only those whose calls have ended.
  void free_released(bool all) noexcept;
  void synchronize() noexcept;  // waits for all streams

  const pid_t process_ = ::getpid();
  std::unique_ptr<Driver> driver_;
  Order order_;
  std::array<TransferBuffer, kTransferBuffers> transfer_buffers_;  // used in turn
  std::size_t next_ = 0;
  std::mutex download_mutex_;
  std::byte* download_ = nullptr;  // kTransferBytes of pinned memory for downloads of secrets
  mutable std::mutex mutex_;       // guards the members below
  Buffer* released_ = nullptr;     // the buffer that was released last
  std::size_t used_ = 0, peak_ = 0;
};

}  // namespace ringfort::device
