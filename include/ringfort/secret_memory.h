// SPDX-License-Identifier: Apache-2.0
// On the host, the library keeps secret keys, errors, phases (decryptions before rounding) and decrypted plaintexts in
// memory that it excludes from core dumps and locks against swapping. Decoded values are in the caller's memory,
// without this protection.
#pragma once

namespace ringfort {

// Returns false if the system has refused to lock memory against swapping. The library also works without locked
// memory. To allow locking, raise RLIMIT_MEMLOCK (ulimit -l) before the program starts; or encrypt the swap space.
[[nodiscard]] bool secret_memory_is_locked() noexcept;

}  // namespace ringfort
