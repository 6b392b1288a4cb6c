// SPDX-License-Identifier: Apache-2.0
// The exception of the public API; if the host has too little memory, a call may throw std::bad_alloc instead. Python
// has one class for every code. A message states what was requested, what the library found and, if the library knows
// it, the fix. No message contains a secret.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace ringfort {

enum class Code : std::uint16_t {  // kinds of errors
  invalid_argument,                // a value outside its documented range
  parameters_mismatch,             // objects made under different parameters
  insecure_parameters,             // parameters below the required security (128 bits or more) that were not allowed
  noise_bound_exceeded,            // the error bound of a result is too large; the library did not compute this result
  depth_exhausted,                 // no level is left for the operation
  range_exceeded,                  // an integer may have left its declared range
  bound_violated,                  // a decrypted value, or in debug mode an error, is above its public bound
  release_refused,      // a decryption for others is not planned, has no ledger, or would exceed the planned number
  mode_forbidden,       // the preset or the object does not allow this use
  key_missing,          // the operation needs a key that was not given
  secret_refused,       // a secret key is given where none is accepted, or would be stored unsealed
  out_of_memory,        // the host or the device has too little free memory
  device_unknown,       // no device has this name and these options
  device_lost,          // the device failed, and its data are lost
  unsupported,          // the library, the device or the parameters do not support what was requested
  entropy_unavailable,  // the operating system gave no randomness
  io_open,              // a file could not be opened
  io_read,              // a file could not be read
  io_write,             // a file could not be written
  io_truncated,         // the file ends too early
  io_magic,             // the file is not a file of ringfort
  io_version,           // this version of the library does not read the file's format
  io_type,              // the file has an object of another type than expected
  io_flags,             // the flags in the file's header are unknown or wrong
  io_digest,            // the file is for other parameters or keys
  io_length,            // the length of the file differs from the length that its parameters require
  io_checksum,          // a checksum differs: the file is damaged
  io_range,             // a coefficient or a field of the file is outside its range
  io_limit,             // the data are larger than the receiver's limit
  io_locked,            // another process, or another object of this process, has locked the file
  passphrase,           // the passphrase is missing or wrong
  stopped,              // the progress function stopped the work
  internal,             // a defect of the library
};

// returns the name of the enumerator, for example "noise_bound_exceeded"
[[nodiscard]] std::string_view code_name(Code code) noexcept;

class Error : public std::exception {  // the only exception class of the library
 public:
  Error(Code code, std::string what, std::string fix = {});
  [[nodiscard]] Code code() const noexcept { return code_; }
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
  [[nodiscard]] const std::string& fix() const noexcept { return fix_; }
  // problem() and fix(), separated by "; "
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

 private:
  Code code_;
  std::string problem_;
  std::string fix_;
  std::string message_;
};

}  // namespace ringfort
