// SPDX-License-Identifier: Apache-2.0
// Reads the resident data of this process from /proc/self/status and resets its peak (memory.h).
#include "bench/memory.h"

#include <fstream>
#include <string>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace ringfort::bench {
namespace {

std::optional<std::int64_t> field(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::int64_t kibibytes = 0;
    if (word == name && status >> kibibytes) return kibibytes * 1024;
  }
  return std::nullopt;
}

void give_back() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace

std::optional<std::int64_t> data_bytes() {
  give_back();
  return field("RssAnon:");
}

DataPeak::DataPeak() {
  give_back();
  std::ofstream clear("/proc/self/clear_refs");
  clear << "5";  // sets VmHWM to VmRSS
  clear.close();
  const std::optional<std::int64_t> all = field("VmRSS:"), data = field("RssAnon:");
  if (clear.good() && all && data) of_files_ = *all - *data;
}

std::optional<std::int64_t> DataPeak::bytes() const {
  const std::optional<std::int64_t> most = field("VmHWM:");
  if (!of_files_ || !most) return std::nullopt;
  return *most - *of_files_;
}

}  // namespace ringfort::bench
