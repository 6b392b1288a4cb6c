// SPDX-License-Identifier: Apache-2.0
// The one exception of the public API. Every code has one Python class; a message says what was asked, what was
// found and what to do. Nothing secret enters a message.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace ringfort {

enum class Code : std::uint16_t {
  invalid_argument,      // a value outside its documented range
  parameters_mismatch,   // objects made under different parameters
  insecure_parameters,   // below 128 bits and not explicitly allowed
  noise_bound_exceeded,  // the public bound would be passed; nothing was computed
  depth_exhausted,       // no level left
  range_exceeded,        // an integer may have left the range that was declared
  bound_violated,        // a decrypted value, or in debug mode an error, is outside its public bound
  release_refused,       // decryptions for others: not planned for, no ledger, or all spent
  mode_forbidden,        // the preset does not allow this key mode or engine
  key_missing,           // a key that the operation needs was not given
  secret_refused,        // a server-side command was handed a secret key
  out_of_memory,
  device_unknown,
  device_lost,
  unsupported,          // refused by plan: word width, modulus class, size
  entropy_unavailable,  // the operating system gave no randomness
  io_open,
  io_read,
  io_write,
  io_truncated,
  io_magic,
  io_version,
  io_type,
  io_flags,
  io_digest,  // parameter or key digest differs
  io_length,  // payload length differs from the computed one
  io_checksum,
  io_range,    // a coefficient or field outside its range
  io_limit,    // larger than the receiver's limit
  io_locked,   // another process holds the index
  passphrase,  // missing or wrong
  stopped,     // the caller asked for it through the progress function
  internal,
};

[[nodiscard]] std::string_view code_name(Code code) noexcept;  // "noise_bound_exceeded"

class Error : public std::exception {
 public:
  Error(Code code, std::string what, std::string fix = {});
  [[nodiscard]] Code code() const noexcept { return code_; }
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
  [[nodiscard]] const std::string& fix() const noexcept { return fix_; }
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }  // "problem; fix"

 private:
  Code code_;
  std::string problem_;
  std::string fix_;
  std::string message_;
};

}  // namespace ringfort
