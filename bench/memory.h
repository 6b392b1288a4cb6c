// SPDX-License-Identifier: Apache-2.0
// Resident data of this process from Linux's /proc/self: now, and the peak since a mark. Other systems return nothing.
// Data are pages that no file backs (RssAnon), so pages of code that become resident do not count. Freed memory that
// the allocator keeps is returned to the system first.
#pragma once

#include <cstdint>
#include <optional>

namespace ringfort::bench {

[[nodiscard]] std::optional<std::int64_t> data_bytes();

// Peak since construction. Linux has no high-water mark of data alone, so this is the peak of all memory (VmHWM) minus
// the file pages at the mark; later file pages count as data.
class DataPeak {
 public:
  DataPeak();
  [[nodiscard]] std::optional<std::int64_t> bytes() const;

 private:
  std::optional<std::int64_t> of_files_;  // nullopt if the mark cannot be set
};

}  // namespace ringfort::bench
