// SPDX-License-Identifier: Apache-2.0
// Prints the rows of the word search (search.h) as plain lines. FOLDER must be new or empty. Usage:
//   ringfort_bench_search FOLDER [NAME ...]
#include <cstdio>
#include <filesystem>

#include "bench/search.h"
#include "ringfort/error.h"

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: ringfort_bench_search FOLDER [NAME ...]\n");
    return 2;
  }
  ringfort::bench::SearchBench options;
  options.folder = arguments[1];
  for (int i = 2; i < count; ++i) options.only.emplace_back(arguments[i]);
  std::filesystem::create_directories(options.folder);
  try {
    for (const auto& row : ringfort::bench::search_rows(options)) {
      std::printf("%-34s %10.4f %10.4f %10.4f %s", row.name.c_str(), row.min, row.median, row.max, row.unit.c_str());
      if (row.limit_share) std::printf("  %.0f %% of the limit", *row.limit_share * 100);
      std::printf("\n");
    }
  } catch (const ringfort::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
