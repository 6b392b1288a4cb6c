// SPDX-License-Identifier: Apache-2.0
// Allocates and releases device memory, and copies words between the host and the device (pool.h).
#include "backend/device/pool.h"

#include <cstring>
#include <new>

#include "base/secret.h"

namespace ringfort::device {

Pool::~Pool() {
  synchronize();
  free_released(true);
  for (TransferBuffer& each : transfer_buffers_) {
    driver_->forget(each.in_use);
    if (each.bytes == nullptr) continue;
    wipe_secret(each);
    (void)driver_->release_host(each.bytes);
  }
  if (download_ != nullptr) (void)driver_->release_host(download_);
}

void Pool::synchronize() noexcept {
  for (u32 stream = 0; stream < kStreams; ++stream) (void)order_.synchronize(stream);
}

void Pool::free_released(bool all) noexcept {
  for (Buffer** link = &released_; *link != nullptr;) {
    Buffer* const buffer = *link;
    bool ended = false;
    if (!all && (buffer->is_kept || order_.has_ended(buffer->history, ended) != Status::ok || !ended)) {
      link = &buffer->next;
      continue;
    }
    *link = buffer->next;
    (void)driver_->release(buffer->address);  // a lost device keeps its memory until its driver closes
    delete buffer;
  }
}

Status Pool::allocate(std::size_t bytes, Privacy privacy, Buffer*& out) noexcept {
  out = nullptr;
  const std::lock_guard lock(mutex_);
  free_released(false);
  try {
    auto buffer = std::make_unique<Buffer>(bytes);
    buffer->privacy = privacy;
    Status status = driver_->allocate(bytes, privacy, buffer->address);
    if (status == Status::out_of_memory && released_ != nullptr) {
      synchronize();
      free_released(false);
      status = driver_->allocate(bytes, privacy, buffer->address);
    }
    if (status != Status::ok) return status;
    used_ += bytes;
    peak_ = std::max(peak_, used_);
    out = buffer.release();
    return Status::ok;
  } catch (const std::bad_alloc&) { return Status::out_of_memory; }
}

void Pool::release(Buffer* buffer, bool keep) noexcept {
  if (is_forked()) return;
  const std::lock_guard lock(mutex_);
  used_ -= buffer->bytes;
  buffer->is_kept = keep;
  buffer->next = released_;
  released_ = buffer;
  free_released(false);
}

MemoryUse Pool::use() const noexcept {
  const std::lock_guard lock(mutex_);
  return {used_, peak_, driver_->memory().limit};
}

Status Pool::next_transfer_buffer(TransferBuffer*& out) noexcept {
  TransferBuffer& buffer = transfer_buffers_[next_];
  if (buffer.bytes == nullptr) {
    if (const Status status = driver_->allocate_host(kTransferBytes, buffer.bytes); status != Status::ok) return status;
  }
  if (buffer.in_use.id != 0) {
    if (const Status status = driver_->synchronize(buffer.in_use); status != Status::ok) return status;
    driver_->forget(buffer.in_use);
    buffer.in_use = {};
    wipe_secret(buffer);
  }
  next_ = (next_ + 1) % kTransferBuffers;
  out = &buffer;
  return Status::ok;
}

void Pool::wipe_secret(TransferBuffer& buffer) noexcept {
  if (buffer.secret_bytes != 0) wipe(buffer.bytes, buffer.secret_bytes);
  buffer.secret_bytes = 0;
}

void Pool::wipe_uploaded() noexcept {
  (void)order_.call(0, {}, [&] {
    for (TransferBuffer& each : transfer_buffers_) {
      bool ended = false;
      if (each.secret_bytes != 0 && driver_->query(each.in_use, ended) == Status::ok && ended) wipe_secret(each);
    }
    return Status::ok;
  });
}

Status Pool::upload(u32 stream, Address to, const void* from, std::size_t bytes, Privacy privacy) noexcept {
  const auto* const source = static_cast<const std::byte*>(from);
  for (std::size_t first = 0; first < bytes; first += kTransferBytes) {
    const std::size_t count = std::min(kTransferBytes, bytes - first);
    TransferBuffer* buffer = nullptr;
    if (const Status status = next_transfer_buffer(buffer); status != Status::ok) return status;
    std::memcpy(buffer->bytes, source + first, count);
    if (privacy == Privacy::secret) buffer->secret_bytes = count;
    if (const Status status = driver_->copy_in(stream, to + first, buffer->bytes, count); status != Status::ok)
      return status;
    if (const Status status = driver_->record(stream, buffer->in_use); status != Status::ok) {
      buffer->bytes = nullptr;  // the copy may still read this memory; the driver keeps it
      return status;
    }
  }
  return Status::ok;
}

Status Pool::download_secret(u32 stream, std::span<const Touch> touches, std::byte* to, Address from,
                             std::size_t bytes) noexcept {
  const std::lock_guard lock(download_mutex_);
  for (std::size_t first = 0; first < bytes; first += kTransferBytes) {
    if (download_ == nullptr) {
      if (const Status status = driver_->allocate_host(kTransferBytes, download_); status != Status::ok) return status;
    }
    const std::size_t count = std::min(kTransferBytes, bytes - first);
    Event ended;
    Status status = order_.call(stream, touches, [&] {
      const Status copied = driver_->copy_out(stream, download_, from + first, count);
      return copied == Status::ok ? driver_->record(stream, ended) : copied;
    });
    if (status == Status::ok) status = driver_->synchronize(ended);
    driver_->forget(ended);
    if (status != Status::ok) {
      download_ = nullptr;  // a copy may still write this memory; the driver keeps it
      return status;
    }
    std::memcpy(to + first, download_, count);
    wipe(download_, count);
  }
  return Status::ok;
}

}  // namespace ringfort::device
