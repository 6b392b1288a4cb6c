// SPDX-License-Identifier: Apache-2.0
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

std::optional<std::int64_t> resident_bytes() {
  give_back();
  return field("VmRSS:");
}

bool mark_peak() {
  give_back();
  std::ofstream clear("/proc/self/clear_refs");
  clear << "5";                                          // sets VmHWM to VmRSS
  clear.close();
  return clear.good();
}

std::optional<std::int64_t> peak_resident_bytes() { return field("VmHWM:"); }

}  // namespace ringfort::bench
