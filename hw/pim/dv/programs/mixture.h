// SPDX-License-Identifier: Apache-2.0
// Runs integer operations of every kind in an order that the seed chooses, and returns a word that depends on all
// results (mixture.c).
#pragma once

#include <stdint.h>

uint64_t mixture(uint64_t seed, uint32_t steps);
