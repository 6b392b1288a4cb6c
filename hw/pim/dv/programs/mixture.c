// SPDX-License-Identifier: Apache-2.0
// Runs integer operations of many kinds on pseudorandom operands. The build compiles this file for the DPU and for the
// host, and a test compares the results. hw/pim/README.md explains the terms.
#include "mixture.h"

static uint32_t rotated(uint32_t a, uint32_t n) { return a << (n & 31) | a >> (-n & 31); }

static uint32_t narrow(uint32_t a, uint32_t b) {
  uint32_t sum = (uint32_t)(int8_t)a + (uint32_t)(int16_t)b + (uint16_t)(a ^ b);
  sum += (int32_t)a < (int32_t)b ? a & ~b : a | ~b;
  sum ^= (int32_t)a > -5 ? (uint32_t)((int32_t)b >> (a & 31)) : b << (a & 31);
  sum += a < b ? a : b;
  sum ^= (int32_t)a > (int32_t)b ? a : b;
  return sum + rotated(a, b) + (uint32_t)__builtin_popcount(a) + (uint32_t)__builtin_clz(b | 1) +
         (uint32_t)__builtin_ctz(a | 0x80000000u);
}

static uint32_t divided(uint32_t a, uint32_t b) {
  uint32_t sum = a / (b | 1) + a % (b | 1) * 3;
  int32_t x = (int32_t)a, y = (int32_t)(b | 1) >> 3;
  if (y == 0 || y == -1) y = 7;
  return sum ^ (uint32_t)(x / y) ^ (uint32_t)(x % y) << 1;
}

static uint64_t wide(uint64_t a, uint64_t b) {
  uint64_t sum = a + b, difference = a - b, product = a * b;
  uint64_t d = (b >> (a & 63)) | 1;
  int64_t x = (int64_t)a >> 3, y = (int64_t)(b >> 40) - 5000000;
  if (y == 0 || y == -1) y = 9;
  return sum ^ (difference << (b & 63)) ^ product ^ (a / d) ^ (a % d) ^ (uint64_t)(x / y) ^ (uint64_t)(x % y) ^
         (uint64_t)((int64_t)a >> (b & 63));
}

uint64_t mixture(uint64_t seed, uint32_t steps) {
  uint64_t state = seed;
  uint8_t bytes[16] = {0};
  int16_t halves[16] = {0};
  for (uint32_t i = 0; i < steps; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    uint32_t a = (uint32_t)(state >> 32), b = (uint32_t)state ^ rotated(a, i);
    bytes[a & 15] = (uint8_t)(bytes[b & 15] + a);
    halves[b & 15] = (int16_t)(halves[a & 15] - (int16_t)b);
    state ^= (uint64_t)narrow(a, b) << 16 ^ divided(b, a >> (b & 31)) ^ wide(state, ((uint64_t)b << 32) | a);
    state += bytes[i & 15] + (uint64_t)(int64_t)halves[i & 15];
  }
  return state;
}
