// SPDX-License-Identifier: Apache-2.0
// Code that samples of files share. The samples are one valid file of every type (search_files.h, leveled_files.h). The
// tests of stored files and the tests with hostile bytes use them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ringfort/error.h"
#include "ringfort/io.h"
#include "support/folder.h"

namespace ringfort::testing {

struct Sample {
  std::string name;  // name of the file under tests/vectors/wire/<version>/
  std::vector<u8> bytes;
};

inline const std::string kSamplePassphrase = "open sesame";

template <class T>
std::optional<Failure> failure_of(const Result<T>& result) {
  return result.ok() ? std::nullopt : std::optional<Failure>(result.failure());
}

// Writes bytes that a decoder accepted to a file, and calls inspect on this file.
inline std::optional<Failure> inspect_bytes(std::span<const u8> bytes) {
  static const Folder folder;
  write_all(folder / "inspected", {bytes.begin(), bytes.end()});
  try {
    if (io::inspect(folder / "inspected").size() < 3) return Failure{Code::internal, "inspect says nothing", ""};
  } catch (const Error& error) {
    return Failure{Code::internal, std::string("inspect refuses what a decoder accepts: ") + error.what(), ""};
  }
  return std::nullopt;
}

}  // namespace ringfort::testing
