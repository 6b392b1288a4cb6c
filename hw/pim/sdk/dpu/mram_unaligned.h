// SPDX-License-Identifier: Apache-2.0
// MRAM access at any byte, slower than mram.h: a partly written word of eight bytes is read, changed and written back
// under a mutex. A transfer, extended to whole words, has at most 2048 bytes. The atomic functions change one value in
// this way: `update` changes a copy of the value, which is then written back.
#pragma once

#include <mram.h>

// Reads into `buffer`, and returns the address of the first requested byte in it. `buffer` is aligned to 8 bytes and
// has at least nb_of_bytes + 16 bytes.
void* mram_read_unaligned(const __mram_ptr void* from, void* buffer, unsigned int nb_of_bytes);
// Writes bytes. `from` and `to` must be equal modulo 8; otherwise the program stops with a fault.
void mram_write_unaligned(const void* from, __mram_ptr void* to, unsigned int nb_of_bytes);

void mram_update_int_atomic(__mram_ptr int* dest, void (*update)(int* value, void* args), void* args);
void mram_write_int_atomic(__mram_ptr int* dest, int value);
void mram_update_byte_atomic(__mram_ptr uint8_t* dest, void (*update)(uint8_t* value, void* args), void* args);
void mram_write_byte_atomic(__mram_ptr uint8_t* dest, uint8_t value);
