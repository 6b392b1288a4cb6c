// SPDX-License-Identifier: Apache-2.0
// What stands behind the colon of a device's name: "pim:ranks=8,dpus=62", "deferred:7". One parser for all devices:
// each states its options and what they take, and reads no text by itself. A refusal says what was found, and which
// options or which range there is.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "math/types.h"

namespace ringfort {

struct Option {
  std::string key;
  // empty, or what the option takes: "ranks is a number in 1 .. 32"
  std::function<std::string(std::string_view value)> read;
  bool is_bare = false;  // stands first and without its key: "deferred:7"
};

// A decimal number in least .. most.
[[nodiscard]] Option number_option(std::string key, u64 least, u64 most, std::function<void(u64)> set);
// One of the names; `set` gets its place.
[[nodiscard]] Option choice_option(std::string key, std::span<const std::string_view> names,
                                   std::function<void(std::size_t)> set);

// Reads each option that `device` names, once each. Empty: all were understood; else what was refused and what there
// is. Throws std::bad_alloc.
[[nodiscard]] std::string read_options(std::string_view device, std::span<const Option> options);

}  // namespace ringfort
