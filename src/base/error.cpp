// SPDX-License-Identifier: Apache-2.0
// The names of the error codes, and the texts of errors (ringfort/error.h).
#include "ringfort/error.h"

#include <array>
#include <utility>

namespace ringfort {

namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Code::internal) + 1> kNames = {"invalid_argument",
                                                                                               "parameters_mismatch",
                                                                                               "insecure_parameters",
                                                                                               "noise_bound_exceeded",
                                                                                               "depth_exhausted",
                                                                                               "range_exceeded",
                                                                                               "bound_violated",
                                                                                               "release_refused",
                                                                                               "mode_forbidden",
                                                                                               "key_missing",
                                                                                               "secret_refused",
                                                                                               "out_of_memory",
                                                                                               "device_unknown",
                                                                                               "device_lost",
                                                                                               "unsupported",
                                                                                               "entropy_unavailable",
                                                                                               "io_open",
                                                                                               "io_read",
                                                                                               "io_write",
                                                                                               "io_truncated",
                                                                                               "io_magic",
                                                                                               "io_version",
                                                                                               "io_type",
                                                                                               "io_flags",
                                                                                               "io_digest",
                                                                                               "io_length",
                                                                                               "io_checksum",
                                                                                               "io_range",
                                                                                               "io_limit",
                                                                                               "io_locked",
                                                                                               "passphrase",
                                                                                               "stopped",
                                                                                               "internal"};

}  // namespace

std::string_view code_name(Code code) noexcept {
  const auto index = static_cast<std::size_t>(code);
  return index < kNames.size() ? kNames[index] : std::string_view("internal");
}

Error::Error(Code code, std::string what, std::string fix)
    : code_(code),
      problem_(std::move(what)),
      fix_(std::move(fix)),
      message_(fix_.empty() ? problem_ : problem_ + "; " + fix_) {}

}  // namespace ringfort
