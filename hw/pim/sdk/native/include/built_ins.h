// SPDX-License-Identifier: Apache-2.0
// The vendor's built-in instructions as C expressions. Kernels that are compiled for the host include this file
// (defs.h).
#pragma once

#define __builtin_mul_ul_ul_rrr(rc, ra, rb) ((rc) = ((ra) & 255) * ((rb) & 255))
#define __builtin_mul_uh_ul_rrr(rc, ra, rb) ((rc) = ((ra) >> 8 & 255) * ((rb) & 255))
#define __builtin_mul_uh_uh_rrr(rc, ra, rb) ((rc) = ((ra) >> 8 & 255) * ((rb) >> 8 & 255))
#define shift_amount(text) ((text)[1] == 0 ? (text)[0] - '0' : 10 * ((text)[0] - '0') + (text)[1] - '0')
#define __builtin_lsl_add_rrri(rc, rb, ra, n) ((rc) = (rb) + ((ra) << shift_amount(n)))
#define __builtin_lsr_add_rrri(rc, rb, ra, n) ((rc) = (rb) + ((ra) >> shift_amount(n)))
