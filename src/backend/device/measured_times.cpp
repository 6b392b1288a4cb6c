// SPDX-License-Identifier: Apache-2.0
// Reads files of measured times, and compares the times of transforms (measured_times.h).
#include "backend/device/measured_times.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/shown.h"

namespace ringfort::device {
namespace {

constexpr std::size_t kFields = 6;
constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 20;

template <class Number>
bool read_number(std::string_view text, Number least, Number most, Number& out) {
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), out);
  return wrong == std::errc{} && end == text.data() + text.size() && out >= least && out <= most;
}

// Reads one line. Returns an empty string, or a text that states what is wrong with the line.
std::string read_line(std::string_view line, MeasuredTime& out) {
  std::array<std::string_view, kFields> fields;
  std::size_t count = 0;
  for (std::size_t begin = 0, end = 0; end != line.size() && count <= kFields; begin = end + 1, ++count) {
    end = std::min(line.find('\t', begin), line.size());
    if (count < kFields) fields[count] = line.substr(begin, end - begin);
  }
  if (count != kFields || fields[0].empty()) return "a line has a chip and five more fields, separated by tabs";
  out.chip = fields[0];
  constexpr u32 kMostLog = 17, kMostBatch = 1u << 20;
  if (fields[1] != "32" && fields[1] != "64") return "words have 32 or 64 bits";
  out.word_bits = fields[1] == "32" ? 32 : 64;
  if (!read_number(fields[2], 1u, kMostLog, out.log_n)) return "log2 of n is a number in 1 .. 17";
  if (!read_number(fields[3], 1u, kMostBatch, out.batch)) return "the transforms at once are a number in 1 .. 2^20";
  if (fields[4] != "own") {
    if (const std::string takes = read_variant(fields[4], out.transform); !takes.empty())
      return "a transform is own, " + takes;
  }
  if (!read_number(fields[5], std::numeric_limits<double>::min(), 1e12, out.us)) return "times are positive numbers";
  return {};
}

}  // namespace

std::string MeasuredTimes::read(const std::string& path, MeasuredTimes& out) {
  std::error_code wrong;
  if (std::filesystem::is_directory(path, wrong)) return "it is a folder, not a file of measured times";
  if (!std::filesystem::is_regular_file(path, wrong))
    return std::filesystem::exists(path, wrong) ? "it is not a regular file" : "there is no such file";
  if (std::filesystem::file_size(path, wrong) > kMostBytes || wrong) return "the file is longer than a megabyte";
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line != kFirstLine)
    return "the first line is not \"" + std::string(kFirstLine) +
           "\"; ringfort bench gpu-ntt --times writes such files";
  MeasuredTimes found;
  found.path_ = path;
  for (u64 number = 2; std::getline(file, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    if (const std::string problem = read_line(line, found.times_.emplace_back()); !problem.empty())
      return "line " + std::to_string(number) + ", '" + shown(line) + "': " + problem;
  }
  if (file.bad()) return "the file cannot be read";
  out = std::move(found);
  return {};
}

std::vector<Variant> MeasuredTimes::faster_than_own(std::string_view chip, u32 word_bits, u32 log_n, u32 batch) const {
  std::vector<const MeasuredTime*> of;
  for (const MeasuredTime& time : times_) {
    if (time.chip == chip && time.word_bits == word_bits && time.log_n == log_n) of.push_back(&time);
  }
  const auto distance = [batch](u32 other) { return std::abs(std::log2(other) - std::log2(batch)); };
  const MeasuredTime* nearest = nullptr;
  for (const MeasuredTime* const time : of) {
    if (time->transform.schedule != nullptr) continue;
    if (nearest == nullptr || distance(time->batch) < distance(nearest->batch)) nearest = time;
  }
  if (nearest == nullptr) return {};
  std::erase_if(
      of, [nearest](const MeasuredTime* time) { return time->batch != nearest->batch || time->us >= nearest->us; });
  std::stable_sort(of.begin(), of.end(), [](const auto* a, const auto* b) { return a->us < b->us; });
  std::vector<Variant> faster;
  for (const MeasuredTime* const time : of) faster.push_back(time->transform);
  return faster;
}

}  // namespace ringfort::device
