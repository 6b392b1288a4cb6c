// SPDX-License-Identifier: Apache-2.0
#include "backend/pim/options.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/shown.h"
#include "sdk/host/profile.h"
#include "sim/chip.h"

namespace ringfort::pim_host {
namespace {

using ::ringfort::pim::find_profile;
using ::ringfort::pim::profile_names;

bool is_number(std::string_view text, u32 most, u32& value) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc{} && end == text.data() + text.size() && value >= 1 && value <= most;
}

bool is_one_of(std::string_view value, std::initializer_list<std::string_view> known) { return std::find(known.begin(), known.end(), value) != known.end(); }

std::string known_options() {
  std::string profiles;
  for (const std::string& name : profile_names()) profiles += (profiles.empty() ? "" : ", ") + name;
  return "known: ranks=1.. (as many as the profile has), profile=(" + profiles + "), chip=(v1A, v1B), dpus=1..64 (of a rank), fidelity=(once, shapes, full)";
}

}  // namespace

bool parse(std::string_view device, Options& options, std::string& refusal) {
  std::map<std::string, std::string, std::less<>> said = {{"timing", "mwaisela-4210R"}, {"fidelity", "once"}, {"events", "off"}};
  constexpr std::string_view kName = "pim";
  std::string_view rest = device.substr(std::min(device.size(), kName.size() + 1));
  bool understood = device == kName || !rest.empty();
  std::string_view entry;
  for (; understood && !rest.empty(); rest.remove_prefix(std::min(rest.size(), entry.size() + 1))) {
    entry = rest.substr(0, rest.find(','));
    const std::size_t equals = std::min(entry.find('='), entry.size());
    const std::string_view key = entry.substr(0, equals), value = entry.substr(std::min(entry.size(), equals + 1));
    u32 number = 0;
    if (key == "ranks") understood = is_number(value, 4096, options.ranks);
    else if (key == "profile") understood = find_profile(value).has_value(), said["timing"] = value;
    else if (key == "chip") understood = is_one_of(value, {"v1A", "v1B"}), said["chip"] = value;
    else if (key == "dpus") understood = is_number(value, 64, number), said["dpusPerRank"] = value;
    else if (key == "fidelity") understood = is_one_of(value, {"once", "shapes", "full"}), said["fidelity"] = value;
    else understood = false;
  }
  if (!understood) {
    refusal = "option '" + shown(entry) + "' of pim is not understood; " + known_options();
    return false;
  }
  const auto profile = find_profile(said["timing"]);
  const u32 most = profile->ranks;
  if (options.ranks > most) {
    refusal = "profile " + said["timing"] + " has " + std::to_string(most) + " ranks, " + std::to_string(options.ranks) + " were asked for";
    return false;
  }
  options.launch_us = profile->launch_ms(1) * 1e3;
  options.clock_mhz = ::ringfort::pim::find_chip(said.contains("chip") ? said["chip"] : profile->chip)->clock_mhz;
  for (const auto& [key, value] : said) options.profile += (options.profile.empty() ? "" : ",") + key + "=" + value;
  return true;
}

}  // namespace ringfort::pim_host
