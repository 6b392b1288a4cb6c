// SPDX-License-Identifier: Apache-2.0
// The memory functions of the C library that the run-time library provides.
#pragma once

#include <stddef.h>

void* memcpy(void* restrict to, const void* restrict from, size_t size);
void* memmove(void* to, const void* from, size_t size);
void* memset(void* to, int value, size_t size);
