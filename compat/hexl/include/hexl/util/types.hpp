// SPDX-License-Identifier: Apache-2.0
// Integers of 128 bits.
#pragma once

#include <stdint.h>

#include "hexl/util/defines.hpp"

__extension__ typedef __int128 int128_t;
__extension__ typedef unsigned __int128 uint128_t;
