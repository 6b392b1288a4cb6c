// SPDX-License-Identifier: Apache-2.0
// The functions of handshake.h. Each tasklet owns a byte in handshake_bytes. An atomic bit protects this byte. If a
// tasklet waits for the owner, the byte is the number of this tasklet plus one. If the owner sleeps in
// handshake_notify(), the byte is kNotifierSleeps. Otherwise it is kNobody. hw/pim/README.md explains the terms.
#include <atomic_bit.h>
#include <handshake.h>

#include "runtime.h"

// any other value is the number of the waiting tasklet plus one
enum { kNobody = 0, kNotifierSleeps = 255, kTasklets = 24 };

// The linker script dpu.ld places this array within the first bytes of WRAM. There, its address fits the 12-bit offset
// of a load or store. Therefore an access takes one instruction, as on the DPU.
__attribute__((section(".data.first"))) uint8_t handshake_bytes[kTasklets];
ATOMIC_BIT_INIT(handshake)[kTasklets];

// Returns the index of the atomic bit that protects a tasklet's byte.
static inline uint32_t lock_of(uint32_t tasklet) {
  uint32_t lock;
  __asm__("addi %0, %1, %%lo(__atomic_bit_handshake)" : "=r"(lock) : "r"(tasklet));
  return lock;
}

static inline uint32_t read_byte(uint32_t tasklet) {
  uint32_t found;
  __asm__ volatile("lbu %0, %%lo(handshake_bytes)(%1)" : "=r"(found) : "r"(tasklet) : "memory");
  return found;
}

static inline void write_byte(uint32_t tasklet, uint32_t value) {
  __asm__ volatile("sb %0, %%lo(handshake_bytes)(%1)" ::"r"(value), "r"(tasklet) : "memory");
}

void handshake_notify(void) {
  const uint32_t self = me(), lock = lock_of(self);
  rf_acquire(lock);
  const uint32_t found = read_byte(self);
  write_byte(self, found == kNobody ? kNotifierSleeps : kNobody);
  if (found != kNobody) tasklet_resume(found - 1u);
  rf_release(lock);
  if (found == kNobody) tasklet_stop();
}

int handshake_wait_for(sysname_t notifier) {
  const uint32_t lock = lock_of(notifier);
  rf_acquire(lock);
  const uint32_t found = read_byte(notifier);
  // two tasklets wait for the same notifier
  if (found != kNobody && found != kNotifierSleeps) raise_fault(kDpuFaultBarrier);
  write_byte(notifier, found == kNotifierSleeps ? kNobody : me() + 1);
  if (found == kNotifierSleeps) tasklet_resume(notifier);
  rf_release(lock);
  if (found == kNobody) tasklet_stop();
  return 0;
}
