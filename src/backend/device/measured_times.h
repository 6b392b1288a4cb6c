// SPDX-License-Identifier: Apache-2.0
// Measured times of transforms, by chip and size, and the choice that they make between the library's own transforms
// and the variants (variants.h). `ringfort bench gpu-ntt --times FILE` writes the file: a first line, kFirstLine, then
// lines of six fields that tabs separate:
//   chip, bits of a word, log2 of n, transforms at once, "own" or SCHEDULE/REDUCTION, microseconds of a forward
//   and an inverse transform together
// Lines that begin with # are comments. Without times, the device uses the library's own transforms, because no variant
// has fewer launches or fewer passes over memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/device/variants.h"

namespace ringfort::device {

struct MeasuredTime {
  std::string chip;
  u32 word_bits = 0, log_n = 0, batch = 0;
  Variant transform;
  double us = 0;
};

class MeasuredTimes {
 public:
  static constexpr std::string_view kFirstLine = "ringfort times of transforms 1";

  // Reads a file of at most one megabyte. Returns an empty string, or the reason why it is refused. Throws
  // std::bad_alloc.
  [[nodiscard]] static std::string read(const std::string& path, MeasuredTimes& out);
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  // Returns the transforms that are faster than the library's own, the fastest first. Uses the measured number of
  // transforms at once that is closest to `batch`, among the numbers for which the library's own transform has a time.
  [[nodiscard]] std::vector<Variant> faster_than_own(std::string_view chip, u32 word_bits, u32 log_n, u32 batch) const;

 private:
  std::string path_;
  std::vector<MeasuredTime> times_;
};

}  // namespace ringfort::device
