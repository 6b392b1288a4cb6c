// SPDX-License-Identifier: Apache-2.0
// Reads machine parameters. An error states what was found, and what to write.
#include "sim/machine.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/isa_tables.h"
#include "sim/refusal.h"

namespace ringfort::rpu {
namespace {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

constexpr std::size_t kRepeated = 80;  // largest number of bytes of the user's text in a message

// Returns the user's text for a message. Cuts a long text between two characters of UTF-8. Question marks replace
// control characters.
std::string shown(std::string_view text) {
  std::size_t cut = std::min(text.size(), kRepeated);
  while (cut > 0 && cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;
  std::string found(text.substr(0, cut));
  std::replace_if(found.begin(), found.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
  return cut < text.size() ? found + "..." : found;
}

u32 choice_value(const ParameterInfo& info, std::string_view text) {
  std::string_view rest = info.choices;
  for (u32 index = 0; !rest.empty(); ++index) {
    const auto space = rest.find(' ');
    if (rest.substr(0, space) == text) return index;
    rest = space == std::string_view::npos ? std::string_view{} : rest.substr(space + 1);
  }
  throw Refusal(std::string(info.name) + " = " + shown(text) + " is not a choice",
                "use one of: " + std::string(info.choices));
}

u32 number_value(const ParameterInfo& info, std::string_view text) {
  u32 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string asked = std::string(info.name) + " = " + shown(text);
  if (error != std::errc{} || end != text.data() + text.size() || value < info.minimum || value > info.maximum)
    throw Refusal(asked + " is outside " + std::to_string(info.minimum) + " .. " + std::to_string(info.maximum),
                  "use a number inside");
  if (info.kind == ParameterKind::power_of_two && !std::has_single_bit(value))
    throw Refusal(asked + " is not a power of two: element i is in lane or bank i mod " + std::string(info.name) +
                      ", and 512 elements would not fill the last beat",
                  "use " + std::to_string(std::bit_floor(value)) + " or " + std::to_string(2 * std::bit_floor(value)));
  return value;
}

}  // namespace

u32 Machine::beats() const noexcept { return kVectorLength / hples; }

u32 Machine::clock_mhz() const noexcept {
  if (megahertz != 0) return megahertz;
  return banks >= 128 ? 1680 : banks >= 64 ? 1530 : 1290;
}

void set_by_name(Machine& machine, std::string_view name, std::string_view value) {
  for (std::size_t index = 0; index < kParameters.size(); ++index) {
    const ParameterInfo& info = kParameters[index];
    if (info.name != name) continue;
    set_parameter(machine, index,
                  info.kind == ParameterKind::choice ? choice_value(info, value) : number_value(info, value));
    return;
  }
  std::string known;
  for (const ParameterInfo& info : kParameters) known.append(" ").append(info.name);
  throw Refusal("the machine has no parameter '" + shown(name) + "'", "it has:" + known);
}

void set_from_lines(Machine& machine, std::string_view text, const std::string& file) {
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string_view body = trim(std::string_view(line).substr(0, line.find('#')));
    if (body.empty()) continue;
    const auto colon = body.find(':');
    const std::string location = file + ":" + std::to_string(number) + ": ";
    if (colon == std::string_view::npos)
      throw Refusal(location + "expected `name: value`, found '" + shown(body) + "'", "write for example `hples: 64`");
    try {
      set_by_name(machine, trim(body.substr(0, colon)), trim(body.substr(colon + 1)));
    } catch (const Refusal& refusal) { throw std::runtime_error(location + refusal.what()); }
  }
}

void set_from_list(Machine& machine, std::string_view list) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    const std::string_view item = trim(list.substr(0, comma));
    const auto equals = item.find('=');
    if (equals == std::string_view::npos)
      throw Refusal("expected name=value, found '" + shown(item) + "'", "write for example dispatch=1,bank_hash=xor");
    set_by_name(machine, trim(item.substr(0, equals)), trim(item.substr(equals + 1)));
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
  }
}

Machine read_machine(const std::string& path) {
  std::error_code failed;
  if (std::filesystem::exists(path, failed) && !std::filesystem::is_regular_file(path, failed))
    throw Refusal("the machine file " + path + " is not a regular file", "name a file");
  std::ifstream file(path);
  if (!file) throw Refusal("cannot read the machine file " + path, "give the path of a file of lines `name: value`");
  std::ostringstream text;
  text << file.rdbuf();
  Machine machine;
  set_from_lines(machine, text.str(), path);
  return machine;
}

}  // namespace ringfort::rpu
