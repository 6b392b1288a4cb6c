// SPDX-License-Identifier: Apache-2.0
// Where the current words of a batch are, and moving them no earlier than somebody needs them. Placement is the bookkeeping
// alone, four states and seven uses; Placed owns the memory on both sides and does the moves. A move that fails changes nothing.
// Host words are in the plan's width and in canonical order. Not thread-safe: one owner, one stream at a time.
#pragma once

#include "base/buffer.h"
#include "runtime/open_device.h"

namespace ringfort {

enum class Residence : u8 {
  host_only,                // no device memory
  host_dirty,               // device memory exists, its words are out of date
  device,                   // the words on the host, if any, are out of date
  both,
};

enum class Use : u8 {
  read_host,
  change_host,              // reads and writes: what is not written must be current
  write_host,               // all words are written
  read_device,
  change_device,
  write_device,
  leave_device,             // its memory is given back
};

enum class Move : u8 { none, upload, download };

class Placement {
 public:
  constexpr explicit Placement(Residence residence = Residence::host_only) noexcept : residence_(residence) {}
  [[nodiscard]] constexpr Residence residence() const noexcept { return residence_; }
  [[nodiscard]] constexpr bool host_is_current() const noexcept { return residence_ != Residence::device; }
  [[nodiscard]] constexpr bool device_is_current() const noexcept {
    return residence_ == Residence::device || residence_ == Residence::both;
  }

  // What must be moved first. The state changes only in after(), when the move has succeeded.
  [[nodiscard]] constexpr Move before(Use use) const noexcept {
    switch (use) {
      case Use::write_host:
      case Use::write_device: return Move::none;
      case Use::read_device:
      case Use::change_device: return device_is_current() ? Move::none : Move::upload;
      case Use::read_host:
      case Use::change_host:
      case Use::leave_device: return host_is_current() ? Move::none : Move::download;
    }
    return Move::none;
  }

  constexpr void after(Use use) noexcept {
    switch (use) {
      case Use::read_host:
        if (residence_ == Residence::device) residence_ = Residence::both;
        break;
      case Use::change_host:
      case Use::write_host:
        if (residence_ != Residence::host_only) residence_ = Residence::host_dirty;
        break;
      case Use::read_device:
        if (!device_is_current()) residence_ = Residence::both;
        break;
      case Use::change_device:
      case Use::write_device: residence_ = Residence::device; break;
      case Use::leave_device: residence_ = Residence::host_only; break;
    }
  }

 private:
  Residence residence_;
};

class Placed {
 public:
  // `shape`: plan, limbs and batch; its buffer and offset are set here. The words are zero, and on the host.
  Placed(std::shared_ptr<const OpenDevice> device, const View& shape, Domain domain, std::size_t bytes);
  Placed(Placed&&) noexcept = default;
  Placed& operator=(Placed&& other) noexcept;              // the words that go are wiped with what came
  ~Placed();

  [[nodiscard]] Residence residence() const noexcept { return placement_.residence(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  // Valid until the next call on this object. use: read_host, change_host or write_host.
  [[nodiscard]] std::span<u8> host(Stream s, Use use);
  // use: read_device, change_device or write_device. Errors: out_of_memory, device_lost; the words are then where they were.
  [[nodiscard]] const View& on_device(Stream s, Use use);
  void leave_device(Stream s);
  void keep_contents() noexcept;                       // public data: no need to zero it at the end

 private:
  void move(Stream s, Move direction);
  void need_device();
  void need_host();

  std::shared_ptr<const OpenDevice> device_;
  View view_;
  Domain domain_;
  std::size_t bytes_;
  Placement placement_;
  AlignedBuffer<u8> host_;
  Buffer buffer_;
  bool wipe_ = true;
};

}  // namespace ringfort
