// SPDX-License-Identifier: Apache-2.0
// See mixture.c.
#pragma once

#include <stdint.h>

uint64_t mixture(uint64_t seed, uint32_t steps);
