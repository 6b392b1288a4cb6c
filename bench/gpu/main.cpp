// SPDX-License-Identifier: Apache-2.0
// gpu-bench --out DIR [--device D] [--seconds N] [--quick] [--digests FILE] [--section NAME] [--largest LOG_N] checks
// and measures a GPU in sections; each section has a time limit. gpu-bench --write-digests FILE [--quick] writes the
// known answers. With --pretend the program treats an emulated device like a GPU that measures times; the results say
// so. Exit status: 0; 1 if an answer is wrong or a section failed; 2 for other arguments, or without the device.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <thread>

#include "bench/gpu/sections.h"
#include "ringfort/error.h"

namespace {

using namespace ringfort::bench::gpu;
using ringfort::u32;

struct Arguments {
  Options options;
  std::string section;  // empty: all
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
    else if (word == "--section") read.section = value;
    else if (word == "--largest") read.options.largest_log = static_cast<u32>(std::atoi(value.c_str()));
    else return std::nullopt;
    read.writes_digests |= word == "--write-digests";
  }
  return read;
}

// Returns the value of the first line of a file that begins with `field`.
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

class Run {
 public:
  explicit Run(const Arguments& arguments)
      : arguments_(arguments),
        gpu_(arguments.options.device),
        report_(arguments.options.device) {
    describe(report_, gpu_);
    report_.fact("is_pretended", arguments.options.pretends);
    if (arguments.options.pretends) gpu_.pretend_times();
  }

  int all() {
    const Options& o = arguments_.options;
    // Each section gets a share of the seconds. Time that a section does not use goes to the next one.
    one("answers", 0.22, [&] { check_answers(gpu_, o, report_); });
    one("sanitizer", 0.11, [&] { run_sanitizer(o, report_); });
    one("rates", 0.13, [&] { measure_rates(gpu_, o, report_); });
    one("transforms", 0.16, [&] { measure_transforms(gpu_, o, report_); });
    one("variants", 0.16, [&] { measure_variants(gpu_, o, report_); });
    one("operations", 0.22, [&] { measure_operations(gpu_, o, report_); });
    return report_.has_failed() ? 1 : 0;
  }

 private:
  template <class F>
  void one(const std::string& name, double share, F section) {
    if (!arguments_.section.empty() && arguments_.section != name) return;
    shares_ += share;
    report_.begin(name, shares_ * arguments_.options.seconds - all_.left_out());
    try {
      section();
    } catch (const std::exception& error) { report_.fail(error.what()); }
    report_.end();
    // written now, so that the results are kept if the next section ends the program
    if (!arguments_.options.out.empty()) report_.write(arguments_.options.out);
  }

  // Seconds since the start.
  class Spent {
   public:
    [[nodiscard]] double left_out() const { return kMost - clock_.left(); }

   private:
    static constexpr double kMost = 1e6;
    Clock clock_{kMost};
  };

  Arguments arguments_;
  Opened gpu_;
  Report report_;
  Spent all_;
  double shares_ = 0;
};

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
    if (!arguments->writes_digests) return Run(*arguments).all();
    write_digests(arguments->options);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu-bench: %s\n", error.what());
    return 2;
  }
}
