// SPDX-License-Identifier: Apache-2.0
// The functions of mram_unaligned.h. One mutex protects all words that are written in part. A tasklet holds the mutex
// during two transfers of eight bytes. hw/pim/README.md explains the terms.
#include <mram_unaligned.h>
#include <mutex.h>
#include <string.h>

#include "runtime.h"

enum { kWord = 8 };

MUTEX_INIT(shared_word);

typedef void (*Change)(uint8_t* bytes, void* args);

static void change_bytes(uintptr_t at, Change change, void* args) {
  __attribute__((aligned(8))) uint8_t word[kWord];
  const uintptr_t within = at % kWord;
  __mram_ptr void* mram_word = (__mram_ptr void*)(at - within);
  mutex_lock(MUTEX_GET(shared_word));
  mram_read(mram_word, word, kWord);
  change(word + within, args);
  mram_write(word, mram_word, kWord);
  mutex_unlock(MUTEX_GET(shared_word));
}

struct Source {
  const uint8_t* from;
  unsigned int bytes;
};

static void copy_source(uint8_t* to, void* args) {
  const struct Source* source = args;
  for (unsigned int i = 0; i < source->bytes; i++) to[i] = source->from[i];
}

void* mram_read_unaligned(const __mram_ptr void* from, void* buffer, unsigned int nb_of_bytes) {
  const uintptr_t at = (uintptr_t)from, within = at % kWord;
  mram_read((const __mram_ptr void*)(at - within), buffer,
            (unsigned int)((within + nb_of_bytes + kWord - 1) / kWord * kWord));
  return (uint8_t*)buffer + within;
}

void mram_write_unaligned(const void* from, __mram_ptr void* to, unsigned int nb_of_bytes) {
  uintptr_t at = (uintptr_t)to;
  struct Source source = {from, 0};
  if (((uintptr_t)from - at) % kWord != 0) raise_fault(kDpuFaultAlignment);
  while (nb_of_bytes > 0) {
    const unsigned int to_word_end = kWord - at % kWord, whole = nb_of_bytes - nb_of_bytes % kWord;
    if (to_word_end == kWord && whole > 0) {
      mram_write(source.from, (__mram_ptr void*)at, source.bytes = whole);
    } else {
      source.bytes = to_word_end < nb_of_bytes ? to_word_end : nb_of_bytes;
      change_bytes(at, copy_source, &source);
    }
    at += source.bytes;
    source.from += source.bytes;
    nb_of_bytes -= source.bytes;
  }
}

struct IntUpdate {
  void (*update)(int* value, void* args);
  void* args;
};

static void update_int(uint8_t* bytes, void* args) {
  const struct IntUpdate* wanted = args;
  wanted->update((int*)(void*)bytes, wanted->args);
}

void mram_update_int_atomic(__mram_ptr int* dest, void (*update)(int* value, void* args), void* args) {
  struct IntUpdate wanted = {update, args};
  change_bytes((uintptr_t)dest, update_int, &wanted);
}

void mram_write_int_atomic(__mram_ptr int* dest, int value) {
  struct Source source = {(const uint8_t*)&value, sizeof value};
  change_bytes((uintptr_t)dest, copy_source, &source);
}

void mram_update_byte_atomic(__mram_ptr uint8_t* dest, void (*update)(uint8_t* value, void* args), void* args) {
  change_bytes((uintptr_t)dest, update, args);
}

void mram_write_byte_atomic(__mram_ptr uint8_t* dest, uint8_t value) {
  struct Source source = {&value, 1};
  change_bytes((uintptr_t)dest, copy_source, &source);
}
