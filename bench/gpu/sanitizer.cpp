// SPDX-License-Identifier: Apache-2.0
// Runs the section of answers of gpu-bench under NVIDIA's compute-sanitizer. This tool must start the program that it
// watches. Therefore the section of answers runs in another process. `timeout` of coreutils ends this process at the
// section's time limit.
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>

#include "bench/gpu/sections.h"

namespace ringfort::bench::gpu {
namespace {

constexpr u32 kLargestLog = 6;  // because the tool makes kernels a thousand times slower

struct Said {
  int status = -1;
  std::string text;
};

Said output_of(const std::string& command) {
  Said said;
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return said;
  char line[4096];
  while (std::fgets(line, sizeof line, pipe) != nullptr) said.text += line;
  said.status = pclose(pipe);
  return said;
}

// Returns N of the last line "... ERROR SUMMARY: N errors" or "RACECHECK SUMMARY: N hazards ...", or -1.
double findings_of(const std::string& text) {
  const std::size_t at = text.rfind("SUMMARY: ");
  double count = -1;
  if (at != text.npos) (void)std::sscanf(text.c_str() + at, "SUMMARY: %lf", &count);
  return count;
}

}  // namespace

void run_sanitizer(const Options& options, Report& report) {
  if (!options.device.starts_with("cuda")) return report.note("sanitizer.txt", "not run: the device is not NVIDIA's");
  if (output_of("compute-sanitizer --version").status != 0)
    return report.note("sanitizer.txt", "not run: compute-sanitizer is not installed");
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  for (const std::string tool : {"racecheck", "memcheck"}) {
    if (report.is_cut(tool)) return;
    const auto seconds = static_cast<long>(report.clock().left()) + 1;
    const std::string digests = options.digests.empty() ? "" : " --digests '" + options.digests.string() + "'";
    const Said said = output_of("timeout " + std::to_string(seconds) + " compute-sanitizer --tool " + tool + " '" +
                                self + "' --section answers --largest " + std::to_string(kLargestLog) + " --device " +
                                options.device + digests);
    report.note("sanitizer.txt", "# " + tool + "\n" + said.text);
    const double found = findings_of(said.text);
    if (found < 0) report.fail(tool + " did not end: see sanitizer.txt");
    else report.count("sanitizer/" + tool, "findings", found);
    if (found > 0) report.fail(tool + " found something: see sanitizer.txt");
  }
}

}  // namespace ringfort::bench::gpu
