// SPDX-License-Identifier: Apache-2.0
// Writes the report that the environment variable RINGFORT_PIM_REPORT requests (report.h). For each kind of action, the
// report has the sums of times, bytes and cycles. Actions of different ranks may overlap. Therefore a sum of times may
// exceed the simulated time. hw/pim/README.md explains the terms.
#include "report.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "sim/words.h"
#include "system.h"

namespace ringfort::pim {
namespace {

// One name for each ringfort_pim_event_kind_t.
constexpr const char* kKinds[] = {"to_dpu", "from_dpu", "broadcast", "launch", "load"};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string target() { return variable("RINGFORT_PIM_REPORT"); }

struct Reported {
  std::vector<System*> systems;
  u32 number = 0;
};
// Never destroyed, because other threads may open and close systems while the process exits.
Reported& reported() {
  static Reported& all = *new Reported;
  return all;
}

// Returns milliseconds with a decimal point in every locale, because programs read the report.
std::string text_of(double ms, int decimals) {
  std::array<char, 340> text{};
  return {text.data(), std::to_chars(text.begin(), text.end(), ms, std::chars_format::fixed, decimals).ptr};
}

double finished_ms(const System& system) {
  double ms = system.host_ms;
  for (const auto& rank : system.ranks) ms = std::max(ms, rank->free_ms);
  return ms;
}

std::size_t dpus_of(const System& system) {
  std::size_t count = 0;
  for (const auto& rank : system.ranks) count += rank->dpus.size();
  return count;
}

void write_json(std::FILE* file, const System& system, u32 number) {
  std::fprintf(
      file,
      "{\"system\": %u, \"profile\": \"%s\", \"chip\": \"%s\", \"ranks\": %zu, \"dpus\": %zu, \"simulated_ms\": %s",
      number, system.profile.name.c_str(), std::string(system.chip.name).c_str(), system.ranks.size(), dpus_of(system),
      text_of(finished_ms(system), 6).c_str());
  for (std::size_t kind = 0; kind < std::size(kKinds); ++kind) {
    const Total& total = system.totals[kind];
    std::fprintf(file, ", \"%s\": {\"count\": %llu, \"ms\": %s, \"bytes\": %llu", kKinds[kind],
                 static_cast<unsigned long long>(total.count), text_of(total.ms, 6).c_str(),
                 static_cast<unsigned long long>(total.bytes));
    if (kind == RINGFORT_PIM_LAUNCH)
      std::fprintf(file, ", \"cycles\": %llu, \"estimated\": %s", static_cast<unsigned long long>(total.cycles),
                   total.estimated ? "true" : "false");
    std::fprintf(file, "}");
  }
  std::fprintf(file, "}\n");
}

void write_text(std::FILE* file, const System& system, u32 number) {
  std::fprintf(
      file, "ringfort-pim: system %u, %zu DPUs of profile %s: %s ms of simulated time, without the host's own work\n",
      number, dpus_of(system), system.profile.name.c_str(), text_of(finished_ms(system), 3).c_str());
  for (std::size_t kind = 0; kind < std::size(kKinds); ++kind) {
    const Total& total = system.totals[kind];
    if (total.count == 0) continue;
    std::fprintf(file, "ringfort-pim:   %-9s %6llu times %12s ms", kKinds[kind],
                 static_cast<unsigned long long>(total.count), text_of(total.ms, 3).c_str());
    if (kind == RINGFORT_PIM_LAUNCH)
      std::fprintf(file, " %14llu cycles%s\n", static_cast<unsigned long long>(total.cycles),
                   total.estimated ? ", estimated" : "");
    else std::fprintf(file, " %14llu bytes\n", static_cast<unsigned long long>(total.bytes));
  }
}

void write(const System& system, u32 number) {
  const std::string destination = target();
  if (destination == "1") return write_text(stderr, system, number);
  std::FILE* file = std::fopen(destination.c_str(), "a");
  if (file == nullptr) return;  // begin_report() has already reported the error
  write_json(file, system, number);
  const bool failed = std::ferror(file) != 0;
  if (std::fclose(file) != 0 || failed)
    std::fprintf(stderr, "ringfort-pim: cannot write all of %s\n", destination.c_str());
}

void write_rest() {
  auto& systems = reported().systems;
  while (!systems.empty()) end_report(*systems.front());
}

}  // namespace

std::string added_profile() { return variable("RINGFORT_PIM_PROFILE"); }

bool begin_report(System& system) {
  const std::string destination = target();
  if (destination.empty()) return true;
  if (destination != "1") {
    std::FILE* file = std::fopen(destination.c_str(), "a");
    if (file == nullptr) return false;
    std::fclose(file);
  }
  Reported& all = reported();
  if (all.number == 0) std::atexit(write_rest);
  system.report_number = ++all.number;
  all.systems.push_back(&system);
  return true;
}

void end_report(System& system) {
  auto& systems = reported().systems;
  const auto found = std::find(systems.begin(), systems.end(), &system);
  if (found == systems.end()) return;
  systems.erase(found);
  write(system, system.report_number);
}

}  // namespace ringfort::pim
