// SPDX-License-Identifier: Apache-2.0
// 64 MiB of MRAM that cost the host only the pages that were written. Callers check ranges; unwritten bytes are zero, or where a
// seed was given the words of that seed, made anew whenever they are read.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "chip.h"

namespace ringfort::pim {

// Word `index` of a seed: uniform below `bound` (to 2^-32), by the mixing function of splitmix64.
inline std::uint32_t generated_word(std::uint64_t seed, std::uint32_t index, std::uint32_t bound) {
  std::uint64_t z = seed + (std::uint64_t{index} + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return static_cast<std::uint32_t>(((z >> 32) * bound) >> 32);
}

class Mram {
 public:
  void write(std::uint32_t offset, std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
      const std::size_t count = std::min<std::size_t>(bytes.size(), kPage - offset % kPage);
      auto& page = pages_[offset / kPage];
      if (!page) page = made(offset / kPage * kPage);
      std::memcpy(page->data() + offset % kPage, bytes.data(), count);
      bytes = bytes.subspan(count);
      offset += static_cast<std::uint32_t>(count);
    }
  }

  void read(std::uint32_t offset, std::span<std::uint8_t> bytes) const {
    while (!bytes.empty()) {
      const std::size_t count = std::min<std::size_t>(bytes.size(), kPage - offset % kPage);
      if (const auto& page = pages_[offset / kPage]) {
        std::memcpy(bytes.data(), page->data() + offset % kPage, count);
      } else {
        make(offset, bytes.first(count));
      }
      bytes = bytes.subspan(count);
      offset += static_cast<std::uint32_t>(count);
    }
  }

  // `bytes` from `offset` on are the words of a seed from now on: both multiples of 4. Costs memory for its ends alone.
  void generate(std::uint32_t offset, std::uint32_t bytes, std::uint64_t seed, std::uint32_t bound) {
    const std::uint32_t end = offset + bytes;
    const std::uint32_t first_page = (offset + kPage - 1) / kPage, end_page = end / kPage;
    for (std::uint32_t page = first_page; page < end_page; ++page) pages_[page].reset();
    const std::uint32_t head = std::min(end, first_page * kPage), tail = std::max(head, end_page * kPage);
    const Region region{offset, end, seed, bound};
    write_words(region, offset, head);
    if (tail > head) regions_.push_back({head, tail, seed, bound, (head - offset) / 4});
    write_words(region, tail, end);
  }

  // Pages and seeds alike.
  Mram copy() const {
    Mram other;
    other.regions_ = regions_;
    for (std::size_t i = 0; i < pages_.size(); ++i) {
      if (pages_[i]) other.pages_[i] = std::make_unique<Page>(*pages_[i]);
    }
    return other;
  }

 private:
  static constexpr std::uint32_t kPage = 16384;
  using Page = std::array<std::uint8_t, kPage>;
  struct Region {
    std::uint32_t begin, end;  // whole pages
    std::uint64_t seed;
    std::uint32_t bound;
    std::uint32_t first = 0;   // index of its first word
  };

  std::unique_ptr<Page> made(std::uint32_t offset) const {
    auto page = std::make_unique<Page>();
    make(offset, *page);
    return page;
  }

  // What an unwritten page reads as; `bytes` lie within one. The latest seed counts.
  void make(std::uint32_t offset, std::span<std::uint8_t> bytes) const {
    std::memset(bytes.data(), 0, bytes.size());
    for (auto region = regions_.rbegin(); region != regions_.rend(); ++region) {
      if (offset < region->begin || offset >= region->end) continue;
      for (std::uint32_t i = 0; i + 4 <= bytes.size(); i += 4) {
        const std::uint32_t word = generated_word(region->seed, region->first + (offset + i - region->begin) / 4, region->bound);
        std::memcpy(bytes.data() + i, &word, 4);
      }
      return;
    }
  }

  void write_words(const Region& region, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t at = begin; at < end; at += 4) {
      const std::uint32_t word = generated_word(region.seed, (at - region.begin) / 4, region.bound);
      std::uint8_t bytes[4];
      std::memcpy(bytes, &word, 4);
      write(at, bytes);
    }
  }

  std::vector<Region> regions_;
  std::array<std::unique_ptr<Page>, kMramBytes / kPage> pages_;
};

}  // namespace ringfort::pim
