// SPDX-License-Identifier: Apache-2.0
// A DPU program that runs the arithmetic, comparisons and conversions of float and double on operands from the host.
// The host compares every bit of the results, except for NaNs. hw/pim/README.md explains the terms.
#include <defs.h>

enum { kPairs = 192 };

__host float first[kPairs], second[kPairs];
__host double wide_first[kPairs], wide_second[kPairs];
__host uint32_t count;
__host float results[4][kPairs], from_integer[4][kPairs], narrowed[kPairs];
__host double wide_results[4][kPairs], wide_from_integer[4][kPairs], widened[kPairs];
__host uint32_t compared[kPairs], wide_compared[kPairs];
__host int32_t to_i32[2][kPairs];
__host uint32_t to_u32[2][kPairs];
__host int64_t to_i64[2][kPairs], integers[kPairs];
__host uint64_t to_u64[2][kPairs];

#define ARITHMETIC(out, a, b) \
  out[0][i] = a[i] + b[i];    \
  out[1][i] = a[i] - b[i];    \
  out[2][i] = a[i] * b[i];    \
  out[3][i] = a[i] / b[i]
#define COMPARISONS(a, b)                                                                                   \
  ((a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a >= b) << 4 | (a > b) << 5 | !(a < b) << 6 | \
   (uint32_t)__builtin_isunordered(a, b) << 7)
#define TO_INTEGERS(row, a)     \
  to_i32[row][i] = (int32_t)a;  \
  to_u32[row][i] = (uint32_t)a; \
  to_i64[row][i] = (int64_t)a;  \
  to_u64[row][i] = (uint64_t)a
#define FROM_INTEGERS(out, Type)           \
  out[0][i] = (Type)(int32_t)integers[i];  \
  out[1][i] = (Type)(uint32_t)integers[i]; \
  out[2][i] = (Type)integers[i];           \
  out[3][i] = (Type)(uint64_t)integers[i]

int main(void) {
  for (uint32_t i = me(); i < count; i += NR_TASKLETS) {
    ARITHMETIC(results, first, second);
    ARITHMETIC(wide_results, wide_first, wide_second);
    compared[i] = COMPARISONS(first[i], second[i]);
    wide_compared[i] = COMPARISONS(wide_first[i], wide_second[i]);
    TO_INTEGERS(0, first[i]);
    TO_INTEGERS(1, wide_first[i]);
    FROM_INTEGERS(from_integer, float);
    FROM_INTEGERS(wide_from_integer, double);
    narrowed[i] = (float)wide_first[i];
    widened[i] = (double)first[i];
  }
  return 0;
}
