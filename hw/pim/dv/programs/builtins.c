// SPDX-License-Identifier: Apache-2.0
// A DPU program that runs 19 built-in instructions on pairs of operands from the host. It also tries to lock a mutex,
// and measures its stack. hw/pim/README.md explains the terms.
#include <built_ins.h>
#include <defs.h>
#include <mutex.h>

enum { kPairs = 64 };

__host uint32_t first[kPairs], second[kPairs];
__host uint32_t results[19][kPairs];
__host uint32_t tried[3];
__host uint32_t stack_left, stack_deeper;

MUTEX_INIT(lock);

#define TWO(row, name) name(results[row][i], first[i], second[i])
#define SHIFTED(row, name, n) name(results[row][i], second[i], first[i], n)
#define ONE(row, name) name(results[row][i], first[i])

__attribute__((noinline)) static void deeper(void) {
  volatile uint8_t array[128];
  for (uint32_t i = 0; i < sizeof array; i++) array[i] = (uint8_t)i;
  stack_deeper = (uint32_t)check_stack() + (array[5] - 5u);  // the use of `array` keeps the compiler from removing it
}

int main(void) {
  for (uint32_t i = 0; i < kPairs; i++) {
    TWO(0, __builtin_mul_ul_ul_rrr);
    TWO(1, __builtin_mul_uh_ul_rrr);
    TWO(2, __builtin_mul_sl_ul_rrr);
    TWO(3, __builtin_mul_sh_ul_rrr);
    TWO(4, __builtin_mul_ul_uh_rrr);
    TWO(5, __builtin_mul_uh_uh_rrr);
    TWO(6, __builtin_mul_sl_uh_rrr);
    TWO(7, __builtin_mul_sh_uh_rrr);
    TWO(8, __builtin_mul_sl_sl_rrr);
    TWO(9, __builtin_mul_sh_sl_rrr);
    TWO(10, __builtin_mul_sl_sh_rrr);
    TWO(11, __builtin_mul_sh_sh_rrr);
    SHIFTED(12, __builtin_lsl_add_rrri, "5");
    SHIFTED(13, __builtin_lsr_add_rrri, "7");
    SHIFTED(14, __builtin_rol_add_rrri, "9");
    SHIFTED(15, __builtin_lsl_sub_rrri, "3");
    ONE(16, __builtin_clz_rr);
    ONE(17, __builtin_cao_rr);
    ONE(18, __builtin_clo_rr);
  }
  tried[0] = mutex_trylock(lock);
  tried[1] = mutex_trylock(lock);
  mutex_unlock(lock);
  tried[2] = mutex_trylock(lock);
  mutex_unlock(lock);
  stack_left = (uint32_t)check_stack();
  deeper();
  return 0;
}
