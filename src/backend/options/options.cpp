// SPDX-License-Identifier: Apache-2.0
// Reads the options in the name of a device (options.h), and writes the refusals.
#include "backend/options/options.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/shown.h"

namespace ringfort {
namespace {

std::string keys_of(std::span<const Option> options) {
  std::string keys;
  for (const Option& option : options) keys += (keys.empty() ? "" : ", ") + option.key + (option.is_bare ? "" : "=");
  return keys.empty() ? "no options" : keys;
}

const Option* with_key(std::span<const Option> options, std::string_view key) {
  const auto found =
      std::find_if(options.begin(), options.end(), [&](const Option& o) { return !o.is_bare && o.key == key; });
  return found == options.end() ? nullptr : &*found;
}

const Option* bare(std::span<const Option> options) {
  const auto found = std::find_if(options.begin(), options.end(), [](const Option& o) { return o.is_bare; });
  return found == options.end() ? nullptr : &*found;
}

// Key and value of one entry. The first entry may be a value without a key. Such a value belongs to the bare option.
struct Entry {
  const Option* option;
  std::string_view value;
};

Entry entry_of(std::string_view text, bool is_first, std::span<const Option> options) {
  const std::size_t equals = std::min(text.find('='), text.size());
  if (const Option* named = with_key(options, text.substr(0, equals)); named != nullptr)
    return {named, text.substr(std::min(equals + 1, text.size()))};
  return {is_first && equals == text.size() ? bare(options) : nullptr, text};
}

}  // namespace

Option number_option(std::string key, u64 least, u64 most, std::function<void(u64)> set) {
  const std::string takes = key + " is a number in " + std::to_string(least) + " .. " + std::to_string(most);
  return {std::move(key), [=, set = std::move(set)](std::string_view text) {
            u64 value = 0;
            const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (wrong != std::errc{} || end != text.data() + text.size() || value < least || value > most) return takes;
            set(value);
            return std::string();
          }};
}

Option choice_option(std::string key, std::span<const std::string_view> names, std::function<void(std::size_t)> set) {
  std::string takes;
  for (const std::string_view name : names) takes += (takes.empty() ? key + " is one of " : ", ") + std::string(name);
  const std::vector<std::string> known(names.begin(), names.end());
  return {std::move(key), [=, set = std::move(set)](std::string_view text) {
            const auto found = std::find(known.begin(), known.end(), text);
            if (found == known.end()) return takes;
            set(static_cast<std::size_t>(found - known.begin()));
            return std::string();
          }};
}

std::string read_options(std::string_view device, std::span<const Option> options) {
  const std::size_t colon = device.find(':');
  if (colon == std::string_view::npos) return {};
  const std::string name(device.substr(0, colon));
  std::vector<const Option*> seen;
  for (std::size_t begin = colon + 1, end = 0; end != device.size(); begin = end + 1) {
    end = std::min(device.find(',', begin), device.size());
    const std::string_view text = device.substr(begin, end - begin);
    const std::string found = name + ": '" + shown(text) + "' ";
    const auto [option, value] = entry_of(text, seen.empty(), options);
    if (option == nullptr) return found + "is no option; " + name + " has " + keys_of(options);
    if (std::find(seen.begin(), seen.end(), option) != seen.end())
      return found + "sets an option that is already set; remove one of the two";
    if (const std::string takes = option->read(value); !takes.empty()) return found + "is refused: " + takes;
    seen.push_back(option);
  }
  return {};
}

}  // namespace ringfort
