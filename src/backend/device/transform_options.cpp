// SPDX-License-Identifier: Apache-2.0
// Reads the options `ntt` and `times` (transform_options.h).
#include "backend/device/transform_options.h"

namespace ringfort::device {
namespace {

constexpr const char* kBoth = "a device takes ntt or times, not both";

}  // namespace

Option ntt_option(TransformChoice& out) {
  const auto read = [&out](std::string_view value) -> std::string {
    if (out.times != nullptr) return kBoth;
    const std::string takes = read_variant(value, out.variant);
    return takes.empty() || takes.starts_with("the schedule") ? takes : "ntt is " + takes;
  };
  return {"ntt", read};
}

Option times_option(TransformChoice& out) {
  const auto read = [&out](std::string_view value) -> std::string {
    if (out.is_of_all()) return kBoth;
    auto times = std::make_shared<MeasuredTimes>();
    std::string problem = MeasuredTimes::read(std::string(value), *times);
    if (problem.empty()) out.times = std::move(times);
    return problem;
  };
  return {"times", read};
}

}  // namespace ringfort::device
