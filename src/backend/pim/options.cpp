// SPDX-License-Identifier: Apache-2.0
// Reads the name of a pim device (options.h), and makes the argument of dpu_alloc(), which reserves DPUs.
#include "backend/pim/options.h"

#include <vector>

#include "backend/options/options.h"
#include "sdk/host/profile.h"
#include "sim/chip.h"

namespace ringfort::pim_host {
namespace {

using ::ringfort::pim::find_chip;
using ::ringfort::pim::find_profile;

constexpr std::string_view kChips[] = {"v1A", "v1B"};
constexpr std::string_view kFidelities[] = {"once", "shapes", "full"};
constexpr std::string_view kUsualProfile = "mwaisela-4210R";
constexpr u64 kMostRanks = 4096, kMostDpus = 64;

struct Said {
  const std::vector<std::string> profiles = ::ringfort::pim::profile_names();
  std::string profile{kUsualProfile}, chip, dpus;
  std::string_view fidelity = kFidelities[0];
};

std::vector<Option> options_for(Options& options, Said& said) {
  const std::vector<std::string_view> profiles(said.profiles.begin(), said.profiles.end());
  return {number_option("ranks", 1, kMostRanks, [&options](u64 ranks) { options.ranks = static_cast<u32>(ranks); }),
          choice_option("profile", profiles, [&said](std::size_t i) { said.profile = said.profiles[i]; }),
          choice_option("chip", kChips, [&said](std::size_t i) { said.chip = kChips[i]; }),
          number_option("dpus", 1, kMostDpus, [&said](u64 dpus) { said.dpus = std::to_string(dpus); }),
          choice_option("fidelity", kFidelities, [&said](std::size_t i) { said.fidelity = kFidelities[i]; })};
}

}  // namespace

bool parse(std::string_view device, Options& options, std::string& refusal) {
  Said said;
  refusal = read_options(device, options_for(options, said));
  if (!refusal.empty()) return false;
  const auto profile = find_profile(said.profile);
  if (options.ranks > profile->ranks) {
    refusal = "profile " + said.profile + " has " + std::to_string(profile->ranks) + " ranks, " +
              std::to_string(options.ranks) + " are requested: set a lower ranks=, or another profile";
    return false;
  }
  options.launch_us = profile->launch_ms(1) * 1e3;
  options.clock_mhz = find_chip(said.chip.empty() ? profile->chip : said.chip)->clock_mhz;
  options.profile = "events=off,dma=checked,fidelity=" + std::string(said.fidelity) + ",timing=" + said.profile;
  if (!said.chip.empty()) options.profile += ",chip=" + said.chip;
  if (!said.dpus.empty()) options.profile += ",dpusPerRank=" + said.dpus;
  return true;
}

}  // namespace ringfort::pim_host
