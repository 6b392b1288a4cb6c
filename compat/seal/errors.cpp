// SPDX-License-Identifier: Apache-2.0
// The one place that turns errors of this library into those of SEAL (errors.h).
#include "errors.h"

#include <new>
#include <stdexcept>

namespace seal::detail {

void throw_translated(const ringfort::Error& error) {
  using ringfort::Code;
  switch (error.code()) {
    case Code::invalid_argument:
    case Code::parameters_mismatch:
    case Code::insecure_parameters:
    case Code::depth_exhausted:
    case Code::range_exceeded:
    case Code::mode_forbidden:
    case Code::key_missing:
    case Code::secret_refused:
    case Code::unsupported: throw std::invalid_argument(error.what());
    case Code::out_of_memory: throw std::bad_alloc();
    case Code::noise_bound_exceeded:
    case Code::bound_violated:
    case Code::release_refused:
    case Code::io_magic:
    case Code::io_version:
    case Code::io_type:
    case Code::io_flags:
    case Code::io_digest:
    case Code::io_length:
    case Code::io_checksum:
    case Code::io_range:
    case Code::io_limit:
    case Code::io_truncated:
    case Code::passphrase: throw std::logic_error(error.what());
    default: throw std::runtime_error(error.what());
  }
}

void refuse_argument(const std::string& problem, const std::string& fix) {
  throw std::invalid_argument(problem + "; " + fix);
}
void refuse_state(const std::string& problem, const std::string& fix) { throw std::logic_error(problem + "; " + fix); }

}  // namespace seal::detail
