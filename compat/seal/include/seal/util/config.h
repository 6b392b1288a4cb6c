// SPDX-License-Identifier: Apache-2.0
// What this build of SEAL's interface is: its version and its features. Programs test these macros with #ifdef. There
// are no spans of the Guidelines Support Library. seal/util/compression.h defines SEAL_USE_ZLIB and SEAL_USE_ZSTD if
// the library was built with them.
#pragma once

#include "seal/util/compression.h"

#define SEAL_VERSION "4.1.2"
#define SEAL_VERSION_MAJOR 4
#define SEAL_VERSION_MINOR 1
#define SEAL_VERSION_PATCH 2

#define SEAL_IS_RINGFORT  // for programs that compare the two libraries

#define SEAL_USE_STD_BYTE
#define SEAL_USE_SHARED_MUTEX
#define SEAL_USE_IF_CONSTEXPR
#define SEAL_USE_MAYBE_UNUSED
#define SEAL_USE_NODISCARD
#define SEAL_USE_STD_FOR_EACH_N
#define SEAL_THROW_ON_TRANSPARENT_CIPHERTEXT
#define SEAL_DEFAULT_PRNG Blake2xb
