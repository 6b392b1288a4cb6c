// SPDX-License-Identifier: Apache-2.0
// Resident data of this process, as Linux tells it (/proc/self): now, and at most since the mark. Elsewhere: nothing.
// Data are what no file backs (RssAnon); the pages of programs and libraries that become resident as their code runs
// are not. What the allocator keeps of freed memory is given back before either.
#pragma once

#include <cstdint>
#include <optional>

namespace ringfort::bench {

[[nodiscard]] std::optional<std::int64_t> data_bytes();

// The most since it was made. There is no high-water mark of data alone: it is that of all memory (VmHWM) less the
// pages of files at the mark, so those that came later count as data.
class DataPeak {
 public:
  DataPeak();
  [[nodiscard]] std::optional<std::int64_t> bytes() const;

 private:
  std::optional<std::int64_t> of_files_;  // nothing where the mark cannot be set
};

}  // namespace ringfort::bench
