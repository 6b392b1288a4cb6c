// SPDX-License-Identifier: Apache-2.0
// The program pimbench FOLDER [--quick] [--profile NAME] [--only PREFIX]... [--list]. It runs the experiments
// (experiments.h) with the DPU programs in FOLDER, and prints one JSON document on standard output. With --list, it
// prints only the names of the experiments. Progress lines of the form `done/all name` go to standard error.
// hw/pim/README.md explains the terms.
#include <cstdio>
#include <exception>

#include "bench/experiments.h"
#include "bench/host_cpu.h"
#include "sdk/host/profile.h"

namespace {

using namespace ringfort::pim;
using namespace ringfort::pim::bench;

struct Wish {
  Setting setting;
  std::vector<std::string> only;
  bool list = false;
};

bool parse(int count, char** values, Wish& wish) {
  wish.setting.profile = "mwaisela-4210R";
  for (int i = 1; i < count; ++i) {
    const std::string word = values[i];
    if (word == "--list") wish.list = true;
    else if (word == "--quick") wish.setting.quick = true;
    else if (word == "--profile" && i + 1 < count) wish.setting.profile = values[++i];
    else if (word == "--only" && i + 1 < count) wish.only.push_back(values[++i]);
    else if (word[0] != '-' && wish.setting.folder.empty()) wish.setting.folder = word;
    else return false;
  }
  return !wish.setting.folder.empty();
}

// Tells whether the experiment must run: without --only, every experiment. A PREFIX is the beginning of names of rows,
// most of which begin with pim/NAME. For example, pim/fig3 and pim/fig3a/n1024 select the experiment fig3a.
bool is_wanted(const Wish& wish, const std::string& experiment) {
  if (wish.only.empty()) return true;
  const std::string rows = "pim/" + experiment;
  for (const auto& prefix : wish.only) {
    if (rows.starts_with(prefix) || prefix.starts_with(rows)) return true;
  }
  return false;
}

std::vector<Experiment> wanted(const Wish& wish) {
  std::vector<Experiment> chosen;
  for (auto experiments : {cycle_tables(), figures(), sweeps(), statistics(), host_measurements(), simulator_speed()}) {
    for (auto& experiment : experiments) {
      if (is_wanted(wish, experiment.name)) chosen.push_back(std::move(experiment));
    }
  }
  return chosen;
}

}  // namespace

int main(int count, char** values) try {
  Wish wish;
  if (!parse(count, values, wish)) {
    std::fputs("usage: pimbench FOLDER [--quick] [--profile NAME] [--only PREFIX]... [--list]\n", stderr);
    return 2;
  }
  if (!find_profile(wish.setting.profile)) {
    std::string known;
    for (const auto& name : profile_names()) known += (known.empty() ? "" : ", ") + name;
    std::fprintf(stderr, "pimbench: there is no profile '%s'; profiles are %s\n", wish.setting.profile.c_str(),
                 known.c_str());
    return 2;
  }
  Rows rows;
  wish.setting.rows = &rows;
  const auto experiments = wanted(wish);
  if (wish.list) {
    for (const auto& experiment : experiments) std::puts(experiment.name.c_str());
    return 0;
  }
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    std::fprintf(stderr, "%zu/%zu %s\n", i, experiments.size(), experiments[i].name.c_str());
    experiments[i].run(wish.setting);
  }
  std::printf("{\n \"profile\": \"%s\",\n \"rows\": [\n%s\n ]\n}\n", wish.setting.profile.c_str(), rows.text().c_str());
  return 0;
} catch (const std::exception& problem) {
  std::fprintf(stderr, "pimbench: %s\n", problem.what());
  return 1;
}
