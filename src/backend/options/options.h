// SPDX-License-Identifier: Apache-2.0
// Reads device options, the text after the colon of a device's name: "pim:ranks=8,dpus=62", "deferred:7". A device
// declares its options; most values are numbers or names, which number_option() and choice_option() read. A refusal
// contains the text that was found. Unless an option occurs twice, the refusal also lists the options or values that
// exist.
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
  // Sets the value. Returns an empty string or, for an invalid value, the values that the option takes: "ranks is a
  // number in 1 .. 32".
  std::function<std::string(std::string_view value)> read;
  bool is_bare = false;  // true: the value is first and has no key, as in "deferred:7"
};

// Returns an option whose value is a decimal number in least .. most.
[[nodiscard]] Option number_option(std::string key, u64 least, u64 most, std::function<void(u64)> set);
// Returns an option whose value is one of the names. `set` gets the index of the name.
[[nodiscard]] Option choice_option(std::string key, std::span<const std::string_view> names,
                                   std::function<void(std::size_t)> set);

// Reads the options of `device`. An option must not occur twice. Returns an empty string, or the refusal. Throws
// std::bad_alloc.
[[nodiscard]] std::string read_options(std::string_view device, std::span<const Option> options);

}  // namespace ringfort
