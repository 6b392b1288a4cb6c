// SPDX-License-Identifier: Apache-2.0
// Functions for kernels that stream vectors through WRAM. A tasklet copies a block of at most 1024 bytes from MRAM to
// WRAM, computes, and copies the results to MRAM. Tasklets take blocks in turn. The length of a vector is a multiple of
// 8 bytes. In a shorter last block, an unrolled loop may compute up to 7 extra words. These are not copied back.
// Include word32.h or word64.h before this header. hw/pim/README.md explains the terms.
#pragma once

#include <defs.h>
#include <mram.h>
#include <stdint.h>

enum { kBlockBytes = 1024, kBlockWords = kBlockBytes / sizeof(Word) };

// Returns the number of words of a block. If the vector is short, its blocks are smaller, so that all tasklets have
// work. The number is always a multiple of eight.
static inline uint32_t block_words(uint32_t total) {
  const uint32_t share = ((total + NR_TASKLETS - 1) / NR_TASKLETS + 7) & ~7u;
  return share < kBlockWords ? share : kBlockWords;
}

static inline void read_words(uint32_t mram, Word* to, uint32_t words) {
  if (words == kBlockWords) {
    mram_read((__mram_ptr void*)(uintptr_t)mram, to, kBlockBytes);
  } else {
    mram_read((__mram_ptr void*)(uintptr_t)mram, to, words * sizeof(Word));
  }
}

static inline void write_words(const Word* from, uint32_t mram, uint32_t words) {
  if (words == kBlockWords) {
    mram_write(from, (__mram_ptr void*)(uintptr_t)mram, kBlockBytes);
  } else {
    mram_write(from, (__mram_ptr void*)(uintptr_t)mram, words * sizeof(Word));
  }
}
