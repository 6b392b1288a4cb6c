// SPDX-License-Identifier: Apache-2.0
// Measures the resident data of this process, now and as a peak. The numbers come from Linux's /proc/self. On other
// systems there is no result. Data are pages without a file (RssAnon). Therefore pages of code do not count. The
// allocator may keep memory that was freed. Each measurement first returns this memory to the system.
#pragma once

#include <cstdint>
#include <optional>

namespace ringfort::bench {

[[nodiscard]] std::optional<std::int64_t> data_bytes();

// The peak of resident data since the construction of the object. Linux records only the peak of all resident memory
// (VmHWM). This class subtracts the pages with a file that were resident at the construction. Therefore pages of code
// that are loaded later count as data.
class DataPeak {
 public:
  DataPeak();
  [[nodiscard]] std::optional<std::int64_t> bytes() const;

 private:
  std::optional<std::int64_t> of_files_;  // nullopt if Linux cannot reset the peak
};

}  // namespace ringfort::bench
