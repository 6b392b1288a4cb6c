// SPDX-License-Identifier: Apache-2.0
// The memory functions to which a compiler may emit calls, and the stack probe.
#include <defs.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Prevents the compiler from turning these loops into calls of themselves.
#define PLAIN __attribute__((no_builtin("memcpy", "memset", "memmove")))

PLAIN void* memcpy(void* restrict to, const void* restrict from, size_t size) {
  uint8_t* out = to;
  const uint8_t* in = from;
  if ((((uint32_t)to | (uint32_t)from) & 3u) == 0) {
    for (; size >= 4; size -= 4, out += 4, in += 4) *(uint32_t*)out = *(const uint32_t*)in;
  }
  while (size-- != 0) *out++ = *in++;
  return to;
}

PLAIN void* memmove(void* to, const void* from, size_t size) {
  uint8_t* out = to;
  const uint8_t* in = from;
  if (out <= in) return memcpy(to, from, size);
  while (size-- != 0) out[size] = in[size];
  return to;
}

PLAIN void* memset(void* to, int value, size_t size) {
  uint8_t* out = to;
  while (size-- != 0) *out++ = (uint8_t)value;
  return to;
}

extern uint8_t __sys_stack_bounds[];  // from the linker: one word per tasklet, then the end

int check_stack(void) {
  const uint32_t* bounds = (const uint32_t*)__sys_stack_bounds;
  return (int)((uint32_t)__builtin_frame_address(0) - bounds[me()]);
}
