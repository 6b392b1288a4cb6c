// SPDX-License-Identifier: Apache-2.0
// Checks every use of the memory of an emulated device (memory.h), and describes each finding in a text.
#include "backend/device/emu/memory.h"

#include <cstring>

namespace ringfort::emu {

namespace {

constexpr std::size_t kMostReleased = std::size_t{16} << 20;  // most bytes of released memory that are remembered

// Returns how many bytes of kMostReleased an allocation takes: whole pages, even if it is small. The reason is that
// MADV_WIPEONFORK, which gives zeros to a forked child, applies to whole pages. Each secret allocation is such a range
// of pages, and the system allows a process only a limited number of them.
std::size_t bytes_of_pages(std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  return (bytes + kPage - 1) / kPage * kPage;
}

std::string text(const Author& author) {
  return std::string(author.name) + " on stream " + std::to_string(author.stream);
}

}  // namespace

Status Memory::allocate(std::size_t bytes, Privacy privacy, device::Address& out) {
  out = nullptr;
  if (bytes > limit_ - used_) return Status::out_of_memory;
  auto allocation = std::make_unique<Allocation>();
  if (privacy == Privacy::secret && bytes != 0) {
    allocation->secret = SecretPages(bytes);  // whole pages
    allocation->first = static_cast<std::byte*>(allocation->secret.data());
  } else {
    allocation->buffer = AlignedBuffer<std::byte>(bytes + device::kAlignment, Fill::none);
    const auto address = reinterpret_cast<std::uintptr_t>(allocation->buffer.data());
    allocation->first = allocation->buffer.data() + (device::kAlignment - address % device::kAlignment);
  }
  allocation->bytes = bytes;
  allocation->number = ++count_;
  std::memset(allocation->first, kPattern, bytes);
  std::byte* const first = allocation->first;
  if (checked_) regions_.add(first, bytes);
  allocations_.emplace(first, std::move(allocation));
  used_ += bytes;
  peak_ = std::max(peak_, used_);
  out = first;
  return Status::ok;
}

const Memory::Allocation* Memory::find(const std::byte* address) const noexcept {
  auto behind = allocations_.upper_bound(address);
  if (behind == allocations_.begin()) return nullptr;
  const Allocation& found = *std::prev(behind)->second;
  const bool inside = address < found.first + std::max<std::size_t>(found.bytes, 1);
  return inside ? &found : nullptr;
}

std::string Memory::name_of(const Allocation& allocation) const {
  return std::string(what_) + ' ' + std::to_string(allocation.number);
}

std::string Memory::release(device::Address memory, const device::Clock& host) {
  const auto at = allocations_.find(memory);
  if (at == allocations_.end()) return "release of memory that is not allocated";
  Allocation& allocation = *at->second;
  if (allocation.is_released) return "second release of " + name_of(allocation);
  for (const Access& access : allocation.accesses) {
    if (access.author.tick > host[access.author.stream])
      return "release of " + name_of(allocation) + ", but the host has not seen the end of " + text(access.author);
  }
  released_.push_back(allocation.first);
  if (checked_) regions_.remove(allocation.first);
  std::memset(allocation.first, kPattern, allocation.bytes);
  allocation.is_released = true;
  used_ -= allocation.bytes;
  released_bytes_ += bytes_of_pages(allocation.bytes);
  forget_released(kMostReleased);
  return {};
}

void Memory::forget_released(std::size_t most_bytes) noexcept {
  while (released_bytes_ > most_bytes) {
    const auto eldest = allocations_.find(released_.front());
    released_bytes_ -= bytes_of_pages(eldest->second->bytes);
    allocations_.erase(eldest);
    released_.pop_front();
  }
}

std::string Memory::touch(const device::Use& use, const Author& author, const device::Clock& before) {
  auto* const allocation = const_cast<Allocation*>(find(use.first));
  const std::string verb = use.is_written ? " writes " : " reads ";
  if (allocation == nullptr) return text(author) + verb + "memory that is not allocated";
  if (allocation->is_released) return text(author) + verb + name_of(*allocation) + " after its release";
  const auto offset = static_cast<std::size_t>(use.first - allocation->first);
  if (use.bytes > allocation->bytes - offset) return text(author) + verb + "past the end of " + name_of(*allocation);
  const Access access{offset, offset + use.bytes, use.is_written, author};
  for (const Access& earlier : allocation->accesses) {
    const bool overlaps = earlier.first < access.end && access.first < earlier.end;
    const bool conflicts = overlaps && (earlier.is_written || access.is_written);
    if (conflicts && earlier.author.stream != author.stream && earlier.author.tick > before[earlier.author.stream])
      return text(author) + verb + name_of(*allocation) + " without waiting for " + text(earlier.author) + ", which " +
             (earlier.is_written ? "writes it" : "reads it");
  }
  note(*allocation, access, before);
  return {};
}

std::string Memory::ran(const device::Use& use, std::string_view name) {
  if (!checked_ || !knows(use.first)) return {};
  if (use.is_written) regions_.mark_written(use.first, use.bytes);
  else if (!regions_.is_written(use.first, use.bytes))
    return std::string(name) + " reads words of " + name_of(*find(use.first)) + " that nothing wrote";
  return {};
}

// Adds an access, and removes earlier accesses that need no further check. An earlier access is removed if all later
// work that conflicts with it also conflicts with this access. Everything conflicts with a write. Only writes conflict
// with a read.
void Memory::note(Allocation& allocation, const Access& access, const device::Clock& before) {
  std::erase_if(allocation.accesses, [&](const Access& earlier) {
    const bool covered = access.first <= earlier.first && earlier.end <= access.end;
    const bool ordered =
        earlier.author.stream == access.author.stream || earlier.author.tick <= before[earlier.author.stream];
    return covered && ordered && (access.is_written || !earlier.is_written);
  });
  allocation.accesses.push_back(access);
}

}  // namespace ringfort::emu
