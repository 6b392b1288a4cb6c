// SPDX-License-Identifier: Apache-2.0
// Runs integer operations of many kinds (mixture.c). The seed determines their operands. Returns a word that depends on
// all results.
#pragma once

#include <stdint.h>

uint64_t mixture(uint64_t seed, uint32_t steps);
