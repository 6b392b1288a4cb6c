// SPDX-License-Identifier: Apache-2.0
// The functions of the C library's <string.h> that the run-time library provides.
#pragma once

#include <stddef.h>

void* memcpy(void* restrict to, const void* restrict from, size_t size);
void* memmove(void* to, const void* from, size_t size);
void* memset(void* to, int value, size_t size);
int memcmp(const void* first, const void* second, size_t size);
size_t strlen(const char* text);
size_t strnlen(const char* text, size_t most);
int strcmp(const char* first, const char* second);
int strncmp(const char* first, const char* second, size_t most);
char* strcpy(char* restrict to, const char* restrict from);
char* strncpy(char* restrict to, const char* restrict from, size_t size);
