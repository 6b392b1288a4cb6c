// SPDX-License-Identifier: Apache-2.0
// The resident data of this process, now and as a peak, from Linux's /proc/self; on other systems there is no result.
// Data are pages without a file (RssAnon), so pages of code do not count. Memory that was freed, but kept by the
// allocator, is first returned to the system.
#pragma once

#include <cstdint>
#include <optional>

namespace ringfort::bench {

[[nodiscard]] std::optional<std::int64_t> data_bytes();

// The peak since construction. Linux records only the peak of all memory (VmHWM). This class subtracts the pages with a
// file that were resident at its construction. Therefore pages of code that are loaded later count as data.
class DataPeak {
 public:
  DataPeak();
  [[nodiscard]] std::optional<std::int64_t> bytes() const;

 private:
  std::optional<std::int64_t> of_files_;  // nullopt if Linux cannot reset the peak
};

}  // namespace ringfort::bench
