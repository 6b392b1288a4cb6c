// SPDX-License-Identifier: Apache-2.0
// Products of bytes, and shifts with an addition. Each function is one instruction of the DPU. The kernels are C11, for
// the vendor's compiler and for sdk/pimcc. hw/pim/README.md explains the terms.
#pragma once

#include <built_ins.h>
#include <stdint.h>

// These functions multiply a byte of a by a byte of b. The first letter of the ending selects the byte of a, the second
// letter the byte of b. The letter l selects bits 0 to 7, the letter h bits 8 to 15.
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

// plus_shifted_n() returns sum + (a << n), and plus_upper_n() returns sum + (a >> n).
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
