// SPDX-License-Identifier: Apache-2.0
// Rows of results as JSON text. Values are numbers. Parameters are numbers or words without special characters.
// Therefore no text needs escapes.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ringfort::pim::bench {

class Params {
 public:
  Params& set(const std::string& name, double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.12g", value);
    return put(name, text);
  }
  Params& set(const std::string& name, const std::string& word) { return put(name, '"' + word + '"'); }
  std::string text() const {
    std::string joined;
    for (const auto& [name, value] : values_) joined += (joined.empty() ? "" : ", ") + ('"' + name + "\": ") + value;
    return '{' + joined + '}';
  }

 private:
  Params& put(const std::string& name, std::string value) {
    values_.emplace_back(name, std::move(value));
    return *this;
  }
  std::vector<std::pair<std::string, std::string>> values_;
};

class Rows {
 public:
  // Adds one value. Values of the model are the same in every run. `budget` is the limit that the design sets for this
  // value, or 0.
  void add(const std::string& name, const std::string& unit, double value, const Params& params, double budget = 0) {
    char share[32] = "null";
    if (budget > 0) std::snprintf(share, sizeof share, "%.6g", value / budget);
    put(name, unit, {value, value, value}, params, share);
  }

  // Adds a measured value by its least, median and largest measurement.
  void add_spread(const std::string& name, const std::string& unit, const std::array<double, 3>& values,
                  const Params& params) {
    put(name, unit, values, params, "null");
  }

  // Returns the median of the row with this name. Throws if there is no such row.
  double value(const std::string& name) const {
    for (const auto& [row, value] : values_) {
      if (row == name) return value;
    }
    throw std::runtime_error("there is no row " + name);
  }

  std::string text() const {
    std::string joined;
    for (const auto& row : rows_) joined += (joined.empty() ? "  " : ",\n  ") + row;
    return joined;
  }

 private:
  void put(const std::string& name, const std::string& unit, const std::array<double, 3>& values, const Params& params,
           const std::string& share) {
    values_.emplace_back(name, values[1]);
    char text[256];
    std::snprintf(text, sizeof text,
                  "\"unit\": \"%s\", \"min\": %.9g, \"median\": %.9g, \"max\": %.9g, \"limit_share\": ", unit.c_str(),
                  values[0], values[1], values[2]);
    rows_.push_back("{\"name\": \"" + name + "\", \"device\": \"pim\", \"params\": " + params.text() + ", " + text +
                    share + ", \"versus\": []}");
  }
  std::vector<std::string> rows_;
  std::vector<std::pair<std::string, double>> values_;
};

}  // namespace ringfort::pim::bench
