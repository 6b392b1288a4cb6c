// SPDX-License-Identifier: Apache-2.0
// The results of a run of gpu-bench: rows in the form of `ringfort bench`, sections with their time limits, and lines
// for people. The files of the results are results.json ({"machine", "rows"}) and table.txt. If a section has notes, it
// also has a text file.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bench/row.h"

namespace ringfort::bench::gpu {

class Clock {
 public:
  explicit Clock(double seconds)
      : end_(Steady::now() + std::chrono::duration_cast<Steady::duration>(Seconds(seconds))) {}
  [[nodiscard]] double left() const { return Seconds(end_ - Steady::now()).count(); }
  [[nodiscard]] bool is_over() const { return left() <= 0; }

 private:
  using Steady = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  Steady::time_point end_;
};

struct Section {
  std::string name;
  double seconds = 0;
  std::string state;  // "whole", or text about the part that was cut or that failed
};

// The time of another device for the same work, in the row's unit.
struct Versus {
  std::string peer, version;
  double median = 0;
};

class Report {
 public:
  using Params = std::vector<std::pair<std::string, Value>>;

  // Receives every line for people. Returns false to end the run.
  using Listener = std::function<bool(const std::string& line)>;

  Report(std::string device, Listener listener) : device_(std::move(device)), listener_(std::move(listener)) {}
  void fact(const std::string& name, Value value) { machine_.emplace_back(name, std::move(value)); }
  // Adds a row and prints it. A count is a row with one sample.
  void add(Row row, std::vector<Versus> versus = {});
  void time(const std::string& name, const std::string& unit, std::vector<double> samples, Params params = {},
            std::optional<double> limit_share = {});
  void count(const std::string& name, const std::string& unit, double value, Params params = {}) {
    time(name, unit, {value}, std::move(params));
  }
  // Returns the median of a row, or 0 if it was not measured.
  [[nodiscard]] double median_of(const std::string& name) const;
  void note(const std::string& file, const std::string& line) { notes_[file] += line + "\n"; }

  void begin(const std::string& section, double seconds);
  [[nodiscard]] const Clock& clock() const { return clock_; }
  // Tells whether the section's time is over. If so, the report states that `missing` was not measured.
  [[nodiscard]] bool is_cut(const std::string& missing);
  void fail(const std::string& why);  // reports a failure: the section may continue, but the run counts as failed
  void end();
  [[nodiscard]] bool has_failed() const noexcept { return failed_; }
  [[nodiscard]] std::string json() const;
  void write(const std::filesystem::path& folder) const;

 private:
  void say(const std::string& line);

  std::string device_;
  Listener listener_;
  bool stopped_ = false;
  Params machine_;
  std::vector<Row> rows_;
  std::vector<std::vector<Versus>> versus_;  // comparisons of each row
  std::vector<Section> sections_;
  std::map<std::string, std::string> notes_;  // by file
  std::string table_;
  Clock clock_{0};
  double seconds_ = 0;
  bool failed_ = false;
};

}  // namespace ringfort::bench::gpu
