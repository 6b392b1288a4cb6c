// SPDX-License-Identifier: Apache-2.0
// Prints the rows and sections of a run, and writes its files (report.h).
#include "bench/gpu/report.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ringfort::bench::gpu {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out + "\"";
}

std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  std::ostringstream out;
  out.precision(9);
  out << value;
  return out.str();
}

std::string text_of(const Value& value) {
  struct Visitor {
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(std::int64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const { return number(v); }
    std::string operator()(const std::string& v) const { return quoted(v); }
  };
  return std::visit(Visitor{}, value);
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path);
  if (!(file << text).flush()) throw std::runtime_error(path.string() + " cannot be written");
}

std::string object(const Report::Params& fields) {
  std::string out;
  for (const auto& [name, value] : fields) out += (out.empty() ? "" : ", ") + quoted(name) + ": " + text_of(value);
  return std::string("{").append(out).append("}");
}

std::string shown(const Row& row) {
  char line[160];
  std::snprintf(line, sizeof line, "%-52s %14.4f %14.4f %14.4f %-16s", row.name.c_str(), row.median, row.min, row.max,
                row.unit.c_str());
  std::string out = line;
  if (row.limit_share) {
    std::snprintf(line, sizeof line, " %5.1f %% of limit", 100 * *row.limit_share);
    out += line;
  }
  return out;
}

}  // namespace

void Report::say(const std::string& line) {
  table_ += line + "\n";
  stopped_ |= !listener_(line);
}

void Report::add(Row row, std::vector<Versus> versus) {
  row.device = device_;
  std::string line = shown(row);
  for (const Versus& peer : versus) line += "  x" + number(peer.median / row.median) + " " + peer.peer;
  say(line);
  rows_.push_back(std::move(row));
  versus_.push_back(std::move(versus));
}

void Report::time(const std::string& name, const std::string& unit, std::vector<double> samples, Params params,
                  std::optional<double> limit_share) {
  Row row = make_row(name, unit, std::move(samples), std::move(params));
  row.limit_share = limit_share;
  add(std::move(row));
}

double Report::median_of(const std::string& name) const {
  for (const Row& row : rows_) {
    if (row.name == name) return row.median;
  }
  return 0;
}

void Report::begin(const std::string& section, double seconds) {
  sections_.push_back({section, 0, "whole"});
  seconds_ = seconds;
  clock_ = Clock(seconds);
  say("--- " + section + ", at most " + number(std::round(seconds)) + " s");
}

bool Report::is_cut(const std::string& missing) {
  if (stopped_) return true;
  if (!clock_.is_over()) return false;
  Section& section = sections_.back();
  if (section.state == "whole") section.state = "cut by the clock; missing: " + missing;
  return true;
}

void Report::fail(const std::string& why) {
  failed_ = true;
  Section& section = sections_.back();
  section.state = section.state == "whole" ? "failed: " + why : section.state + "; " + why;
}

void Report::end() {
  Section& section = sections_.back();
  section.seconds = seconds_ - clock_.left();
  say("    " + section.name + ": " + number(std::round(10 * section.seconds) / 10) + " s, " + section.state);
}

std::string Report::json() const {
  Params machine = machine_;
  for (const Section& section : sections_) {
    machine.emplace_back("section " + section.name, section.state);
    machine.emplace_back("seconds " + section.name, section.seconds);
  }
  std::string rows;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    std::string versus;
    for (const Versus& peer : versus_[i]) {
      versus += (versus.empty() ? "" : ", ") + std::string("{\"peer\": ") + quoted(peer.peer) +
                ", \"version\": " + quoted(peer.version) + ", \"median\": " + number(peer.median) +
                ", \"ratio\": " + number(row.median / peer.median) + "}";
    }
    rows += std::string(rows.empty() ? "" : ",\n  ") + "{\"name\": " + quoted(row.name) +
            ", \"device\": " + quoted(row.device) + ", \"params\": " + object(row.params) +
            ", \"unit\": " + quoted(row.unit) + ", \"min\": " + number(row.min) +
            ", \"median\": " + number(row.median) + ", \"max\": " + number(row.max) +
            ", \"limit_share\": " + (row.limit_share ? number(*row.limit_share) : "null") + ", \"versus\": [" + versus +
            "]}";
  }
  return "{\"machine\": " + object(machine) + ",\n \"rows\": [\n  " + rows + "\n]}\n";
}

void Report::write(const std::filesystem::path& folder) const {
  std::filesystem::create_directories(folder);
  write_text(folder / "results.json", json());
  write_text(folder / "table.txt", table_);
  for (const auto& [file, text] : notes_) write_text(folder / file, text);
}

}  // namespace ringfort::bench::gpu
