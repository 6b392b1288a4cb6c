// SPDX-License-Identifier: Apache-2.0
// MRAM at any byte, dearer than mram.h: what shares a word of eight bytes with a neighbour is read, changed and written
// back under a mutex. At most 2048 bytes with the words that they touch. Atomic verbs change one value so; `update`
// gets a copy of it.
#pragma once

#include <mram.h>

// `buffer` is a multiple of 8 and has room for nb_of_bytes + 16; the answer is where in it the first byte is.
void* mram_read_unaligned(const __mram_ptr void* from, void* buffer, unsigned int nb_of_bytes);
// `from` and `to` agree modulo 8, otherwise the program stops.
void mram_write_unaligned(const void* from, __mram_ptr void* to, unsigned int nb_of_bytes);

void mram_update_int_atomic(__mram_ptr int* dest, void (*update)(int* value, void* args), void* args);
void mram_write_int_atomic(__mram_ptr int* dest, int value);
void mram_update_byte_atomic(__mram_ptr uint8_t* dest, void (*update)(uint8_t* value, void* args), void* args);
void mram_write_byte_atomic(__mram_ptr uint8_t* dest, uint8_t value);
