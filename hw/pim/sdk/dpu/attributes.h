// SPDX-License-Identifier: Apache-2.0
// Attributes of variables and functions, with the vendor's names. __host places a variable in WRAM, where the host
// finds it by its name. The attributes that begin with __mram place a variable in MRAM, which is a separate address
// space. A program cannot dereference an address of MRAM or cast it implicitly. __atomic_bit places a variable among
// the atomic bits. hw/pim/README.md explains the terms.
#pragma once

#define __mram_ptr __attribute__((address_space(255)))
#define __mram __mram_ptr __attribute__((section(".mram"), aligned(8), used))
#define __mram_noinit __mram_ptr __attribute__((section(".bss..mram_noinit"), aligned(8), used))
#define __mram_keep __mram_ptr __attribute__((section(".bss..mram_keep"), aligned(8), used))
#define __mram_noinit_keep __mram_keep
#define __host __attribute__((section(".data.host"), aligned(8), used))
#define __dma_aligned __attribute__((aligned(8)))
#define __keep __attribute__((used))
#define __atomic_bit __attribute__((section(".atomic"), aligned(1)))
#define __noinline __attribute__((noinline))
#define __weak __attribute__((weak))
#define __section(name) __attribute__((section(name)))
#define __aligned(bytes) __attribute__((aligned(bytes)))
#define __used __attribute__((used))
