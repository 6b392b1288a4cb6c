// SPDX-License-Identifier: Apache-2.0
// Reads the security tables, and compares samples with them (security.h).
#include "rlwe/security.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "security_tables.h"

namespace ringfort {

namespace {

using Fields = std::array<std::string_view, 7>;

std::string_view take_until(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view head = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  return head;
}

Fields split(std::string_view line) {
  Fields fields;
  for (std::string_view& field : fields) field = take_until(line, ',');
  return fields;
}

std::optional<u32> number(std::string_view text) {
  u32 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool row_matches(const Fields& row, u32 n, SecretKind secret, const SecurityLevel& level) {
  return number(row[0]) == static_cast<u32>(level.standard) &&
         row[1] == (level.attack == Attack::classical ? "classical" : "quantum") &&
         row[2] == (secret == SecretKind::ternary ? "ternary" : "gaussian") && number(row[3]) == n;
}

std::optional<u32> cell(u32 n, SecretKind secret, const SecurityLevel& level) {
  std::string_view rest = kSecurityTables;
  while (!rest.empty()) {
    const Fields row = split(take_until(rest, '\n'));
    if (row_matches(row, n, secret, level)) return number(row[4 + (level.bits - 128) / 64]);
  }
  return std::nullopt;
}

}  // namespace

std::optional<u32> largest_log2_modulus(u32 n, SecretKind secret, const SecurityLevel& level) {
  if (level.bits != 128 && level.bits != 192 && level.bits != 256) return std::nullopt;
  const std::optional<u32> limit = cell(n, secret, level);
  if (!limit || level.attack == Attack::classical) return limit;
  return std::min(*limit, cell(n, secret, {Standard::of_2018, level.attack, level.bits}).value_or(*limit));
}

Result<Done> check_sample(const Sample& sample, const SecurityLevel& level) {
  const std::string what = "a sample of degree " + std::to_string(sample.n) + " and modulus of " +
                           std::to_string(sample.log2_modulus) + " bits";
  if (!(sample.sigma >= kSmallestSigma)) {
    return Failure{Code::insecure_parameters,
                   what + " has an error of standard deviation " + std::to_string(sample.sigma),
                   "the tables need at least 3.19"};
  }
  const std::optional<u32> limit = largest_log2_modulus(sample.n, sample.secret, level);
  const std::string attack = level.attack == Attack::quantum ? " quantum" : "";
  const std::string standard = std::to_string(level.bits) + " bits of the " +
                               std::to_string(static_cast<u32>(level.standard)) + attack + " table";
  if (!limit)
    return Failure{Code::insecure_parameters, what + " cannot be checked: its degree has no limit for " + standard,
                   "choose a power of two in 1024 .. 131072 (tables of 2018: 1024 .. 32768)"};
  if (!(sample.log2_modulus <= *limit)) {
    std::string fix = "use a modulus of at most " + std::to_string(*limit) + " bits, or a larger n";
    const std::optional<u32> older =
        largest_log2_modulus(sample.n, sample.secret, {Standard::of_2018, level.attack, level.bits});
    if (older && sample.log2_modulus <= *older)
      fix += "; the table of 2018 (SEAL's) allows " + std::to_string(*older) + " bits: security.standard = 2018";
    return Failure{Code::insecure_parameters, what + " is above the limit for " + standard, fix};
  }
  return Done{};
}

}  // namespace ringfort
