// SPDX-License-Identifier: Apache-2.0
// Functions around the system calls of io/file.h. They repeat calls after interrupts, make failures with the message of
// the system, and inject faults for tests.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>

#include "base/fault.h"
#include "base/result.h"

namespace ringfort::io {

// Returns the failure of a call, with the message of the system. An injected fault looks like a full disk or a failing
// device.
inline Failure failed(Code code, const std::string& verb, const std::string& path, int error) {
  const char* fix = error == ENOSPC   ? "free space on the disk and repeat"
                    : error == EEXIST ? "another program created it: remove it"
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
