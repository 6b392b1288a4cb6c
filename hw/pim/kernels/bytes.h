// SPDX-License-Identifier: Apache-2.0
// Products of bytes, and shifts with an addition: one instruction of the DPU each. The sources are C11, for the
// vendor's compiler and sdk/pimcc.
#pragma once

#include <built_ins.h>
#include <stdint.h>

// Multiply bytes: the first letter selects the byte of a, the second letter the byte of b (l: bits 0..7, h: bits
// 8..15).
__attribute__((always_inline)) static inline uint32_t product_ll(uint32_t a, uint32_t b) {
  uint32_t r;
  __builtin_mul_ul_ul_rrr(r, a, b);
  return r;
}
__attribute__((always_inline)) static inline uint32_t product_hl(uint32_t a, uint32_t b) {
  uint32_t r;
  __builtin_mul_uh_ul_rrr(r, a, b);
  return r;
}
__attribute__((always_inline)) static inline uint32_t product_hh(uint32_t a, uint32_t b) {
  uint32_t r;
  __builtin_mul_uh_uh_rrr(r, a, b);
  return r;
}

// Return sum + (a << n) and sum + (a >> n).
__attribute__((always_inline)) static inline uint32_t plus_shifted_8(uint32_t sum, uint32_t a) {
  uint32_t r;
  __builtin_lsl_add_rrri(r, sum, a, "8");
  return r;
}
__attribute__((always_inline)) static inline uint32_t plus_shifted_16(uint32_t sum, uint32_t a) {
  uint32_t r;
  __builtin_lsl_add_rrri(r, sum, a, "16");
  return r;
}
__attribute__((always_inline)) static inline uint32_t plus_upper_16(uint32_t sum, uint32_t a) {
  uint32_t r;
  __builtin_lsr_add_rrri(r, sum, a, "16");
  return r;
}
__attribute__((always_inline)) static inline uint32_t plus_upper_8(uint32_t sum, uint32_t a) {
  uint32_t r;
  __builtin_lsr_add_rrri(r, sum, a, "8");
  return r;
}
