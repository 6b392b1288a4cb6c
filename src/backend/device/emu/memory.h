// SPDX-License-Identifier: Apache-2.0
// The memory of an emulated device. It also checks that the work on each byte has an order.
//
// Each allocation has a list of the last accesses to its bytes. Work that reads bytes must come after the work that
// wrote them. Work that writes bytes must come after all earlier accesses. The vector clock of the work (clock.h)
// proves this order. The check happens when work is submitted. Therefore its result does not depend on the order in
// which streams run.
//
// A pattern fills new and released allocations. Released allocations are remembered for some time, so that later uses
// can be reported.
#pragma once

#include <sys/mman.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/device/clock.h"
#include "backend/device/emu/regions.h"
#include "base/buffer.h"
#include "base/locked.h"

namespace ringfort::emu {

inline constexpr int kPattern = 0xA5;

// The work that accesses memory: the call with number `tick` of its stream.
struct Author {
  std::string_view name;  // name of a kernel, or "copy_in"; a string literal
  u32 stream = 0;
  u64 tick = 0;
};

// Memory of a secret. In a forked child, it contains zeros, because a child cannot use the device to wipe it.
class SecretPages {
 public:
  SecretPages() = default;
  explicit SecretPages(std::size_t bytes) : bytes_(bytes) { set(MADV_WIPEONFORK); }  // throws std::bad_alloc
  SecretPages(SecretPages&&) = default;
  SecretPages& operator=(SecretPages&&) = default;
  ~SecretPages() {
    if (bytes_.data() != nullptr) set(MADV_KEEPONFORK);
  }
  [[nodiscard]] void* data() const noexcept { return bytes_.data(); }

 private:
  void set(int advice) const noexcept { (void)::madvise(bytes_.data(), bytes_.size(), advice); }
  LockedBytes bytes_;
};

class Memory {
 public:
  // `what` is the name of an allocation in reports. If `checked` is true, the object records which words were written.
  // Functions of this class that are not noexcept throw std::bad_alloc.
  Memory(std::string_view what, std::size_t limit_bytes, bool checked)
      : what_(what),
        limit_(limit_bytes),
        checked_(checked) {}

  // Returns Status::out_of_memory if the allocations would exceed the limit.
  Status allocate(std::size_t bytes, Privacy privacy, device::Address& out);

  // Releases memory. Returns an empty string, or a report if work on the memory might not have ended. `host` is the
  // clock of the work for which the host has waited.
  [[nodiscard]] std::string release(device::Address memory, const device::Clock& host);
  // Checks and records a use. Returns an empty string, or a report. `before` is the clock of the author's work.
  [[nodiscard]] std::string touch(const device::Use& use, const Author& author, const device::Clock& before);

  // The functions below are for work that runs, if memory is checked. ran() returns a report if the work has read words
  // that were never written.
  [[nodiscard]] Regions& regions() noexcept { return regions_; }
  [[nodiscard]] std::string ran(const device::Use& use, std::string_view name);
  // Returns the name of the allocation of these bytes.
  [[nodiscard]] std::string name_at(const std::byte* address) const { return name_of(*find(address)); }

  // Tells whether the address is in memory that was allocated here, even if it has been released.
  [[nodiscard]] bool knows(const std::byte* address) const noexcept { return find(address) != nullptr; }
  [[nodiscard]] MemoryUse use() const noexcept { return {used_, peak_, limit_}; }

 private:
  struct Access {
    std::size_t first = 0, end = 0;  // in bytes from the beginning of the allocation
    bool is_written = false;
    Author author;
  };
  struct Allocation {
    AlignedBuffer<std::byte> buffer;
    SecretPages secret;  // either `buffer` or `secret` is empty
    std::byte* first = nullptr;
    std::size_t bytes = 0;
    u64 number = 0;
    bool is_released = false;
    std::vector<Access> accesses;
  };

  [[nodiscard]] const Allocation* find(const std::byte* address) const noexcept;
  [[nodiscard]] std::string name_of(const Allocation& allocation) const;
  static void note(Allocation& allocation, const Access& access, const device::Clock& before);
  void forget_released(std::size_t most_bytes) noexcept;

  std::string_view what_;
  std::size_t limit_;
  bool checked_;
  Regions regions_;  // allocations that are not released; only if memory is checked
  std::size_t used_ = 0, peak_ = 0, released_bytes_ = 0;
  u64 count_ = 0;
  std::map<const std::byte*, std::unique_ptr<Allocation>> allocations_;  // key: first byte
  std::deque<const std::byte*> released_;
};

}  // namespace ringfort::emu
