// SPDX-License-Identifier: Apache-2.0
// How the sources of io/file.h call the system: interrupted calls are repeated, failures carry the system's words, and
// a test can make any of them fail.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>

#include "base/fault.h"
#include "base/result.h"

namespace ringfort::io {

// A failed call, with the system's words; injected faults look like a full disk or a failing device.
inline Failure failed(Code code, const std::string& verb, const std::string& path, int error) {
  const char* fix = error == ENOSPC   ? "free space on the disk and repeat"
                    : error == EEXIST ? "somebody else put it there: remove it"
                                      : "";
  return {code, "cannot " + verb + " " + path + ": " + std::strerror(error), fix};
}

template <class Call>
auto repeat(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

inline bool injected(fault::Point point, int error) noexcept {
  if (!fault::strikes(point)) return false;
  errno = error;
  return true;
}

}  // namespace ringfort::io
