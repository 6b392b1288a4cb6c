// SPDX-License-Identifier: Apache-2.0
// The functions of the C library's <stdlib.h> that DPU programs can use. hw/pim/README.md explains the terms.
#pragma once

#include <alloc.h>
#include <assert.h>
#include <defs.h>
#include <stddef.h>

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1

__rf_inline int abs(int value) { return value < 0 ? -value : value; }
__rf_inline long labs(long value) { return value < 0 ? -value : value; }
__rf_inline long long llabs(long long value) { return value < 0 ? -value : value; }

// Ends the calling tasklet.
__attribute__((noreturn)) __rf_inline void exit(int status) {
  (void)status;
  halt();
}

// Stops the DPU with the fault of an assertion.
__attribute__((noreturn)) __rf_inline void abort(void) {
  rf_assert_failed();
  halt();
}
