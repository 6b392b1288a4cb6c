// SPDX-License-Identifier: Apache-2.0
// Writes the events of the timelines in the formats of Konata and of Chrome.
#include "sim/trace/timeline.h"

#include <algorithm>

namespace ringfort::rpu {
namespace {

struct Line {
  u64 cycle;
  std::string text;
};

std::string tabbed(const char* kind, std::size_t id, const std::string& rest) {
  return std::string(kind) + "\t" + std::to_string(id) + "\t" + rest;
}

void add_konata(std::vector<Line>& lines, std::size_t id, const Record& record) {
  const std::string number = std::to_string(record.pc);
  const auto stage = [&](u64 cycle, const char* name) {
    lines.push_back({cycle, tabbed("S", id, std::string("0\t") + name)});
  };
  lines.push_back({record.arrive, tabbed("I", id, number + "\t0")});
  lines.push_back({record.arrive, tabbed("L", id, "0\t" + number + ": " + format(record.instruction))});
  const std::string stalls = explain_stalls(record);
  if (!stalls.empty()) lines.push_back({record.arrive, tabbed("L", id, "1\twaited: " + stalls)});
  stage(record.arrive, "D");
  if (record.start > record.dispatch + 1) stage(record.dispatch + 1, "Q");
  stage(record.start, "X");
  stage(record.start + record.occupancy, "W");
  lines.push_back({record.finish(), tabbed("R", id, number + "\t0")});
}

std::string chrome_slice(const std::string& name, unsigned track, u64 begin, u64 length, const std::string& arguments) {
  return R"({"name":")" + name + R"(","ph":"X","pid":0,"tid":)" + std::to_string(track) + R"(,"ts":)" +
         std::to_string(begin) + R"(,"dur":)" + std::to_string(length) + R"(,"args":{)" + arguments + "}}";
}

std::string chrome_track(unsigned track, const std::string& name) {
  return R"({"name":"thread_name","ph":"M","pid":0,"tid":)" + std::to_string(track) + R"(,"args":{"name":")" + name +
         R"("}})";
}

constexpr unsigned kWaitTrack = 4;

}  // namespace

std::string explain_stalls(const Record& record) {
  std::string text;
  for (std::size_t cause = 0; cause < kStallNames.size(); ++cause) {
    if (record.stalls[cause] == 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(kStallNames[cause]) + " " + std::to_string(record.stalls[cause]);
    const auto kind = static_cast<Stall>(cause);
    if (kind == Stall::busyboard || kind == Stall::port) text += " (by " + std::to_string(record.blocked_by) + ")";
  }
  return text;
}

void write_konata(std::ostream& out, const std::vector<Record>& records) {
  std::vector<Line> lines;
  for (std::size_t id = 0; id < records.size(); ++id) add_konata(lines, id, records[id]);
  std::stable_sort(lines.begin(), lines.end(), [](const Line& x, const Line& y) { return x.cycle < y.cycle; });
  out << "Kanata\t0004\nC=\t0\n";
  u64 cycle = 0;
  for (const Line& line : lines) {
    if (line.cycle != cycle) out << "C\t" << line.cycle - cycle << "\n";
    cycle = line.cycle;
    out << line.text << "\n";
  }
}

void write_chrome(std::ostream& out, const std::vector<Record>& records) {
  out << "{\"traceEvents\":[\n";
  for (unsigned track = 0; track < kPipeNames.size(); ++track) out << chrome_track(track, kPipeNames[track]) << ",\n";
  out << chrome_track(kWaitTrack, "front end waits");
  for (const Record& record : records) {
    const std::string stalls = explain_stalls(record);
    const std::string facts = "\"pc\":" + std::to_string(record.pc) +
                              ",\"dispatch\":" + std::to_string(record.dispatch) +
                              ",\"finish\":" + std::to_string(record.finish()) + ",\"waited\":\"" + stalls + "\"";
    const auto pipe = static_cast<unsigned>(record.instruction.info().pipe);
    out << ",\n" << chrome_slice(format(record.instruction), pipe, record.start, record.occupancy, facts);
    if (!stalls.empty())
      out << ",\n" << chrome_slice(stalls, kWaitTrack, record.arrive, record.dispatch - record.arrive, facts);
  }
  out << "\n]}\n";
}

}  // namespace ringfort::rpu
