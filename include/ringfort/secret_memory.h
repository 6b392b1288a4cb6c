// SPDX-License-Identifier: Apache-2.0
// Secret keys (coefficients and evaluations), errors, phases and decrypted plaintexts are in pages that are excluded
// from core dumps and locked against swapping. Decoded values belong to the caller.
#pragma once

namespace ringfort {

// Returns false after the system's first failure to lock: raise RLIMIT_MEMLOCK (ulimit -l) before the program starts,
// or encrypt the swap. The library works without locked memory and prints nothing.
[[nodiscard]] bool secret_memory_is_locked() noexcept;

}  // namespace ringfort
