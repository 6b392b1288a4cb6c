// SPDX-License-Identifier: Apache-2.0
// The profiles are JSON texts that the build puts into the library (profile_texts.cpp in the build folder).
#include "profile.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace ringfort::pim {

extern const std::vector<std::string_view> kProfileTexts;

namespace {

HostProfile parsed(const nlohmann::json& data) {
  HostProfile p;
  p.name = data.at("name");
  p.chip = data.at("chip");
  p.ranks = data.at("ranks");
  p.dpus_per_rank = data.at("dpus_per_rank");
  p.launch_fixed_ms = data.at("launch_ms").at("fixed");
  p.launch_rank_ms = data.at("launch_ms").at("per_rank");
  p.push_fixed_ms = data.at("push_fixed_ms").at("fixed");
  p.curve_ranks = data.at("push_curve").at("ranks");
  p.curve_bytes = data.at("push_curve").at("bytes_per_dpu").get<std::vector<double>>();
  const char* names[] = {"to", "from"};
  for (int d = 0; d < 2; ++d) {
    const std::string name = names[d];
    p.push_rank_ms[d] = data.at("push_fixed_ms").at(name + "_per_rank");
    p.curve_ms[d] = data.at("push_curve").at(name + "_ms").get<std::vector<double>>();
    p.serial_bytes_per_ms[d] = data.at("serial_bytes_per_s").at(name).get<double>() / 1e3;
    p.scaling[d] = data.at("rank_scaling").at(d);
  }
  p.broadcast_gain = data.at("broadcast_gain");
  p.prepare_ms = data.at("prepare_ns").get<double>() / 1e6;
  return p;
}

}  // namespace

// At the curve's ranks: the measured time without its fixed part. Between points a power law; outside, in proportion.
double HostProfile::streaming_ms(Direction direction, double bytes_per_dpu) const {
  const int d = static_cast<int>(direction);
  const double fixed = push_fixed_ms + push_rank_ms[d] * curve_ranks;
  const auto at = [&](std::size_t i) { return curve_ms[d][i] - fixed; };
  const std::size_t last = curve_bytes.size() - 1;
  if (bytes_per_dpu <= curve_bytes.front()) return at(0) * bytes_per_dpu / curve_bytes.front();
  if (bytes_per_dpu >= curve_bytes[last]) return at(last) * bytes_per_dpu / curve_bytes[last];
  std::size_t i = 1;
  while (curve_bytes[i] < bytes_per_dpu) ++i;
  const double share = std::log(bytes_per_dpu / curve_bytes[i - 1]) / std::log(curve_bytes[i] / curve_bytes[i - 1]);
  return at(i - 1) * std::pow(at(i) / at(i - 1), share);
}

double HostProfile::scale(std::uint32_t ranks_used) const {
  const double share = static_cast<double>(ranks_used) / curve_ranks;
  return share / (scaling[0] + scaling[1] * share);
}

double HostProfile::push_ms(Direction direction, double bytes_per_dpu, std::uint32_t ranks_used) const {
  return push_fixed_ms + push_rank_ms[static_cast<int>(direction)] * ranks_used + streaming_ms(direction, bytes_per_dpu) * scale(ranks_used);
}

double HostProfile::broadcast_ms(double bytes_per_dpu, std::uint32_t ranks_used) const {
  return push_fixed_ms + push_rank_ms[0] * ranks_used + streaming_ms(Direction::to_dpu, bytes_per_dpu) * scale(ranks_used) / broadcast_gain;
}

double HostProfile::shared_ms(Direction direction, double bytes_per_dpu, std::uint32_t ranks_used) const {
  return streaming_ms(direction, bytes_per_dpu) * ranks_used / curve_ranks;
}

std::optional<HostProfile> find_profile(std::string_view name) {
  for (const auto text : kProfileTexts) {
    const auto data = nlohmann::json::parse(text);
    if (data.at("name") == name) return parsed(data);
  }
  return std::nullopt;
}

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  for (const auto text : kProfileTexts) names.push_back(nlohmann::json::parse(text).at("name"));
  return names;
}

}  // namespace ringfort::pim
