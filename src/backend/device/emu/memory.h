// SPDX-License-Identifier: Apache-2.0
// Memory of an emulated device, and the order of all work on it.
//
// Each allocation keeps the last accesses to its ranges. The vector clock of work that reads a range must order it
// after the work that wrote the range. Work that writes must also be ordered after the work that reads. The check
// happens when the work is submitted, so that a finding does not depend on the order in which the streams run. A
// pattern fills new and released allocations. Released allocations stay known for a while.
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

// Work that touches memory, as call number `tick` of its stream.
struct Author {
  std::string_view name;  // name of a kernel, or "copy_in"; a literal
  u32 stream = 0;
  u64 tick = 0;
};

// Memory of a secret. A forked child, which cannot use the device and so cannot wipe it, gets zeros.
class SecretBlock {
 public:
  SecretBlock() = default;
  explicit SecretBlock(std::size_t bytes) : bytes_(bytes) { set(MADV_WIPEONFORK); }  // throws std::bad_alloc
  SecretBlock(SecretBlock&&) = default;
  SecretBlock& operator=(SecretBlock&&) = default;
  ~SecretBlock() {
    if (bytes_.data() != nullptr) set(MADV_KEEPONFORK);
  }
  [[nodiscard]] void* data() const noexcept { return bytes_.data(); }

 private:
  void set(int advice) const noexcept { (void)::madvise(bytes_.data(), bytes_.size(), advice); }
  LockedBytes bytes_;
};

class Memory {
 public:
  // `what` is the name of an allocation in findings. Checked memory knows which words were written. All functions here
  // throw std::bad_alloc.
  Memory(std::string_view what, std::size_t limit_bytes, bool checked)
      : what_(what),
        limit_(limit_bytes),
        checked_(checked) {}

  // Returns Status::out_of_memory beyond the limit.
  Status allocate(std::size_t bytes, Privacy privacy, device::Address& out);

  // Releases memory; returns an empty string, or the finding. `host` counts the work whose end the host has seen.
  [[nodiscard]] std::string release(device::Address memory, const device::Clock& host);
  // Checks and records a use; returns an empty string, or the finding. `before` counts the work that precedes the
  // author's.
  [[nodiscard]] std::string touch(const device::Use& use, const Author& author, const device::Clock& before);

  // Used by work that runs, in checked memory. ran() returns a finding if the work has read words that nothing wrote.
  [[nodiscard]] Regions& regions() noexcept { return regions_; }
  [[nodiscard]] std::string ran(const device::Use& use, std::string_view name);
  // Returns a finding if the last launch touched words outside `uses`.
  [[nodiscard]] std::string undeclared(std::span<const device::Use> uses, u64 launch, std::string_view kernel);

  // Tells whether the address is in memory that was allocated here, even if released since.
  [[nodiscard]] bool knows(const std::byte* address) const noexcept { return find(address) != nullptr; }
  [[nodiscard]] MemoryUse use() const noexcept { return {used_, peak_, limit_}; }

 private:
  struct Access {
    std::size_t first = 0, end = 0;  // bytes of the allocation
    bool is_written = false;
    Author author;
  };
  struct Allocation {
    AlignedBuffer<std::byte> block;
    SecretBlock secret;  // one of the two is empty
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
  Regions regions_;  // checked memory that is not released
  std::size_t used_ = 0, peak_ = 0, released_bytes_ = 0;
  u64 count_ = 0;
  std::map<const std::byte*, std::unique_ptr<Allocation>> allocations_;  // by first byte
  std::deque<const std::byte*> released_;
};

}  // namespace ringfort::emu
