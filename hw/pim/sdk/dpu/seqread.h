// SPDX-License-Identifier: Apache-2.0
// Reads MRAM sequentially through a cache in WRAM. seqread_init and seqread_seek copy a byte of MRAM, and the bytes
// after it, into the cache, and return the WRAM address of this byte. seqread_get returns the WRAM address of the byte
// of MRAM that is `inc` bytes further, and fetches pages as needed. The cache has two consecutive pages of MRAM.
// Therefore an item that begins in the first page and has at most the size of a page is contiguous in the cache. The
// two pages must be within MRAM. SEQREAD_CACHE_SIZE is the size of a page in bytes, a power of two from 32 to 1024. Two
// tasklets must not share a reader. hw/pim/README.md explains the terms.
#pragma once

#include <alloc.h>
#include <mram.h>

#ifndef SEQREAD_CACHE_SIZE
#define SEQREAD_CACHE_SIZE 256
#endif
_Static_assert(SEQREAD_CACHE_SIZE >= 32 && SEQREAD_CACHE_SIZE <= 1024 &&
                   (SEQREAD_CACHE_SIZE & (SEQREAD_CACHE_SIZE - 1)) == 0,
               "SEQREAD_CACHE_SIZE is a power of two, 32 .. 1024");

typedef uintptr_t seqreader_buffer_t;

typedef struct seqreader_t {
  seqreader_buffer_t wram_cache;
  uintptr_t mram_addr;  // MRAM address of the first page in the cache
} seqreader_t;

__rf_inline seqreader_buffer_t seqread_alloc(void) { return (seqreader_buffer_t)mem_alloc(2 * SEQREAD_CACHE_SIZE); }

__rf_inline void* seqread_seek(__mram_ptr void* mram_addr, seqreader_t* reader) {
  const uintptr_t address = (uintptr_t)mram_addr, within = address & (SEQREAD_CACHE_SIZE - 1);
  reader->mram_addr = address - within;
  mram_read((const __mram_ptr void*)reader->mram_addr, (void*)reader->wram_cache, 2 * SEQREAD_CACHE_SIZE);
  return (void*)(reader->wram_cache + within);
}

__rf_inline void* seqread_init(seqreader_buffer_t cache, __mram_ptr void* mram_addr, seqreader_t* reader) {
  reader->wram_cache = cache;
  return seqread_seek(mram_addr, reader);
}

__rf_inline __mram_ptr void* seqread_tell(void* ptr, seqreader_t* reader) {
  return (__mram_ptr void*)(reader->mram_addr + ((uintptr_t)ptr - reader->wram_cache));
}

__rf_inline void* seqread_get(void* ptr, uint32_t inc, seqreader_t* reader) {
  const uintptr_t next = (uintptr_t)ptr + inc;
  if (next - reader->wram_cache < SEQREAD_CACHE_SIZE) return (void*)next;
  return seqread_seek(seqread_tell((void*)next, reader), reader);
}
