// SPDX-License-Identifier: Apache-2.0
// Writes a profile as a trace (profiler.h). Viewers drop or cut a slice that begins inside another slice of its row and
// ends after it. Therefore times are whole nanoseconds, so that rounding keeps slices apart, and a launch that overlaps
// others in this way, such as a load of the ring processor during a kernel, is in a further row of its stream.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/shown.h"
#include "runtime/profiler.h"
#include "runtime/quoted.h"

namespace ringfort {
namespace {

struct Slice {
  i64 begin, end;  // nanoseconds
  bool is_launch;
  u64* row;  // gets the number of the slice's row
};

i64 nanoseconds(double us) { return std::llround(us * 1000); }

// Returns true if `slice` can be in a row. open: the ends of the row's slices that contain the last slice. A launch
// fits into the row of the verbs only inside a verb, because another verb could begin during the launch.
bool fits(std::vector<i64>& open, const Slice& slice, bool is_row_of_verbs) {
  while (!open.empty() && open.back() <= slice.begin) open.pop_back();
  return open.empty() ? !(is_row_of_verbs && slice.is_launch) : slice.end <= open.back();
}

// Numbers the rows of the slices of one stream, from 0.
void set_rows(std::vector<Slice>& slices) {
  std::sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
    return std::tuple(a.begin, b.end, a.is_launch) < std::tuple(b.begin, a.end, b.is_launch);
  });
  std::vector<std::vector<i64>> rows(1);
  for (const Slice& slice : slices) {
    u64 row = 0;
    while (row < rows.size() && !fits(rows[row], slice, row == 0)) ++row;
    if (row == rows.size()) rows.emplace_back();
    rows[row].push_back(slice.end);
    *slice.row = row;
  }
}

// The rows of all events, by their index.
struct Rows {
  Rows(const std::vector<VerbEvent>& all_verbs, const std::vector<LaunchEvent>& all_launches)
      : verbs(all_verbs.size()),
        launches(all_launches.size()) {
    add(all_verbs, verbs, false);
    add(all_launches, launches, true);
    for (auto& [stream, slices] : streams_) set_rows(slices);
    for (std::vector<u64>* rows : {&verbs, &launches}) {
      for (u64& row : *rows) row *= most_stream_ + 1;  // the rows after those of all streams
    }
  }

  std::vector<u64> verbs, launches;  // to add to the number of the stream

 private:
  void add(const auto& events, std::vector<u64>& rows, bool are_launches) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      const auto& e = events[i];
      most_stream_ = std::max(most_stream_, u64{e.stream});
      streams_[{e.device, e.stream}].push_back(
          {nanoseconds(e.start_us), nanoseconds(e.end_us), are_launches, &rows[i]});
    }
  }

  std::map<std::pair<std::string_view, u32>, std::vector<Slice>> streams_;
  u64 most_stream_ = 0;
};

}  // namespace

std::string Profiler::chrome_trace(std::string_view title) const {
  const std::vector<VerbEvent> all = events();
  const std::vector<LaunchEvent> all_launches = launches();
  const Rows rows(all, all_launches);
  std::map<std::string_view, std::size_t> processes;
  for (const VerbEvent& e : all) processes.emplace(e.device, processes.size() + 1);
  std::string out = R"({"displayTimeUnit":"ms","otherData":{"lost":)" + std::to_string(lost()) + R"(},"traceEvents":[)";
  std::string_view between = "";
  for (const auto& [device, pid] : processes) {
    out += std::string(between) + R"({"name":"process_name","ph":"M","pid":)" + std::to_string(pid) +
           R"(,"tid":0,"args":{"name":)" + quoted(std::string(title) + ", " + std::string(device), Quoting::json) +
           "}}";
    between = ",\n";
  }
  const auto add = [&](const auto& e, u64 row, std::string_view name, const Cost& cost) {
    const i64 begin = nanoseconds(e.start_us), end = nanoseconds(e.end_us);
    out += ",\n{\"name\":" + quoted(name, Quoting::json) + R"(,"ph":"X","pid":)" + std::to_string(processes[e.device]) +
           ",\"tid\":" + std::to_string(e.stream + row) + ",\"ts\":" + fixed(static_cast<double>(begin) / 1000, 3) +
           ",\"dur\":" + fixed(static_cast<double>(end - begin) / 1000, 3) +
           ",\"args\":{\"bytes\":" + std::to_string(cost.bytes) +
           ",\"multiplications\":" + std::to_string(cost.multiplications);
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const VerbEvent& e = all[i];
    add(e, rows.verbs[i], e.verb, {.bytes = e.bytes, .multiplications = e.multiplications});
    out +=
        std::string(",\"simulated\":") + (e.simulated ? "true,\"energy_uj\":" + fixed(e.energy_uj, 3) : "false") + "}}";
  }
  for (std::size_t i = 0; i < all_launches.size(); ++i) {
    const LaunchEvent& e = all_launches[i];
    if (!processes.contains(e.device)) continue;  // the verb of the launch failed
    add(e, rows.launches[i], e.name, e.cost);
    out += ",\"launch_of\":" + quoted(e.verb, Quoting::json) + "}}";
  }
  return out + "]}\n";
}

}  // namespace ringfort
