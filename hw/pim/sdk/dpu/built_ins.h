// SPDX-License-Identifier: Apache-2.0
// The vendor's built-in instructions as statement macros. The first argument is the result. A shift amount is a string
// literal. Each macro is one instruction, as in the vendor's SDK. hw/pim/README.md explains the terms.
#pragma once

#include <dpu_isa.h>

#define __rf_arithmetic(rc, ra, rb, which, variant) \
  __asm__(".insn r %3, %4, " variant ", %0, %1, %2" : "=r"(rc) : "r"(ra), "r"(rb), "i"(kDpuArithmetic), "i"(which))

// Products of a byte of ra and a byte of rb. For each factor, the name has two letters: u or s (unsigned or signed),
// and l or h (the lowest byte or the byte above it). The string argument is a sum of constants of DpuMultiplyVariant.
#define __builtin_mul_ul_ul_rrr(rc, ra, rb) __rf_arithmetic(rc, ra, rb, kDpuMultiply, "0")
#define __builtin_mul_uh_ul_rrr(rc, ra, rb) __rf_arithmetic(rc, ra, rb, kDpuMultiply, "1")
#define __builtin_mul_sl_ul_rrr(rc, ra, rb) __rf_arithmetic(rc, ra, rb, kDpuMultiply, "2")
#define __builtin_mul_sh_ul_rrr(rc, ra, rb) __rf_arithmetic(rc, ra, rb, kDpuMultiply, "3")
#define __builtin_mul_ul_uh_rrr(rc, ra, rb) __rf_arithmetic(rc, ra, rb, kDpuMultiply, "4")
#define __builtin_mul_uh_uh_rrr(rc, ra, rb) __rf_arithmetic(rc, ra, rb, kDpuMultiply, "5")
#define __builtin_mul_sl_uh_rrr(rc, ra, rb) __rf_arithmetic(rc, ra, rb, kDpuMultiply, "6")
#define __builtin_mul_sh_uh_rrr(rc, ra, rb) __rf_arithmetic(rc, ra, rb, kDpuMultiply, "7")
#define __builtin_mul_sl_sl_rrr(rc, ra, rb) __rf_arithmetic(rc, ra, rb, kDpuMultiply, "10")
#define __builtin_mul_sh_sl_rrr(rc, ra, rb) __rf_arithmetic(rc, ra, rb, kDpuMultiply, "11")
#define __builtin_mul_sl_sh_rrr(rc, ra, rb) __rf_arithmetic(rc, ra, rb, kDpuMultiply, "14")
#define __builtin_mul_sh_sh_rrr(rc, ra, rb) __rf_arithmetic(rc, ra, rb, kDpuMultiply, "15")

// For example, rc = rb + (ra << n). The shifted operand is always ra.
#define __builtin_lsl_add_rrri(rc, rb, ra, n) __rf_arithmetic(rc, rb, ra, kDpuLslAdd, n)
#define __builtin_lsr_add_rrri(rc, rb, ra, n) __rf_arithmetic(rc, rb, ra, kDpuLsrAdd, n)
#define __builtin_rol_add_rrri(rc, rb, ra, n) __rf_arithmetic(rc, rb, ra, kDpuRolAdd, n)
#define __builtin_lsl_sub_rrri(rc, rb, ra, n) __rf_arithmetic(rc, rb, ra, kDpuLslSub, n)

#define __builtin_clz_rr(rc, ra) ((rc) = (ra) == 0 ? 32u : (unsigned int)__builtin_clz(ra))
#define __builtin_cao_rr(rc, ra) __rf_arithmetic(rc, ra, ra, kDpuUnary, "0")
#define __builtin_clo_rr(rc, ra) __rf_arithmetic(rc, ra, ra, kDpuUnary, "1")
#define __builtin_cls_rr(rc, ra) __rf_arithmetic(rc, ra, ra, kDpuUnary, "2")
#define __builtin_cmpb4_rrr(rc, ra, rb) __rf_arithmetic(rc, ra, rb, kDpuUnary, "3")
