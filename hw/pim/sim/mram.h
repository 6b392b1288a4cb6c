// SPDX-License-Identifier: Apache-2.0
// 64 MiB of MRAM that cost the host only the pages that were written. Callers check ranges; unwritten bytes are zero.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "chip.h"

namespace ringfort::pim {

class Mram {
 public:
  void write(std::uint32_t offset, std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
      const std::size_t count = std::min<std::size_t>(bytes.size(), kPage - offset % kPage);
      auto& page = pages_[offset / kPage];
      if (!page) page = std::make_unique<Page>();
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
        std::memset(bytes.data(), 0, count);
      }
      bytes = bytes.subspan(count);
      offset += static_cast<std::uint32_t>(count);
    }
  }

 private:
  static constexpr std::size_t kPage = 16384;
  using Page = std::array<std::uint8_t, kPage>;
  std::array<std::unique_ptr<Page>, kMramBytes / kPage> pages_;
};

}  // namespace ringfort::pim
