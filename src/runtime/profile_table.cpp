// SPDX-License-Identifier: Apache-2.0
// Writes a profile as a table. A row is a verb, a launch or a section. Besides sums, the columns have shares: of the
// time, of transforms in the multiplications, and of the device's peak rates.
#include <algorithm>
#include <array>

#include "base/shown.h"
#include "runtime/profiler.h"
#include "runtime/quoted.h"

namespace ringfort {

namespace {

struct Sum {
  ProfileRow row;
  u64 transform_multiplications = 0;
};
using Sums = std::map<std::pair<std::string_view, std::string_view>, Sum>;  // by device and name

Sum& row_of(Sums& sums, std::string_view device, std::string_view name) {
  Sum& sum = sums[{device, name}];
  sum.row.name = name;
  sum.row.device = device;
  return sum;
}

Sums sums_of(const Profiler& profiler, ProfileBy by) {
  Sums sums;
  if (by == ProfileBy::launch) {
    for (const LaunchEvent& event : profiler.launches()) {
      Sum& sum = row_of(sums, event.device, event.name);
      ProfileRow& row = sum.row;
      ++row.count;
      row.us += event.end_us - event.start_us;
      row.energy_uj += event.energy_uj;
      row.bytes += event.cost.bytes;
      row.multiplications += event.cost.multiplications;
      sum.transform_multiplications += event.cost.transform_multiplications;
    }
    return sums;
  }
  for (const VerbEvent& event : profiler.events()) {
    Sum& sum = row_of(sums, event.device, by == ProfileBy::verb ? event.verb : event.section);
    ++sum.row.count;
    sum.row.us += event.end_us - event.start_us;
    sum.row.energy_uj += event.energy_uj;
    sum.row.bytes += event.bytes;
    sum.row.multiplications += event.multiplications;
    sum.transform_multiplications += event.transform_multiplications;
  }
  return sums;
}

double over(double part, double whole) noexcept { return whole > 0 ? part / whole : 0; }

using Column = std::pair<const char*, std::string (*)(const ProfileRow&)>;
constexpr std::array<Column, 9> kColumns = {{
    {"count", [](const ProfileRow& r) { return std::to_string(r.count); }},
    {"us", [](const ProfileRow& r) { return shown(r.us); }},
    {"time_share", [](const ProfileRow& r) { return shown(r.time_share); }},
    {"transform_share", [](const ProfileRow& r) { return shown(r.transform_share); }},
    {"bandwidth_share", [](const ProfileRow& r) { return shown(r.bandwidth_share); }},
    {"multiplier_share", [](const ProfileRow& r) { return shown(r.multiplier_share); }},
    {"bytes", [](const ProfileRow& r) { return std::to_string(r.bytes); }},
    {"multiplications", [](const ProfileRow& r) { return std::to_string(r.multiplications); }},
    {"energy_uj", [](const ProfileRow& r) { return shown(r.energy_uj); }},
}};

}  // namespace

std::vector<ProfileRow> Profile::table(ProfileBy by) const {
  const Profiler& profiler = *state_->profiler;
  const Sums sums = sums_of(profiler, by);
  const std::map<std::string_view, Roofs> roofs = profiler.roofs();
  std::map<std::string_view, double> time;
  for (const auto& [key, sum] : sums) time[key.first] += sum.row.us;
  std::vector<ProfileRow> rows;
  for (const auto& [key, sum] : sums) {
    ProfileRow row = sum.row;
    row.time_share = over(row.us, time[key.first]);
    row.transform_share =
        over(static_cast<double>(sum.transform_multiplications), static_cast<double>(row.multiplications));
    const Roofs& roof = roofs.at(key.first);
    if (by != ProfileBy::launch && roof.bytes_per_us > 0)
      row.bandwidth_share = over(static_cast<double>(row.bytes) / roof.bytes_per_us, row.us);
    if (by != ProfileBy::launch && roof.multiplications_per_us > 0) {
      row.multiplier_share = over(static_cast<double>(row.multiplications) / roof.multiplications_per_us, row.us);
    }
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ProfileRow& x, const ProfileRow& y) {
    return x.device != y.device ? x.device < y.device : x.us > y.us;
  });
  return rows;
}

std::string Profile::csv(ProfileBy by) const {
  std::string out = "name,device";
  for (const auto& [name, value] : kColumns) out += std::string(",") + name;
  out += "\n";
  for (const ProfileRow& row : table(by)) {
    out += quoted(row.name, Quoting::csv) + "," + quoted(row.device, Quoting::csv);
    for (const auto& [name, value] : kColumns) out.append(",").append(value(row));
    out += "\n";
  }
  return out;
}

std::string Profile::json() const {
  std::string out = "{";
  for (const auto& [title, by] :
       {std::pair{"verbs", ProfileBy::verb}, {"launches", ProfileBy::launch}, {"sections", ProfileBy::section}}) {
    out += std::string(out.size() > 1 ? ",\n" : "") + "\"" + title + "\":[";
    std::string_view between = "";
    for (const ProfileRow& row : table(by)) {
      out += std::string(between) + "{\"name\":" + quoted(row.name, Quoting::json) +
             ",\"device\":" + quoted(row.device, Quoting::json);
      for (const auto& [name, value] : kColumns) out += std::string(",\"") + name + "\":" + value(row);
      out += "}";
      between = ",\n";
    }
    out += "]";
  }
  return out + "}\n";
}

}  // namespace ringfort
