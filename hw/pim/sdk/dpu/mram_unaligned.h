// SPDX-License-Identifier: Apache-2.0
// MRAM access at any byte, slower than mram.h: a partly written word of eight bytes is read, changed and written back
// under a mutex. A transfer, extended to whole words, has at most 2048 bytes. Atomic functions change one value in this
// way and pass a copy of it to `update`.
#pragma once

#include <mram.h>

// Returns the address of the first byte within `buffer`, which is aligned to 8 and has at least nb_of_bytes + 16 bytes.
void* mram_read_unaligned(const __mram_ptr void* from, void* buffer, unsigned int nb_of_bytes);
// Writes bytes. `from` and `to` must be equal modulo 8; otherwise the program stops with a fault.
void mram_write_unaligned(const void* from, __mram_ptr void* to, unsigned int nb_of_bytes);

void mram_update_int_atomic(__mram_ptr int* dest, void (*update)(int* value, void* args), void* args);
void mram_write_int_atomic(__mram_ptr int* dest, int value);
void mram_update_byte_atomic(__mram_ptr uint8_t* dest, void (*update)(uint8_t* value, void* args), void* args);
void mram_write_byte_atomic(__mram_ptr uint8_t* dest, uint8_t value);
