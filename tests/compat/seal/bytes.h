// SPDX-License-Identifier: Apache-2.0
// Saves and loads objects of SEAL's interface in tests.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "seal/serialization.h"

namespace ringfort::testing {

// Bytes of an object as a string. They are equal whether a stream or a buffer takes them.
template <class T>
std::string saved(const T& object, seal::compr_mode_type mode = seal::compr_mode_type::none) {
  std::ostringstream stream;
  const std::streamoff written = object.save(stream, mode);
  const std::string bytes = stream.str();
  std::vector<seal::seal_byte> buffer(bytes.size());
  const bool is_equal = object.save(buffer.data(), buffer.size(), mode) == written &&
                        std::string(reinterpret_cast<const char*>(buffer.data()), buffer.size()) == bytes;
  return is_equal && static_cast<std::size_t>(written) == bytes.size() ? bytes : std::string("two different results");
}

inline const seal::seal_byte* bytes_of(const std::string& text) {
  return reinterpret_cast<const seal::seal_byte*>(text.data());
}

inline std::string hex(const std::string& bytes) {
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

}  // namespace ringfort::testing
