// SPDX-License-Identifier: Apache-2.0
// Accesses to MRAM at any byte. They are slower than those of mram.h. If a write covers only a part of a word of eight
// bytes, the function takes a mutex, reads the word, changes it and writes it back. A transfer, extended to whole
// words, has at most 2048 bytes. The atomic functions change one value under the same mutex. The caller's function
// `update` changes a copy of the value, and the atomic function writes the copy back. hw/pim/README.md explains the
// terms.
#pragma once

#include <mram.h>

// Reads into `buffer`, and returns the address in `buffer` of the first requested byte. `buffer` is aligned to 8 bytes
// and has at least nb_of_bytes + 16 bytes.
void* mram_read_unaligned(const __mram_ptr void* from, void* buffer, unsigned int nb_of_bytes);
// Writes bytes. If `from` and `to` are not equal modulo 8, the program stops with a fault.
void mram_write_unaligned(const void* from, __mram_ptr void* to, unsigned int nb_of_bytes);

void mram_update_int_atomic(__mram_ptr int* dest, void (*update)(int* value, void* args), void* args);
void mram_write_int_atomic(__mram_ptr int* dest, int value);
void mram_update_byte_atomic(__mram_ptr uint8_t* dest, void (*update)(uint8_t* value, void* args), void* args);
void mram_write_byte_atomic(__mram_ptr uint8_t* dest, uint8_t value);
