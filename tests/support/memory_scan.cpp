// SPDX-License-Identifier: Apache-2.0
// Searches the memory of this process for a pattern (memory_scan.h). /proc/self/maps lists the mappings of this memory.
#include "support/memory_scan.h"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/mappings.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace ringfort::testing {

namespace {

struct Region {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::string line;  // a line of /proc/self/maps
};

constexpr std::uintptr_t kLargest = std::uintptr_t(1) << 28;  // excludes the shadow memory of sanitizers

std::vector<Region> writable_regions() {
#if defined(__GLIBC__)
  mallopt(M_TRIM_THRESHOLD, 1 << 30);  // the heap must not shrink while its region is scanned
#endif
  std::vector<Region> regions;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    Region region;
    char dash = 0;
    std::string rights;
    std::istringstream fields(line);
    fields >> std::hex >> region.begin >> dash >> region.end >> rights;
    region.line = line;
    if (rights.rfind("rw", 0) == 0 && region.end - region.begin <= kLargest) regions.push_back(std::move(region));
  }
  return regions;
}

// Reads memory of others, so that no library function may be called, which a sanitizer would check.
__attribute__((no_sanitize("address", "thread", "undefined"))) std::size_t occurrences(const Region& region,
                                                                                       const std::uint8_t* pattern,
                                                                                       std::size_t size) {
  // Most places differ in the first word. The whole pattern is not copied, because the search would find the copy.
  std::uint64_t complement = 0;
  __builtin_memcpy(&complement, pattern, sizeof(complement));
  std::size_t found = 0;
  for (std::uintptr_t at = region.begin; at + size <= region.end; ++at) {
    std::uint64_t word;
    __builtin_memcpy(&word, reinterpret_cast<const void*>(at), sizeof(word));
    if (word != ~complement) continue;
    const auto* memory = reinterpret_cast<const volatile std::uint8_t*>(at);
    std::size_t equal = sizeof(word);
    while (equal < size && static_cast<std::uint8_t>(~memory[equal]) == pattern[equal]) ++equal;
    if (equal == size) ++found;
  }
  return found;
}

}  // namespace

std::string dumped_mappings_with(std::span<const std::uint8_t> complemented_pattern) {
  std::string found;
  for (const Region& region : writable_regions()) {
    if (occurrences(region, complemented_pattern.data(), complemented_pattern.size()) == 0) continue;
    const std::string flags = flags_of_mapping(reinterpret_cast<const void*>(region.begin));
    if (flags.find(" dd ") == std::string::npos && flags.find(" io ") == std::string::npos)
      found.append(region.line).append(flags).append("\n");
  }
  return found;
}

std::size_t occurrences_in_memory(std::span<const std::uint8_t> complemented_pattern) {
  std::size_t found = 0;
  for (const Region& region : writable_regions()) {
    found += occurrences(region, complemented_pattern.data(), complemented_pattern.size());
  }
  return found;
}

}  // namespace ringfort::testing
