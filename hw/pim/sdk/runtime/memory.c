// SPDX-License-Identifier: Apache-2.0
// The functions of string.h, and check_stack(). A compiler inserts calls of some functions of string.h.
// hw/pim/README.md explains the terms.
#include <defs.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Without this attribute, the compiler may replace the loop in one of these functions by a call of the same function.
#define PLAIN __attribute__((no_builtin("memcpy", "memset", "memmove", "memcmp", "bcmp", "strlen", "strcpy")))

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

PLAIN int memcmp(const void* first, const void* second, size_t size) {
  const uint8_t *a = first, *b = second;
  for (; size != 0; size--, a++, b++) {
    if (*a != *b) return *a - *b;
  }
  return 0;
}

int bcmp(const void* first, const void* second, size_t size) { return memcmp(first, second, size); }

PLAIN size_t strnlen(const char* text, size_t most) {
  size_t length = 0;
  while (length < most && text[length] != 0) length++;
  return length;
}

size_t strlen(const char* text) { return strnlen(text, ~(size_t)0); }

PLAIN int strncmp(const char* first, const char* second, size_t most) {
  for (; most != 0; most--, first++, second++) {
    const int difference = (uint8_t)*first - (uint8_t)*second;
    if (difference != 0 || *first == 0) return difference;
  }
  return 0;
}

int strcmp(const char* first, const char* second) { return strncmp(first, second, ~(size_t)0); }

PLAIN char* strncpy(char* restrict to, const char* restrict from, size_t size) {
  const size_t length = strnlen(from, size);
  memcpy(to, from, length);
  memset(to + length, 0, size - length);
  return to;
}

char* strcpy(char* restrict to, const char* restrict from) { return memcpy(to, from, strlen(from) + 1); }

// defined by the linker: the beginning of each tasklet's stack, then the end of the last stack
extern uint8_t __sys_stack_bounds[];

int check_stack(void) {
  const uint32_t* bounds = (const uint32_t*)__sys_stack_bounds;
  return (int)((uint32_t)__builtin_frame_address(0) - bounds[me()]);
}
