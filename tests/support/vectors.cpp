// SPDX-License-Identifier: Apache-2.0
#include "support/vectors.h"

#include <fstream>
#include <stdexcept>

namespace ringfort::testing {

nlohmann::json read_vectors(const std::string& file) {
  const std::string path = std::string(RINGFORT_VECTORS) + "/" + file;
  std::ifstream stream(path);
  if (!stream) throw std::runtime_error("cannot read " + path);
  return nlohmann::json::parse(stream);
}

u128 parse_decimal(std::string_view digits) {
  u128 value = 0;
  for (char digit : digits) value = value * 10 + static_cast<u128>(digit - '0');
  return value;
}

std::string decimal(u128 value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  return digits;
}

}  // namespace ringfort::testing
