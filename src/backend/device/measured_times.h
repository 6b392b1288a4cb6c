// SPDX-License-Identifier: Apache-2.0
// Measured times of transforms by chip and size. They decide between the library's own transforms and the variants
// (variants.h). Without measured times, the device uses the library's own transforms. Of the variants, only `cluster`
// has fewer launches and fewer passes over memory than the library's own transforms.
//
// `ringfort bench gpu-ntt --times FILE` writes the file of times. The first line of the file is kFirstLine. Lines that
// begin with # are comments. Every other line has six fields, which tabs separate:
//   chip; bits of a word; log2 of n; number of transforms at once; "own" or SCHEDULE/REDUCTION; time in microseconds of
//   a forward and an inverse transform together
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

  // Reads a file of at most one megabyte. Returns an empty string, or the reason why the file is refused. Throws
  // std::bad_alloc.
  [[nodiscard]] static std::string read(const std::string& path, MeasuredTimes& out);
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  // Returns the variants that are faster than the library's own transform, the fastest first. It compares times for one
  // number of transforms at once. This is the number closest to `batch` for which the library's own transform has a
  // time.
  [[nodiscard]] std::vector<Variant> faster_than_own(std::string_view chip, u32 word_bits, u32 log_n, u32 batch) const;

 private:
  std::string path_;
  std::vector<MeasuredTime> times_;
};

}  // namespace ringfort::device
