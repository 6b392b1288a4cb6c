// SPDX-License-Identifier: Apache-2.0
// The library keeps secret keys, errors, phases and decrypted plaintexts in pages that are excluded from core dumps and
// locked against swapping. Decoded values are in the caller's memory.
#pragma once

namespace ringfort {

// Returns false if the system has refused to lock memory. Then raise RLIMIT_MEMLOCK (ulimit -l) before the program
// starts, or encrypt the swap. The library also works without locked memory.
[[nodiscard]] bool secret_memory_is_locked() noexcept;

}  // namespace ringfort
