// SPDX-License-Identifier: Apache-2.0
// The 64 MiB of MRAM of a DPU. Only written pages take memory of the host. An unwritten page contains zeros, or
// pseudorandom words that are computed from a seed at every read. Callers check that addresses are in range.
// hw/pim/README.md explains the terms.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "chip.h"
#include "words.h"

namespace ringfort::pim {

// Returns word `index` of the pseudorandom sequence of a seed, by the mixing function of splitmix64. Every word below
// `bound` has the same probability, up to 2^-32.
inline u32 generated_word(u64 seed, u32 index, u32 bound) {
  u64 z = seed + (u64{index} + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return static_cast<u32>(((z >> 32) * bound) >> 32);
}

class Mram {
 public:
  void write(u32 offset, std::span<const u8> bytes) {
    while (!bytes.empty()) {
      const std::size_t count = std::min<std::size_t>(bytes.size(), kPage - offset % kPage);
      auto& page = pages_[offset / kPage];
      if (!page) page = make_page(offset / kPage * kPage);
      std::memcpy(page->data() + offset % kPage, bytes.data(), count);
      bytes = bytes.subspan(count);
      offset += static_cast<u32>(count);
    }
  }

  void read(u32 offset, std::span<u8> bytes) const {
    while (!bytes.empty()) {
      const std::size_t count = std::min<std::size_t>(bytes.size(), kPage - offset % kPage);
      if (const auto& page = pages_[offset / kPage]) {
        std::memcpy(bytes.data(), page->data() + offset % kPage, count);
      } else {
        fill_unwritten(offset, bytes.first(count));
      }
      bytes = bytes.subspan(count);
      offset += static_cast<u32>(count);
    }
  }

  // Fills `bytes` bytes from `offset` on with the words of a seed. `bytes` and `offset` are multiples of 4. Only partly
  // filled pages at the two ends take memory.
  void generate(u32 offset, u32 bytes, u64 seed, u32 bound) {
    const u32 end = offset + bytes;
    const u32 first_page = (offset + kPage - 1) / kPage, end_page = end / kPage;
    for (u32 page = first_page; page < end_page; ++page) pages_[page].reset();
    const u32 head = std::min(end, first_page * kPage), tail = std::max(head, end_page * kPage);
    const Region region{offset, end, seed, bound};
    write_words(region, offset, head);
    if (tail > head) regions_.push_back({head, tail, seed, bound, (head - offset) / 4});
    write_words(region, tail, end);
  }

  // Copies the written pages and the seeds.
  Mram copy() const {
    Mram other;
    other.regions_ = regions_;
    for (std::size_t i = 0; i < pages_.size(); ++i) {
      if (pages_[i]) other.pages_[i] = std::make_unique<Page>(*pages_[i]);
    }
    return other;
  }

 private:
  static constexpr u32 kPage = 16384;
  using Page = std::array<u8, kPage>;
  struct Region {
    u32 begin, end;  // offsets in bytes, multiples of kPage in regions_
    u64 seed;
    u32 bound;
    u32 first = 0;  // index in the sequence of the region's first word
  };

  std::unique_ptr<Page> make_page(u32 offset) const {
    auto page = std::make_unique<Page>();
    fill_unwritten(offset, *page);
    return page;
  }

  // Fills `bytes` with the contents of one unwritten page from `offset` on: words of the latest seed that covers the
  // page, or zeros.
  void fill_unwritten(u32 offset, std::span<u8> bytes) const {
    std::memset(bytes.data(), 0, bytes.size());
    for (auto region = regions_.rbegin(); region != regions_.rend(); ++region) {
      if (offset < region->begin || offset >= region->end) continue;
      for (u32 i = 0; i + 4 <= bytes.size(); i += 4) {
        const u32 word = generated_word(region->seed, region->first + (offset + i - region->begin) / 4, region->bound);
        std::memcpy(bytes.data() + i, &word, 4);
      }
      return;
    }
  }

  void write_words(const Region& region, u32 begin, u32 end) {
    for (u32 at = begin; at < end; at += 4) {
      const u32 word = generated_word(region.seed, (at - region.begin) / 4, region.bound);
      u8 bytes[4];
      std::memcpy(bytes, &word, 4);
      write(at, bytes);
    }
  }

  std::vector<Region> regions_;
  std::array<std::unique_ptr<Page>, kMramBytes / kPage> pages_;
};

}  // namespace ringfort::pim
