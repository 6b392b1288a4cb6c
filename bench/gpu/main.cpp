// SPDX-License-Identifier: Apache-2.0
// gpu-bench, the program that checks and measures a GPU in sections. Each section has a time limit. Usage:
//   gpu-bench --out DIR [--device D] [--seconds N] [--quick] [--digests FILE] [--section NAME].. [--largest LOG_N]
//   gpu-bench --write-digests FILE [--quick]      writes the known answers
// With --pretend the program treats an emulated device like a GPU that measures times, and the results say so. The exit
// status is 1 if an answer is wrong or a section failed, 2 if the arguments are wrong or the device does not exist, and
// otherwise 0.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "bench/gpu/run.h"

namespace {

using namespace ringfort::bench::gpu;
using ringfort::u32;

struct Arguments {
  Options options;
  std::vector<std::string> sections;  // empty: all
  bool writes_digests = false;
};

std::optional<Arguments> read_arguments(int count, char** words) {
  Arguments read;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--quick" || word == "--pretend") {
      (word == "--quick" ? read.options.quick : read.options.pretends) = true;
      continue;
    }
    if (++i == count) return std::nullopt;
    const std::string value = words[i];
    if (word == "--out") read.options.out = value;
    else if (word == "--device") read.options.device = value;
    else if (word == "--seconds") read.options.seconds = std::atof(value.c_str());
    else if (word == "--digests" || word == "--write-digests") read.options.digests = value;
    else if (word == "--section") read.sections.push_back(value);
    else if (word == "--largest") read.options.largest_log = static_cast<u32>(std::atoi(value.c_str()));
    else return std::nullopt;
    read.writes_digests |= word == "--write-digests";
  }
  return read;
}

}  // namespace

int main(int count, char** words) {
  if (count == 2 && std::strcmp(words[1], "--version") == 0) {
    std::printf("gpu-bench, compiled with %s\n", __VERSION__);
    return 0;
  }
  const std::optional<Arguments> arguments = read_arguments(count, words);
  if (!arguments) {
    std::fputs("usage: gpu-bench --out DIR [--device D] [--seconds N] [--quick] [--digests FILE]\n", stderr);
    return 2;
  }
  try {
    if (!arguments->writes_digests) {
      Report report(arguments->options.device, [](const std::string& line) {
        std::puts(line.c_str());
        std::fflush(stdout);
        return true;
      });
      run_sections(arguments->options, arguments->sections, report);
      return report.has_failed() ? 1 : 0;
    }
    write_digests(arguments->options);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu-bench: %s\n", error.what());
    return 2;
  }
}
