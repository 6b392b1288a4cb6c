// SPDX-License-Identifier: Apache-2.0
// Secret keys, in coefficients and evaluations, errors, phases and decrypted plaintexts lie in pages that core dumps
// leave out and that are locked, so that they are not swapped out. Values that were decoded are the caller's.
#pragma once

namespace ringfort {

// False from the first refusal of the system on: raise RLIMIT_MEMLOCK (ulimit -l) before the program starts, or encrypt
// the swap. The library works without; it does not print.
[[nodiscard]] bool secret_memory_is_locked() noexcept;

}  // namespace ringfort
