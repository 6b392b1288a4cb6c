// SPDX-License-Identifier: Apache-2.0
// Runs the sections of sections.h on one GPU (run.h). Each section has its own share of the time.
#include "bench/gpu/run.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <thread>

#include "ringfort/error.h"

namespace ringfort::bench::gpu {
namespace {

// Looks in a file for the first line that begins with `field`, and returns the rest of this line.
std::string line_of(const char* path, const std::string& field) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(field)) return line.substr(line.find_first_not_of(" \t:=\"", field.size()));
  }
  return {};
}

void describe(Report& report, const Opened& gpu) {
  const ringfort::device::Facts& facts = gpu.driver().facts();
  report.fact("cpu", line_of("/proc/cpuinfo", "model name"));
  report.fact("cores", std::int64_t{std::thread::hardware_concurrency()});
  report.fact("memory_bytes", std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE));
  report.fact("os", line_of("/proc/version", "Linux version"));
  report.fact("compiler", std::string(__VERSION__));
  report.fact("device", facts.name);
  report.fact("chip", facts.chip.empty() ? "emulated" : facts.chip);
  report.fact("units", std::int64_t{facts.units});
  report.fact("shared_bytes", std::int64_t{facts.shared_bytes});
  report.fact("clock_mhz", facts.clock_mhz);
  report.fact("stated_bytes_per_us", facts.bytes_per_us);
  report.fact("cache_bytes", static_cast<std::int64_t>(facts.cache_bytes));
  report.fact("device_memory_bytes", static_cast<std::int64_t>(gpu.driver().memory().limit));
  report.fact("has_times", gpu.times());
}

struct SectionOfRun {
  const char* name;
  double share;  // share of the run's time limit
  std::function<void(Opened&, const Options&, Report&)> measure;
};

const std::vector<SectionOfRun>& all_sections() {
  static const std::vector<SectionOfRun> all{
      {"answers", 0.19, check_answers},
      {"sanitizer", 0.10, [](Opened&, const Options& options, Report& report) { run_sanitizer(options, report); }},
      {"rates", 0.12, measure_rates},
      {"transforms", 0.12, measure_transforms},
      {"variants", 0.15, measure_variants},
      {"reductions", 0.02, measure_reductions},
      {"products", 0.02, measure_products},
      {"routines", 0.08, measure_routines},
      {"matmul", 0.06, measure_matmul},
      {"operations", 0.15, measure_operations}};
  return all;
}

}  // namespace

std::vector<std::string> section_names() {
  std::vector<std::string> names;
  for (const SectionOfRun& each : all_sections()) names.emplace_back(each.name);
  return names;
}

void run_sections(const Options& options, const std::vector<std::string>& sections, Report& report) {
  const std::vector<std::string> known = section_names();
  for (const std::string& name : sections) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string names;
    for (const std::string& each : known) names += (names.empty() ? "" : ", ") + each;
    throw Error(Code::invalid_argument, "no section is called " + name, "the sections are " + names);
  }
  const auto is_wanted = [&](const SectionOfRun& section) {
    return sections.empty() || std::find(sections.begin(), sections.end(), section.name) != sections.end();
  };
  Opened gpu(options.device);
  describe(report, gpu);
  report.fact("is_pretended", options.pretends);
  if (options.pretends) gpu.pretend_times();
  double whole = 0, shares = 0;
  for (const SectionOfRun& section : all_sections()) whole += is_wanted(section) ? section.share : 0;
  const Clock clock(options.seconds);
  for (const SectionOfRun& section : all_sections()) {
    if (!is_wanted(section)) continue;
    // The next section may use the time that a section does not use.
    shares += section.share / whole;
    report.begin(section.name, shares * options.seconds - (options.seconds - clock.left()));
    try {
      section.measure(gpu, options, report);
    } catch (const std::exception& error) { report.fail(error.what()); }
    report.end();
    // writes the results now, because the next section may crash the program
    if (!options.out.empty()) report.write(options.out);
  }
}

}  // namespace ringfort::bench::gpu
